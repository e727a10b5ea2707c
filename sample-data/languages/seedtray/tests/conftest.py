import pytest

from seedtray import Packet, Tray, sowing_day


@pytest.fixture
def radish():
    return Packet("radish", 250, 2029)


@pytest.fixture
def tray(radish):
    """Two rows of three cells, the first of them taken."""
    tray = Tray(rows=2, columns=3)
    tray.sow(radish)
    yield tray
    tray.clear()


@pytest.fixture(autouse=True)
def a_new_season():
    sowing_day.forget()
