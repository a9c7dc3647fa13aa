"""`memgauge shift`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support_cli import Said

SMALL = ("shift", "run", "-d", "synthetic:tiny", "--preset", "clean", "-m", "0", "-m", "5", "--draws", "100")


def test_a_small_world_is_played_and_told(memgauge: Callable[..., Said], tmp_path: Path) -> None:
    """Tables are printed, and everything is written as data."""
    said = memgauge(*SMALL, "--out", tmp_path / "shift.json")
    assert said.code == 0
    assert "Table 1" in said.out
    assert "(0.568)" not in said.out
    data = json.loads((tmp_path / "shift.json").read_text())
    assert data["spec"]["bursts"] == [0, 5]
    assert [row["policy"] for row in data["result"]["rows"]] == ["flat", "gated", "hsr", "raptor", "fusion"]


def test_every_knob_reaches_the_protocol(memgauge: Callable[..., Said]) -> None:
    """Options change the preset; what is not named stays."""
    knobs = ("--place", "session_end", "--distractor-filing", "current", "-T", "3", "--dedupe", "--policy", "flat")
    data = memgauge(*SMALL, *knobs, "--json").data
    spec = data["spec"]
    assert (spec["place"], spec["filing"], spec["horizon"], spec["dedupe"]) == ("session_end", "current", 3, True)
    assert spec["source"] == "other_conversations"
    assert [row["policy"] for row in data["result"]["rows"]] == ["flat"]


def test_presets_are_listed(memgauge: Callable[..., Said]) -> None:
    """Every knob of every preset is shown, in words and as data."""
    assert "fixed_burst" in memgauge("shift", "presets").out
    assert memgauge("shift", "presets", "--json").data["clean"]["horizon"] == 5


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("-T", "0"), "T must be at least 1"),
        (("-m", "-3"), "0 or more"),
        (("--policy", "flatt"), "Did you mean flat"),
        (("--categories", "nothing"), "No question"),
        (("--summaries", "dataset"), "extractive"),
        (("--preset", "papr"), "Did you mean paper"),
    ],
)
def test_mistakes_are_one_sentence(memgauge: Callable[..., Said], arguments: tuple[str, ...], said: str) -> None:
    """What cannot be played exits with 2 and says why."""
    preset = () if "--preset" in arguments else ("--preset", "clean")
    found = memgauge("shift", "run", "-d", "synthetic:tiny", *preset, *arguments)
    assert found.code == 2
    assert said in found.err


def test_every_definition_is_played_and_put_into_words(memgauge: Callable[..., Said]) -> None:
    """The grid is a table with a sentence below it, or data."""
    options = ("shift", "sensitivity", "-d", "synthetic:tiny", "--burst", "3", "--summaries", "extractive")
    said = memgauge(*options)
    assert said.code == 0
    assert "recovers best under" in said.out
    assert len(memgauge(*options, "--json").data["readings"]) == 13
