"""Verdicts of foreign judges."""

from __future__ import annotations

from pathlib import Path

import pytest

from memgauge.errors import MalformedDataError
from memgauge.exchange.trace import FileLocation
from memgauge.exchange.verdicts import agreed, verdict_of

PLACE = FileLocation(Path("t.json"), 3, "label")
WORDS = {"yes": True, "no": False, "1": True, "0": False, "true": True, "false": False}


@pytest.mark.parametrize(
    ("value", "verdict"),
    [
        ("No", False),
        (" yes ", True),
        (0, False),
        (1.0, True),
        ("1", True),
        (False, False),
        (None, None),
        ("", None),
    ],
)
def test_a_verdict_is_a_word_of_its_format(value: object, verdict: bool | None) -> None:
    """Whatever its case; a text that says no is no, and nothing is no verdict."""
    assert verdict_of(value, WORDS, PLACE) is verdict


@pytest.mark.parametrize("value", [2, 0.5, "maybe", "noo", ["yes"], {"label": "no"}])
def test_what_is_no_word_of_its_format_is_refused(value: object) -> None:
    """Nothing is right because it is something."""
    with pytest.raises(MalformedDataError, match=r"t\.json:3: label: .* is no verdict of this format"):
        verdict_of(value, WORDS, PLACE)


def test_fields_that_contradict_each_other_are_refused() -> None:
    """Whoever is silent contradicts nobody."""
    assert agreed({"a": None, "b": False, "c": False}, PLACE) is False
    assert agreed({"a": None}, PLACE) is None
    with pytest.raises(MalformedDataError, match=r"label\.c: it contradicts b"):
        agreed({"a": None, "b": True, "c": False}, PLACE)
