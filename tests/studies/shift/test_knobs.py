"""Every knob in plain words."""

from __future__ import annotations

from dataclasses import fields, replace
from enum import StrEnum
from typing import Any

from memgauge.studies.shift.knobs import knobs
from memgauge.studies.shift.protocol.spec import PRESETS, ShiftSpec


def test_every_knob_of_every_preset_has_a_sentence() -> None:
    """No knob is left out, and each says what its setting means."""
    for spec in PRESETS.values():
        told = knobs(spec)
        assert [knob.name for knob in told] == [f.name for f in fields(spec)]
        assert all(knob.setting and knob.meaning.endswith(".") for knob in told), told


def test_every_choice_has_a_sentence_of_its_own() -> None:
    """Turning a knob changes its setting and its sentence."""
    plain = ShiftSpec()
    for f in fields(plain):
        kind = type(getattr(plain, f.name))
        if issubclass(kind, StrEnum):
            changed: list[dict[str, Any]] = [{f.name: choice} for choice in kind]
            told = [k for change in changed for k in knobs(replace(plain, **change)) if k.name == f.name]
            assert [k.setting for k in told] == [str(c) for c in kind]
            assert all(k.meaning for k in told), told
            assert len({k.meaning for k in told}) == len(list(kind))


def test_numbers_and_lists_are_written_out() -> None:
    """Limits, categories and switches are told as they were set."""
    spec = ShiftSpec(bursts=(0, 30), interrupted=1, budget=50, categories=("temporal", "multi-hop"), dedupe=True)
    told = {knob.name: knob for knob in knobs(spec)}
    assert told["bursts"].setting == "0, 30"
    assert "0 and 30 turns" in told["bursts"].meaning
    assert told["interrupted"].meaning.endswith("first 1 question of a session.")
    assert "newest 50 items" in told["budget"].meaning
    assert "temporal and multi-hop" in told["categories"].meaning
    assert told["dedupe"].setting == "yes"
    assert {k.name: k.setting for k in knobs(ShiftSpec())}["budget"] == "all"
