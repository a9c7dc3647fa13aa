"""A prompt is a sample at a place: the content never changes, only what surrounds it."""

from __future__ import annotations

from collections import Counter as Bag

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.errors import ConfigError
from memgauge.studies.context.sample import WINDOW, place
from memgauge.studies.context.tasks import NAMES, sample
from memgauge.text.counting import DEFAULT, open_counter

numbers = st.integers(0, 5_000)
lengths = st.integers(600, 6_000)
depths = st.one_of(st.none(), st.floats(0, 1))


@given(st.sampled_from(NAMES), numbers, lengths, depths, lengths, depths)
def test_the_content_is_the_same_at_every_depth_and_length(
    task: str, number: int, length: int, depth: float | None, other: int, elsewhere: float | None
) -> None:
    """Pieces are the same, and of the rest, the shorter text has what the longer one begins with."""
    one = sample(task, number)
    first, second = sorted((place(one, length, depth), place(one, other, elsewhere)), key=lambda p: p.length)
    assert first.sample == second.sample == sample(task, number)
    bags = [Bag(placed.text.split(one.join)) for placed in (first, second)]
    pieces = Bag(line for piece in one.pieces for line in piece.text.split(one.join))
    assert all(bag >= pieces for bag in bags)
    assert bags[0] <= bags[1]


@given(st.sampled_from(NAMES), numbers, lengths, depths, st.sampled_from(["chars/4", "words"]))
def test_a_length_is_never_exceeded_and_nearly_reached(
    task: str, number: int, length: int, depth: float | None, counter: str
) -> None:
    """At most the tokens that were asked for, and at most one line fewer, by the counter that is named."""
    count = open_counter(counter)
    placed = place(sample(task, number), length, depth, count)
    assert placed.tokens == count.count(placed.text) <= length
    assert placed.tokens >= length - 30


@given(st.sampled_from(NAMES), numbers, lengths, st.floats(0, 1))
def test_evidence_stands_where_it_is_put(task: str, number: int, length: int, depth: float) -> None:
    """One piece stands at the depth, several within a tenth around it, but for one line and for other pieces."""
    one = sample(task, number)
    placed = place(one, length, depth)
    taken = sum(len(piece.text) + 1 for piece in one.pieces) / len(placed.text)
    low, high = (depth, depth) if len(one.evidence) == 1 else (depth * (1 - WINDOW), depth * (1 - WINDOW) + WINDOW)
    line = 120 / len(placed.text)
    assert all(low - taken - line <= offset <= high + taken + line for offset in placed.offsets)
    assert list(placed.offsets) == sorted(placed.offsets)


@given(st.sampled_from(NAMES), numbers, depths)
def test_evidence_keeps_its_order(task: str, number: int, depth: float | None) -> None:
    """Pieces that have to be read one after the other are, wherever they stand."""
    placed = place(sample(task, number), 2_000, depth)
    reached = 0
    for piece in placed.sample.evidence:
        at = placed.text.find(piece.text, reached)
        assert at >= reached
        reached = at + len(piece.text)


def test_pieces_that_do_not_fit_are_refused() -> None:
    """A length below that of the pieces alone is a mistake of whoever asks."""
    with pytest.raises(ConfigError, match=r"pieces of a sample of kv take \d+ tokens, so 50 are too few"):
        place(sample("kv", 0), 50)


def test_the_shortest_prompt_is_the_pieces() -> None:
    """Where no line of filler fits, the text is the pieces in their order."""
    one = sample("needle-noise", 0)
    least = DEFAULT.count("".join(piece.text + one.join for piece in one.pieces))
    placed = place(one, least, 0.5)
    assert sorted(placed.text.split("\n")) == sorted(piece.text for piece in one.pieces)


def test_a_question_without_content_words_overlaps_with_nothing() -> None:
    """The overlap is a share of content words, and 0 where there is none."""
    from dataclasses import replace

    one = sample("needle-noise", 0)
    assert one.overlap == 1.0
    assert replace(one, question="What is it?").overlap == 0.0
