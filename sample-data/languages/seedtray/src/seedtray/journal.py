"""What was done on which day."""

from __future__ import annotations

from collections import Counter


class Notebook:
    """Lines in the order in which they were written."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def note(self, day: int, text: str) -> None:
        self.lines.append(f"{day:03} {text}")

    def last(self, count: int = 1) -> list[str]:
        return self.lines[-count:]


class Journal(Notebook):
    """A notebook that also counts what was harvested."""

    def __init__(self) -> None:
        super().__init__()
        self._harvest: Counter[str] = Counter()

    def harvest(self, day: int, crop: str, count: int) -> None:
        if count < 1:
            raise ValueError("a harvest has at least one fruit")
        self.note(day, f"{count} {crop}")
        self._harvest[crop] += count

    def best(self) -> str | None:
        """The crop that gave most; of several the one that was harvested first."""
        return max(self._harvest, key=self._harvest.__getitem__, default=None)

    async def copy_to(self, notebook: Notebook) -> int:
        """Copies every line and says how many there were."""
        for line in self.lines:
            day, _, text = line.partition(" ")
            notebook.note(int(day), text)
        return len(self.lines)
