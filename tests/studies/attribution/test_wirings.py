"""What designs tell apart of the eight wirings, and which one a reader is like."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memgauge.studies.attribution.cells import DESIGNS, AnswerSource
from memgauge.studies.attribution.labels import FollowedSource
from memgauge.studies.attribution.readers import ReaderReply, WiredReader
from memgauge.studies.attribution.run import observe
from memgauge.studies.attribution.wirings import likeness, separation
from memgauge.systems.reference.wired import WIRINGS

if TYPE_CHECKING:
    from memgauge.studies.attribution.question import SlotQuestion
    from studies.attribution.conftest import Saying

PUBLISHED = {
    "accuracy only": 1,
    "leave one out": 2,
    "single swaps": 4,
    "2^3 swaps": 5,
    "12 cells": 7,
    "3^3 agree, swap, absent": 7,
    "15 cells": 8,
}


def test_designs_separate_what_they_are_known_to() -> None:
    """Where the truth is what one would guess, only the fifteen cells tell all eight apart."""
    assert {name: separation(name).separates for name in DESIGNS} == PUBLISHED


def test_it_is_the_joint_cells_that_tell_a_guesser_from_one_that_wants_agreement() -> None:
    """Not even all 27 combinations of agreeing, swapped and absent do."""
    (pair,) = [group for group in separation("3^3 agree, swap, absent").groups if len(group) > 1]
    assert set(pair) == {"guesser", "memory-if-document-agrees"}


@pytest.mark.parametrize("name", DESIGNS)
def test_a_made_up_truth_never_tells_less(name: str) -> None:
    """Who guesses is then wrong."""
    made_up = separation(name, guessable=False)
    assert made_up.separates >= separation(name).separates
    assert sorted(wiring for group in made_up.groups for wiring in group) == sorted(WIRINGS)


@pytest.mark.parametrize("wiring", WIRINGS)
def test_every_wiring_is_like_itself_and_like_no_other(wiring: str, questions: tuple[SlotQuestion, ...]) -> None:
    """In all asks, and others in fewer."""
    found = likeness(observe(WiredReader(wiring), questions))
    assert [name for name, share in found.items() if share.mean == 1.0] == [wiring]
    assert all(share.low is not None and share.low < share.mean for share in found.values() if share.mean)


def test_with_memory_alone_five_wirings_are_one(questions: tuple[SlotQuestion, ...]) -> None:
    """What a reader cannot be given cannot tell it from others."""
    observed = observe(WiredReader("memory-first", carries=frozenset({AnswerSource.MEMORY})), questions)
    alike = [name for name, share in likeness(observed).items() if share.mean == 1.0]
    assert alike == ["memory-only", "memory-first", "document-first", "state-first", "majority"]


def test_what_cannot_be_read_is_like_nothing(saying: type[Saying], questions: tuple[SlotQuestion, ...]) -> None:
    """Failed asks are left out, and nothing is left."""
    observed = observe(saying(lambda ask: ReaderReply("", failed="no")), questions[:2])
    assert {seen.follows for seen in observed.seen.values()} == {FollowedSource.FAILED}
    assert {share.reason for share in likeness(observed).values()} == {"nothing was answered"}
