"""Numbers as they are read."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memgauge.show.numbers import milliseconds


@given(st.floats(0, 1e7, exclude_min=True))
def test_what_takes_time_is_never_written_as_nothing(value: float) -> None:
    """However short it is; and what stands there is within half of its last digit."""
    text = milliseconds(value)
    if text.startswith("<"):
        assert value < float(text[1:])
    else:
        read = float(text.replace(",", ""))
        assert read > 0
        assert abs(read - value) <= max(0.005, 0.005 * value) * (1 + 1e-9)


def test_nothing_takes_no_time() -> None:
    """A clock that did not move, and one that is missing, are two things."""
    assert (milliseconds(0.0), milliseconds(None)) == ("0.00", "n/a")
