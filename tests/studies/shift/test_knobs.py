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
        explained = knobs(spec)
        assert [knob.name for knob in explained] == [f.name for f in fields(spec)]
        assert all(knob.setting and knob.meaning.endswith(".") for knob in explained), explained


def test_every_choice_has_a_sentence_of_its_own() -> None:
    """Turning a knob changes its setting and its sentence."""
    plain = ShiftSpec()
    for f in fields(plain):
        kind = type(getattr(plain, f.name))
        if issubclass(kind, StrEnum):
            changed: list[dict[str, Any]] = [{f.name: choice} for choice in kind]
            explained = [k for change in changed for k in knobs(replace(plain, **change)) if k.name == f.name]
            assert [k.setting for k in explained] == [str(c) for c in kind]
            assert all(k.meaning for k in explained), explained
            assert len({k.meaning for k in explained}) == len(list(kind))


def test_numbers_and_lists_are_written_out() -> None:
    """Limits, categories and switches are explained as they were set."""
    spec = ShiftSpec(bursts=(0, 30), interrupted=1, budget=50, categories=("temporal", "multi-hop"), dedupe=True)
    explained = {knob.name: knob for knob in knobs(spec)}
    assert explained["bursts"].setting == "0, 30"
    assert "0 and 30 turns" in explained["bursts"].meaning
    assert explained["interrupted"].meaning.endswith("first 1 question of a session.")
    assert "newest 50 items" in explained["budget"].meaning
    assert "temporal and multi-hop" in explained["categories"].meaning
    assert explained["dedupe"].setting == "yes"
    assert {k.name: k.setting for k in knobs(ShiftSpec())}["budget"] == "all"
