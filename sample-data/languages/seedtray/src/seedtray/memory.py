"""A decorator for look-ups that do not change within a season."""

from __future__ import annotations

import functools
from typing import Callable


def remembered(function: Callable) -> Callable:
    """Asks the function once per question; ``forget`` makes it ask again."""
    answers: dict[tuple, object] = {}

    @functools.wraps(function)
    def ask(*question):
        if question not in answers:
            answers[question] = function(*question)
        return answers[question]

    ask.forget = answers.clear
    return ask
