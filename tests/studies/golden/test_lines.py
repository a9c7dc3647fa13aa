"""A turn that stands in a longer memory is found as it was said, and nothing else is taken for it."""

from __future__ import annotations

import pytest

from memgauge.records import Turn
from memgauge.studies.golden.lines import stands_as_line

TURN = Turn("t1", "alice", "My city was Rome.", "s1")


@pytest.mark.parametrize(
    ("text", "stands"),
    [
        ("My city was Rome.", True),
        ("alice: My city was Rome.\nbob: I like it here.", True),
        ("user: My city was Rome.\nassistant: Noted.", True),
        ("bob: Hello.\nMy city was Rome.", True),
        ("Wrong: My city was Rome.\nok", False),
        ("bob: My city was Rome.", False),
        ("alice: My city was Rome. It is no more.", False),
        ("My city was Rome", False),
    ],
)
def test_a_line_is_the_turn_bare_or_behind_who_said_it(text: str, stands: bool) -> None:
    """Another prefix, or more words in the line, make it another."""
    assert stands_as_line(TURN, text) is stands
