"""Seed packets: what is printed on them, and what is still alive inside."""

from __future__ import annotations

from dataclasses import dataclass


class PacketError(ValueError):
    """A line that describes no packet."""


@dataclass(frozen=True)
class Packet:
    crop: str
    seeds: int
    year: int

    @property
    def label(self) -> str:
        """What is written on the wooden stick beside the row."""
        return f"{self.crop} '{self.year % 100:02}"

    def viable(self, year: int) -> int:
        """How many seeds still come up in a year: every winter takes a fifth of what is left."""
        alive = self.seeds
        for _ in range(self.year, year):
            alive -= alive // 5
        return alive

    def __add__(self, other: Packet) -> Packet:
        if self.crop != other.crop:
            raise PacketError(f"{other.crop} does not belong among {self.crop}")
        return Packet(self.crop, self.seeds + other.seeds, min(self.year, other.year))


def parse_packet(line: str) -> Packet:
    """Reads ``crop; seeds; year``."""
    fields = _fields(line)
    if len(fields) != 3:
        raise PacketError(f"three fields expected, found {len(fields)}")
    crop, seeds, year = fields
    return Packet(crop, int(seeds), int(year))


def _fields(line: str) -> list[str]:
    return [field.strip() for field in line.split(";") if field.strip()]
