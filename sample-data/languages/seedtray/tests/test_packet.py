import pytest

import seedtray
from seedtray.packet import Packet, parse_packet


@pytest.mark.parametrize(
    ("line", "crop", "seeds"),
    [
        ("leek; 120; 2030", "leek", 120),
        ("  broad bean;40 ;2030;", "broad bean", 40),
        ("chicorée; 80; 2028", "chicorée", 80),
    ],
)
def test_parse_packet_trims_its_fields(line, crop, seeds):
    packet = parse_packet(line)
    assert packet.crop == crop
    assert packet.seeds == seeds


def test_read_packet_asks_for_the_year():
    with pytest.raises(seedtray.PacketError, match="found 2"):
        seedtray.read_packet("leek; 120")


def test_label_has_two_digits_of_the_year(radish):
    label = radish.label
    assert label == "radish '29"


def test_adding_keeps_the_older_year(radish):
    newer = Packet("radish", 50, 2031)
    both = newer + radish
    assert (both.seeds, both.year) == (300, 2029)


class TestViable:
    def test_every_winter_takes_a_fifth(self, radish):
        assert radish.viable(2029) == 250
        assert radish.viable(2031) == 160
