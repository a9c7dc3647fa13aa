"""Numbers as they are read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.show.numbers import bound, milliseconds


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


@pytest.mark.parametrize(
    ("share", "words"), [(3 / 427_836, "0.00071 %"), (3 / 18_594, "0.017 %"), (0.5, "50 %"), (1.0, "100 %")]
)
def test_a_bound_is_rounded_up_and_never_nothing(share: float, words: str) -> None:
    """However small, it has two digits that say how small."""
    assert bound(share) == words
