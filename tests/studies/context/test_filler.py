"""Fillers: endless, the same for the same key, and silent about what is asked."""

from __future__ import annotations

from collections import Counter as Bag
from itertools import islice

import pytest

from memgauge.studies.context.filler import FILLERS
from memgauge.studies.context.sample import place
from memgauge.studies.context.tasks import NAMES, samples

COMPUTED = {"count", "sum"}


@pytest.mark.parametrize("name", ["noise", "dialogue", "words"])
def test_a_key_gives_the_same_lines(name: str) -> None:
    """Lines depend on the key and on nothing else."""
    lines = [list(islice(FILLERS[name](key, None), 500)) for key in ("a", "a", "b")]
    assert lines[0] == lines[1] != lines[2]


def test_no_made_up_word_is_said_often() -> None:
    """A word of the filler of words stays far below what the question about frequent words counts."""
    said = Bag(islice(FILLERS["words"]("key", None), 20_000))
    assert max(said.values()) <= 3


def test_a_filler_of_its_own_kind_needs_one() -> None:
    """A sample that asks for lines of its own kind has to bring them."""
    with pytest.raises(ValueError, match="has no line of its own kind"):
        FILLERS["own"]("key", None)


@pytest.mark.parametrize("task", [name for name in NAMES if name not in COMPUTED])
def test_a_filler_never_says_what_is_right(task: str) -> None:
    """Right and wrong values stand in the pieces only."""
    for one in samples(task, 20):
        lines = place(one, 3_000).text.split(one.join)
        told = Bag(piece.text for piece in one.pieces)
        around = one.join.join((Bag(lines) - told).elements()).lower()
        assert [value for value in one.candidates if value.lower() in around] == []
