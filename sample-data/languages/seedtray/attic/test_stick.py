"""From the days of Python 2, when sticks were printed; no configuration names this folder."""

import sys

from seedtray.packet import PacketError, parse_packet


def test_parse_packet_for_a_stick():
    packet = parse_packet("beet; 60; 2011")
    assert packet.label == "beet '11"


def test_print_label_of_a_stick():
    try:
        packet = parse_packet("beet; 60; 2011")
    except PacketError, error:
        print >> sys.stderr, error
    print packet.label
    assert packet.year == 03733
