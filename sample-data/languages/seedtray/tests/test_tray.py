from seedtray import Packet, Tray


class TestTray:
    def test_sow_takes_the_first_free_cells(self, tray, radish):
        cells = tray.sow(radish, 3)
        assert cells == [(0, 1), (0, 2), (1, 0)]
        assert len(tray) == 4

    def test_sow_each_crop_until_the_tray_is_full(self, tray):
        for crop, count, room in [("leek", 2, 3), ("cress", 9, 0)]:
            tray.sow(Packet(crop, 100, 2030), count)
            assert len(tray.free()) == room

    def test_getitem_of_an_empty_cell(self, tray):
        assert tray[0, 0] == "radish"
        assert tray[1, 2] is None

    def test_turned_there_and_back(self, tray: Tray):
        turned = tray.turned()
        back = turned.turned()
        assert turned[1, 2] == "radish"
        assert back == tray
