"""Seed packets, trays and what to sow when."""

from .almanac import last_frost, sowing_day
from .journal import Journal
from .packet import Packet, PacketError
from .packet import parse_packet as read_packet
from .tray import Tray

__all__ = [
    "Journal",
    "Packet",
    "PacketError",
    "Tray",
    "last_frost",
    "read_packet",
    "sowing_day",
]
