"""What happened on one day, said by its distance from the day of telling."""

from __future__ import annotations

from datetime import timedelta
from itertools import pairwise
from typing import TYPE_CHECKING

from memgauge.datasets.synthetic.asked import QuestionDraft, QuestionKind
from memgauge.datasets.synthetic.words import HAPPENINGS
from memgauge.text.dates import spell_date

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date

    from memgauge.datasets.synthetic.dice import Dice
    from memgauge.datasets.synthetic.life import UserLife

_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_WEEKS = (
    *("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"),
)
_AGO = (
    ("yesterday", 1),
    ("the day before yesterday", 2),
    ("three days ago", 3),
    ("a week ago", 7),
    ("two weeks ago", 14),
)


def happenings(life: UserLife) -> Iterator[QuestionDraft]:
    """Tell what happened; ask when, in which order, and how far apart."""
    dice = life.dice("happenings")
    dated: list[tuple[date, str, str]] = []
    for theme in dice.sample(HAPPENINGS, life.size.happenings):
        session = dice.pick(life.desk.roomy())
        when, day = _when(life.desk.dates[session].date(), dice)
        turn = life.say("assert", life.clause(theme, d=when), session)
        dated.append((day, theme.name, turn))
        answers = (spell_date(day), day.isoformat())
        life.hold(theme.name, day.isoformat(), (turn,), functional=False, start=life.desk.dates[session])
        yield QuestionDraft(QuestionKind.DATE, dice.pick(theme.lines["asks"]), (turn,), answers)
    apart = [(a, b) for a, b in pairwise(sorted(dated)) if a[0] != b[0]]
    for number, (first, second) in enumerate(apart[:3]):
        names, turns = dice.sample([first[1], second[1]], 2), (first[2], second[2])
        if number == 1:
            days = (second[0] - first[0]).days
            text = f"How many days lay between {names[0]} and {names[1]}?"
            yield QuestionDraft(QuestionKind.DURATION, text, turns, (f"{days} days", str(days)), raw=days)
        else:
            text = f"Which came first for me: {names[0]} or {names[1]}?"
            yield QuestionDraft(QuestionKind.ORDER, text, turns, (first[1],))


def _when(today: date, dice: Dice) -> tuple[str, date]:
    """Draw a day before *today* and its name on that day."""
    if dice.chance(25):
        back = dice.between(1, 6)
        day = today - timedelta(days=back)
        return f"last {_WEEKDAYS[day.weekday()]}", day
    if dice.chance(50):
        weeks = dice.between(3, 20)
        return f"{_WEEKS[weeks]} weeks ago", today - timedelta(weeks=weeks)
    words, days = dice.pick(_AGO)
    return words, today - timedelta(days=days)
