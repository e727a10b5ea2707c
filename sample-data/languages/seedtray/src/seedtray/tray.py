"""A tray of cells, each with one seedling or none."""

from __future__ import annotations

from typing import Iterator

from .packet import Packet

Cell = tuple[int, int]


class Tray:
    def __init__(self, rows: int = 2, columns: int = 3) -> None:
        self.rows = rows
        self.columns = columns
        self._sown: dict[Cell, str] = {}

    def sow(self, packet: Packet, count: int = 1) -> list[Cell]:
        """Puts seeds into the first free cells and says which; what finds no room stays in the packet."""
        cells = self.free()[:count]
        for cell in cells:
            self[cell] = packet.crop
        return cells

    def free(self) -> list[Cell]:
        return [cell for cell in self if cell not in self._sown]

    def turned(self) -> Tray:
        """The same tray seen from its other side, as the sun asks for it every other day."""
        turned = Tray(self.rows, self.columns)
        for (row, column), crop in self._sown.items():
            turned[self.rows - 1 - row, self.columns - 1 - column] = crop
        return turned

    def clear(self) -> None:
        self._sown.clear()

    def __getitem__(self, cell: Cell) -> str | None:
        return self._sown.get(cell)

    def __setitem__(self, cell: Cell, crop: str) -> None:
        row, column = cell
        if not (0 <= row < self.rows and 0 <= column < self.columns):
            raise IndexError(f"no cell {row}, {column}")
        self._sown[cell] = crop

    def __len__(self) -> int:
        return len(self._sown)

    def __iter__(self) -> Iterator[Cell]:
        for row in range(self.rows):
            for column in range(self.columns):
                yield row, column

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tray) and self._sown == other._sown
