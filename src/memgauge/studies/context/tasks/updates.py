"""Updates: one slot that is written again and again, and the version that is asked for."""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING

from memgauge.studies.context.sample import AnswerForm, Sample, Type
from memgauge.text.dates import spell_date

if TYPE_CHECKING:
    from memgauge.studies.context.tasks.draw import Draw

_SLOTS = ("locker code", "door code", "order number", "ticket number", "booking number", "badge number")
_VERSIONS = 4
_START = date(2024, 1, 8)


def current(draw: Draw) -> Sample:
    """Say what a slot holds now, after several versions of it."""
    return _update(draw, "update")


def as_of(draw: Draw) -> Sample:
    """Say what a slot held on a day in the past."""
    return _update(draw, "update-as-of")


def _update(draw: Draw, task: str) -> Sample:
    dice = draw.dice
    slot, *other_slots = dice.sample(_SLOTS, 3)
    days = [_START + timedelta(days=dice.between(0, 20))]
    for _ in range(_VERSIONS):
        days.append(days[-1] + timedelta(days=dice.between(10, 60)))
    values = [draw.code() for _ in range(_VERSIONS)]
    version = _VERSIONS - 1 if task == "update" else dice.below(_VERSIONS - 1)
    between = days[version] + timedelta(days=dice.between(1, (days[version + 1] - days[version]).days - 1))
    versions = [_now(day, slot, value) for day, value in zip(days, values, strict=False)]
    other_codes = [draw.code() for _ in other_slots]
    aside = [_now(dice.pick(days), name, code) for name, code in zip(other_slots, other_codes, strict=True)]
    value_asked = values[version]
    return Sample(
        task,
        Type.UPDATE,
        draw.key,
        f"What is my {slot} now?" if task == "update" else f"What was my {slot} on {spell_date(between)}?",
        (value_asked,),
        AnswerForm.CODE,
        (*draw.pieces(versions), *draw.pieces(aside, evidence=False)),
        "dialogue",
        (*(value for value in values if value != value_asked), *other_codes),
    )


def _now(day: date, slot: str, value: str) -> str:
    return f"User: Today is {spell_date(day)}, and my {slot} is now {value}."
