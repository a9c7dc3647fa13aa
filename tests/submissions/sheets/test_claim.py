"""What a claim sheet may say."""

from __future__ import annotations

import tomllib

import pytest
from pydantic import ValidationError

from memgauge.submissions.sheets.claim import ClaimSheet, rounding_of
from memgauge.submissions.sheets.writing import sheet_text
from support.claims import claim_sheet, claimed

_SOURCE = {"by": "Ann", "relation": "vendor", "where": "ann/larder#1", "seen": "copy"}


def test_unknown_is_not_stated() -> None:
    """What a source does not say is so called, and not left empty or guessed."""
    setting = claim_sheet().settings["locomo"]
    assert {setting.k, setting.judge, setting.questions, setting.left_out} == {"not stated"}


def test_sheet_survives_being_written() -> None:
    """A sheet that is written as TOML and read again is the same."""
    rows = [{"name": "a", "questions": 10, "share": "70.0"}, {"name": "b", "questions": 5, "right": 3}]
    sheet = claim_sheet(claimed("60.0", rows), claimed(name="alone"))
    assert ClaimSheet.model_validate(tomllib.loads(sheet_text(sheet))) == sheet


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"standing": "verified"}, "standing"),
        ({"source": _SOURCE | {"quote": "word " * 26}}, "26 words"),
        ({"source": _SOURCE | {"relation": "friend"}}, "relation"),
        ({"source": _SOURCE | {"url": "http://example.org"}}, "https"),
        ({"numbers": [claimed(setting="beam").model_dump(mode="json")]}, "beam"),
        ({"numbers": [claimed().model_dump(mode="json")] * 2}, "overall"),
        ({"guess": 1}, "guess"),
    ],
)
def test_what_a_sheet_may_not_say_is_named(changed: dict[str, object], named: str) -> None:
    """Verified numbers, long quotations, unknown words and dangling names are refused."""
    with pytest.raises(ValidationError, match=named):
        claim_sheet(**changed)


@pytest.mark.parametrize(
    "row", [{}, {"right": 1, "share": "10"}, {"right": 11}, {"share": "ten"}, {"share": "1e3"}]
)
def test_row_is_one_count_or_one_share(row: dict[str, object]) -> None:
    """A row has a count or a printed share, within its questions."""
    with pytest.raises(ValidationError):
        claimed("1", [{"name": "a", "questions": 10, **row}])


@pytest.mark.parametrize(
    ("printed", "half"), [("92.5", 0.05), ("95", 0.5), ("0.8", 0.05), ("0.8005844155844156", 0.0)]
)
def test_digits_say_how_a_number_was_rounded(printed: str, half: float) -> None:
    """A number may be off by half a unit of its last digit, and one with all its digits by nothing."""
    assert rounding_of(printed) == pytest.approx(half)
