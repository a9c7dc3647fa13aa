"""What a call says is read as spans of the same call are read."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.exchange.otlp.drafts import content_of
from memgauge.watch import calls
from memgauge.watch.calls import content, count, number

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(value=JSON)
def test_a_record_says_the_same_watched_or_traced(value: Any) -> None:
    """Both recorders hash one text of a value, so that their records meet."""
    assert content(value) == content_of(value)


@given(value=JSON)
def test_a_python_without_the_fast_encoder_writes_the_same(value: Any) -> None:
    """What is made once is what the library makes each time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delattr("json.encoder.c_make_encoder")
        slow = calls._canonical_encoder()
    assert slow(value) == calls._canonical(value)


@pytest.mark.parametrize("value", [object(), {"a": {1, 2}}, {1: 2, "a": 3}])
def test_what_is_no_json_says_nothing(value: Any) -> None:
    """A value that has no text of its own has no hash either."""
    assert content(value) is None


def test_a_value_within_itself_says_nothing() -> None:
    """It ends nowhere."""
    value: list[Any] = []
    value.append(value)
    assert content(value) is None


def test_scores_are_finite_numbers_of_any_library() -> None:
    """What is none is unknown."""

    class Scalar:
        def __float__(self) -> float:
            return 0.25

    assert [number(each) for each in (0.5, 1, Scalar(), None, True, "0.5", math.nan, math.inf)] == [
        0.5, 1.0, 0.25, None, None, None, None, None,
    ]  # fmt: skip


def test_counts_are_whole_and_fit_the_table() -> None:
    """What is none is unknown."""
    assert [count(each) for each in (0, 7, True, -1, 1.0, "3", None, 1 << 63)] == [0, 7, *[None] * 6]
