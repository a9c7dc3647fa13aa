"""Rows are spelt as the encoder of the library spells them, one by one."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.records import Outcome
from memgauge.runs.record.spelling import encode

LONG = st.builds(
    lambda times, text: text * times, st.integers(1, 120), st.text(st.characters(), min_size=1, max_size=9)
)
TEXTS = LONG | st.sampled_from(['"text":null' * 30, '},{"t":"' * 40, "\ud800" * 300, "é" * 300, "a\\b" * 200])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["t", "text", "a"]), inner),
    max_leaves=6,
)
ROWS = st.lists(
    st.builds(
        lambda table, more: {"t": table, **more},
        st.sampled_from(["memory", "write", Outcome.OK]),
        st.dictionaries(st.sampled_from(["text", "row", "x"]), VALUES),
    )
    | st.dictionaries(st.sampled_from(["text", "t", "x"]), VALUES),
    max_size=8,
)


def plainly(rows: list[dict[str, Any]]) -> bytes:
    """Spell rows one by one."""
    lines = (json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in rows)
    return b"".join(line.encode("utf-8", "replace") + b"\n" for line in lines)


@given(ROWS)
def test_many_rows_are_spelt_as_each_of_them(rows: list[dict[str, Any]]) -> None:
    """Whatever stands in texts, and wherever a name of ours stands again."""
    assert encode(rows) == plainly(rows)


def test_more_rows_than_are_spelt_at_a_time(subtests: pytest.Subtests) -> None:
    """Portions join without a seam."""
    for count in (0, 1, 127, 128, 129, 400):
        with subtests.test(count=count):
            rows = [{"t": "memory", "row": n, "text": "long " * (n % 90)} for n in range(count)]
            assert encode(iter(rows)) == plainly(rows)


@pytest.mark.parametrize("count", [1, 2])
def test_what_is_no_number_is_refused(count: int) -> None:
    """No reader would agree what it means."""
    with pytest.raises(ValueError, match="not JSON compliant"):
        encode([{"t": "question", "ms": float("nan")}] * count)
