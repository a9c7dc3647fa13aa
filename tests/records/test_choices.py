"""Options of a question."""

from __future__ import annotations

import pytest

from memgauge.records import Choices


def test_one_option_is_no_choice_and_the_right_one_is_among_them() -> None:
    """What cannot be chosen from is refused where it is made."""
    assert Choices("q", "Which?", ("a", "b"), 1).options[1] == "b"
    for options, right in ((("a",), 0), (("a", "b"), 2), (("a", "b"), -1), (("a",) * 27, 0)):
        with pytest.raises(ValueError, match=f"q: {len(options)} options, of which number {right}"):
            Choices("q", "Which?", options, right)
