import pytest

from seedtray import almanac
from seedtray.almanac import last_frost, sowing_day
from seedtray.memory import remembered


@pytest.mark.parametrize("crop, day", [("leek", 50), ("pumpkin", 92), ("radish", 120)])
def test_sowing_day_in_the_valley(crop, day):
    assert sowing_day(crop, "valley") == day


def test_strangers_wait_for_the_hill():
    day = last_frost("moor")
    assert day == 138


def test_last_frost_as_the_command_line_finds_it():
    look_up = getattr(almanac, "last_frost")
    assert look_up("coast") == 95


def test_remembered_asks_once():
    asked = []

    def answer(question):
        asked.append(question)
        return len(asked)

    ask = remembered(answer)
    assert [ask("rain?"), ask("rain?"), ask("sun?")] == [1, 1, 2]
    assert asked == ["rain?", "sun?"]


@pytest.mark.skip(reason="nobody agrees on the first day of a moon")
def test_moon_phase_on_the_first_of_may():
    assert almanac.moon_phase(121) == "new"
