"""What survives another reading of the protocol."""

from __future__ import annotations

from memgauge.studies.shift.findings.sensitivity import DefinitionResult, definitions, grid, words
from memgauge.studies.shift.protocol.spec import PRESETS, ShiftSpec, Summaries
from support.shift_world import World


def test_every_definition_differs_from_every_other() -> None:
    """The grid holds no reading twice, and the first is the one that it starts from."""
    made = definitions(PRESETS["paper"])
    assert len(set(made.values())) == len(made) == 13
    assert next(iter(made.values())).bursts == (0, 100)


def test_every_definition_can_be_played() -> None:
    """Each gives a value for every policy; an interruption leaves the clean stream alone."""
    readings = definitions(ShiftSpec(summaries=Summaries.EXTRACTIVE), burst=4)
    found = list(grid(World(), readings, ("flat", "hsr", "fusion")))
    assert [reading.name for reading in found] == list(readings)
    assert all(0 <= value <= 1 for reading in found for value in reading.recovery.values())
    assert found[0].overall == found[1].overall


def _reading(name: str, inversion: float, rho: float, **recovered: float) -> DefinitionResult:
    return DefinitionResult(name, recovered, recovered, inversion, rho)


def test_the_words_follow_the_numbers() -> None:
    """They name who leads where, and whether inversion and sign depend on the definition."""
    both = [_reading("a", 0.4, -0.3, flat=0.2, hsr=0.5), _reading("b", 0.6, 0.1, flat=0.3, hsr=0.4)]
    said = words(both)
    assert "hsr recovers best under 2 of 2 definitions." in said
    assert "under every definition (inversion 0.40 to 0.60)" in said
    assert "changes its sign (-0.30 to +0.10)" in said
    split = words([*both, _reading("c", 0.0, 0.9, flat=0.6, hsr=0.5)])
    assert "flat under 'c'" in split
    assert "depends on the definition" in split
    assert "has the same sign everywhere" in words(both[:1])


def test_who_ties_leads_nobody() -> None:
    """The first of a list wins nothing by standing there."""
    told = words([_reading("a", 0.4, -0.3, flat=0.2, hsr=0.5), _reading("b", 0.4, 0.1, flat=0.0, hsr=0.0)])
    assert told.startswith("hsr recovers best under 1 of 2 definitions. Under 'b' flat and hsr tie.")
    assert words([_reading("b", 0.4, 0.1, flat=0.0, hsr=0.0)]).startswith("Under 'b' flat and hsr tie.")
