"""Which verdict a published number gets from its rows, and which words explain a difference."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.submissions.claims.verdicts import ClaimVerdict, from_rows
from support.claims import claimed

_FOUR = (("single", 841), ("multi", 282), ("temporal", 321), ("open", 96))


def _rows(*shares: str) -> list[dict[str, object]]:
    return [{"name": name, "questions": n, "share": s} for (name, n), s in zip(_FOUR, shares, strict=True)]


@pytest.mark.parametrize(
    ("value", "verdict"),
    [("94.74", "agrees"), ("94.7", "agrees"), ("95", "agrees"), ("94.72", "differs"), ("94.6", "differs")],
)
def test_a_total_agrees_within_what_printing_explains(value: str, verdict: str) -> None:
    """The printed total and what its rows give may differ by rounding, and by nothing more."""
    finding = from_rows(claimed(value, _rows("96.43", "93.97", "95.64", "79.17")))
    assert finding.verdict == verdict


def test_difference_is_said_in_points_and_beside_the_interval() -> None:
    """A total that is off by a point is said to be, and that this lies within the sampling error."""
    finding = from_rows(claimed("92.5", _rows("94.6", "95.4", "92.5", "82.3")))
    assert finding.verdict is ClaimVerdict.DIFFERS
    assert "93.5" in finding.reason
    assert "inside the interval" in finding.reason


def test_total_that_weighs_categories_alike_is_named() -> None:
    """The plain mean of the categories, where it is what was printed, is said to be it."""
    finding = from_rows(claimed("75.0", [
        {"name": "a", "questions": 900, "right": 450}, {"name": "b", "questions": 100, "right": 100},
    ]))  # fmt: skip
    assert finding.verdict is ClaimVerdict.DIFFERS
    assert "mean of the 2 categories, each counted alike" in finding.reason


def test_counts_that_stand_beside_the_wrong_names_are_named() -> None:
    """Where the same sizes beside other names give the total, the labels may have been exchanged."""
    rows = [
        {"name": "single-hop", "questions": 841, "share": "74.11"},
        {"name": "multi-hop", "questions": 282, "share": "66.04"},
        {"name": "open-domain", "questions": 96, "share": "67.71"},
        {"name": "temporal", "questions": 321, "share": "79.79"},
    ]
    finding = from_rows(claimed("75.13", rows))
    assert finding.verdict is ClaimVerdict.DIFFERS
    assert finding.reason.startswith("total from 4 categories, 1,540 questions; the rows give 73.42 %;")
    assert "single-hop 282, multi-hop 321, open-domain 96, temporal 841" in finding.reason
    counted: list[dict[str, object]] = [
        rows[0],
        rows[1],
        {"name": "open-domain", "questions": 96, "right": 65},
        rows[3],
    ]
    assert "other names" not in from_rows(claimed("75.13", counted)).reason  # a count belongs to its size


def test_a_difference_needs_sizes_that_are_stated() -> None:
    """Where only the dataset says how large its categories are, other sizes may explain what is left."""
    rows = _rows("94.6", "95.4", "92.5", "82.3")
    finding = from_rows(claimed("92.5", rows, sizes="of the dataset"))
    assert finding.verdict is ClaimVerdict.NOT_COMPARABLE
    assert "does not say how many of 1,540 questions each category holds" in finding.reason
    assert finding.beside is not None
    assert from_rows(claimed("93.6", rows, sizes="of the dataset")).verdict is ClaimVerdict.AGREES


def test_rows_of_other_questions_settle_nothing() -> None:
    """Rows that hold 470 of the 500 questions behind a number neither agree with it nor differ."""
    number = claimed("95.3", [{"name": "all", "questions": 470, "right": 448}], kind="total")
    finding = from_rows(number, 500)
    assert finding.verdict is ClaimVerdict.NOT_COMPARABLE
    assert "its rows hold 470 questions of the 500 that it counts" in finding.reason
    assert from_rows(number, 470).verdict is ClaimVerdict.AGREES


def test_failures_may_be_among_the_stated_questions() -> None:
    """Questions without a verdict may be in the stated denominator, or out of it."""
    number = claimed("90.0", [{"name": "all", "questions": 100, "right": 90, "unscored": 20}], kind="total")
    assert {from_rows(number, n).verdict for n in (100, 120)} == {ClaimVerdict.AGREES}


def test_failures_that_were_counted_as_wrong_are_named() -> None:
    """Where the total comes out with the failed questions in the denominator, that is said."""
    finding = from_rows(claimed("75.0", [{"name": "all", "questions": 100, "right": 90, "unscored": 20}]))
    assert "20 questions without a verdict count as wrong" in finding.reason


def test_number_without_rows_is_not_recomputable() -> None:
    """Nothing is guessed for a number that stands alone."""
    finding = from_rows(claimed())
    assert finding.verdict is ClaimVerdict.NOT_RECOMPUTABLE
    assert finding.beside is None
    assert finding.reason == "no rows are published beside it"


@given(st.integers(1, 5000), st.data())
def test_a_count_agrees_with_its_own_printed_share(n: int, data: st.DataObject) -> None:
    """However it is rounded, a share that was printed from a count agrees with the count."""
    right, digits = data.draw(st.integers(0, n)), data.draw(st.integers(0, 4))
    value = f"{100 * right / n:.{digits}f}"
    rows = [{"name": "all", "questions": n, "right": right}]
    assert from_rows(claimed(value, rows, kind="total")).verdict is ClaimVerdict.AGREES
