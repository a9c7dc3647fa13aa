"""Shares and their intervals."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memgauge.stats.proportion import wilson
from memgauge.studies.attribution.share import clustered, rate, undefined


def test_what_cannot_be_counted_is_left_out_and_named() -> None:
    """It is in no denominator."""
    found = rate([True, None, False, True])
    assert (found.hits, found.share.n, found.failed) == (2, 3, 1)
    assert found.share == wilson(2, 3)


def test_nothing_is_undefined_with_the_reason() -> None:
    """Never 0."""
    assert clustered([], "why", 3) == undefined("why", 3)
    assert undefined("why").share.mean is None


@given(st.integers(1, 30), st.integers(1, 6), st.integers(0, 6))
def test_questions_that_are_all_alike_are_no_certainty(questions: int, rows: int, hits: int) -> None:
    """Resamples of equal questions would have no width; the interval is over questions and holds the share."""
    made = [(place < hits, f"q{number}") for number in range(questions) for place in range(rows)]
    share = clustered(made, "").share
    assert share.low is not None
    assert share.high is not None
    assert share.mean is not None
    assert share.low - 1e-12 <= share.mean <= share.high + 1e-12
    assert share.low < share.high
    assert share.n == questions * rows


def test_rows_of_one_question_are_no_independent_witnesses() -> None:
    """Ten rows of each of four questions are worth four."""
    rows = [(question % 2 == 0, f"q{question}") for question in range(4) for _ in range(10)]
    wide, narrow = clustered(rows, "").share, wilson(20, 40)
    assert wide.low is not None
    assert narrow.low is not None
    assert wide.low < narrow.low
