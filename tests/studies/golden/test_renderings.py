"""Renderings: a memory that is right may write its facts in any ordinary way, and no scenario blames it for it."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING

import pytest

from memgauge.records import Verdict
from memgauge.studies.golden.matrix import trusting
from memgauge.studies.golden.runner import run_scenario
from memgauge.systems.reference.ideal import Ideal
from memgauge.text.values import days
from support.golden import shipped_scenarios

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memgauge.records import Memory
    from memgauge.studies.golden.scenario import Scenario
    from memgauge.systems.reference.ideal import IdealEntry

    Rendering = Callable[[str, str, list[str]], str]

SAMPLE = 80
"""Every which scenario is played by the quick test, each style from another on; the slow one plays them all."""
LONG = {"lives", "retold", "tails", "volume"}
"""Families whose scenarios go on for seconds: only the slow test plays them."""


def _dated(value: str, style: str) -> str:
    for mention in reversed(days(value)):
        day = mention.readings[0]
        if day.year and day.month and day.day:
            value = date(day.year, day.month, day.day).strftime(style)
    return value


def _grouped(value: str, mark: str) -> str:
    return re.sub(r"^(\d{3})(\d{3})$", rf"\1{mark}\2", value)


def _code(value: str, mark: str) -> str:
    return re.sub(r"^([A-Z]{2})-(\d{6})$", rf"\1{mark}\2", value)


RENDERINGS: dict[str, Rendering] = {
    "json": lambda slot, value, _: json.dumps({"attribute": slot.replace(" ", "_"), "value": value}),
    "camel case": lambda slot, value, _: f"{slot.title().replace(' ', '')}={value}",
    "third person": lambda slot, value, _: f"The user said that the {slot} is {value}.",
    "triple": lambda slot, value, _: f"(user)-[{slot.replace(' ', '_').upper()}]->({value})",
    "table": lambda slot, value, _: f"| {slot} | {value} |",
    "iso days": lambda slot, value, _: f"{slot}: {_dated(value, '%Y-%m-%dT00:00:00')}",
    "spelled days": lambda slot, value, _: f"{slot}: {_dated(value, '%A, %B %d, %Y')}",
    "digits and codes": lambda slot, value, _: f"{slot}: {_code(_grouped(value, ','), ' ')}",
    "more digits": lambda slot, value, _: f"{slot}: {_code(_grouped(value, ' '), chr(0x2013))}",
    "genitive": lambda slot, value, _: f"{slot}: {value}'s",
    "emphasis": lambda slot, value, _: f"**{slot}**: \u201c{value.upper()}\u201d",
    "until": lambda slot, value, past: f"{slot}: {value}" + "".join(f" (until May it was {old})" for old in past),
    "formerly": lambda slot, value, past: (
        "".join(f"Formerly the {slot} was {o}. " for o in past) + f"{slot}: {value}"
    ),
    "arrows": lambda slot, value, past: f"{slot}: {' -> '.join([*past, value])}",
}


class Rendered(Ideal):
    """Says what it knows in other words."""

    rendering: Rendering

    def _memory(self, entry: IdealEntry) -> Memory:
        memory = super()._memory(entry)
        if entry.text != f"{entry.slot}: {entry.value}":
            return memory
        return replace(memory, text=type(self).rendering(entry.slot, entry.value, self._past(entry)))

    def _past(self, entry: IdealEntry) -> list[str]:
        """Return the values that *entry* took the place of, the latest few: nobody tells of two hundred.

        What an update put in as a whole sentence, which may tell of the past itself, is not told again.
        """
        return [
            old.value
            for old in self._entries
            if (old.scope, old.slot) == (entry.scope, entry.slot) and old.functional and entry.functional
            if old.valid_to and old.valid_from and entry.valid_from and old.valid_from < entry.valid_from
            if old.trusted and old.value != entry.value and old.slot not in old.value
        ][-5:]


def _blamed(how: str, scenarios: Sequence[Scenario]) -> list[str]:
    memory = type("Rendered", (Rendered,), {"rendering": staticmethod(RENDERINGS[how])})
    results = [run_scenario(scenario, memory, trusting()) for scenario in scenarios]
    return [f"{r.scenario}: {r.detail}" for r in results if r.verdict != Verdict.PASS]


@pytest.mark.parametrize("how", RENDERINGS)
def test_a_right_memory_is_not_blamed_for_its_style(how: str) -> None:
    """Days, digits, grammar and what it says of the past are its own affair."""
    short = [scenario for scenario in shipped_scenarios() if scenario.family not in LONG]
    assert _blamed(how, short[list(RENDERINGS).index(how) :: SAMPLE]) == []


@pytest.mark.slow
@pytest.mark.parametrize("how", RENDERINGS)
def test_no_scenario_blames_a_right_memory_for_its_style(how: str) -> None:
    """The same in every scenario."""
    assert _blamed(how, shipped_scenarios()) == []
