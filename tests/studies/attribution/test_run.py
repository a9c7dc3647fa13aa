"""Asking: equal asks once, in an order that tells nothing, and the most frequent answer counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memgauge.studies.attribution.cells import ABSENT, AGREE, ALL, ALONE, FIFTEEN, SWAPS, WITHOUT, AnswerSource
from memgauge.studies.attribution.labels import FollowedSource
from memgauge.studies.attribution.readers import ReaderReply, WiredReader
from memgauge.studies.attribution.run import ASKED, observe, plan

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memgauge.studies.attribution.question import Shown, SlotQuestion
    from studies.attribution.conftest import Saying

MEMORY = frozenset({AnswerSource.MEMORY})


def test_every_cell_is_asked_once_a_question(questions: tuple[SlotQuestion, ...]) -> None:
    """Fifteen cells, and three that take one source away."""
    planned = plan(WiredReader("majority"), questions)
    assert len(planned.asks) == 18 * len(questions)
    assert (len(FIFTEEN), len(ASKED)) == (15, 18)


def test_cells_that_come_to_the_same_are_asked_once(questions: tuple[SlotQuestion, ...]) -> None:
    """With memory alone, a swap is what memory alone holds; and nothing is nothing."""
    planned = plan(WiredReader("majority", carries=MEMORY), questions)
    assert len(planned.asks) == 3 * len(questions)
    places = planned.places
    assert places[questions[0].id, SWAPS[0].name] == places[questions[0].id, ALONE[0].name]
    assert places[questions[0].id, WITHOUT[0].name] == places[questions[0].id, ABSENT.name]


def test_the_order_of_asks_follows_from_the_seed_and_not_from_the_cells(
    questions: tuple[SlotQuestion, ...],
) -> None:
    """The same seed gives the same order, another gives another, and cells do not come in rows."""
    one, same, other = (plan(WiredReader("guesser"), questions, seed=seed).asks for seed in (0, 0, 1))
    assert one == same
    assert one != other
    assert sorted(map(repr, one)) == sorted(map(repr, other))
    assert len({ask.question.id for ask in one[: len(questions)]}) > 1


def test_order_changes_nothing_of_what_is_observed(questions: tuple[SlotQuestion, ...]) -> None:
    """Every answer comes back to its question and cell."""
    one, other = (observe(WiredReader("state-first"), questions, ALL, seed=seed) for seed in (0, 1))
    assert one.seen == other.seen


def _repeats(said: Sequence[str]) -> Callable[[Shown], ReaderReply]:
    return lambda ask: (
        ReaderReply(said[ask.sample]) if said[ask.sample] != "!" else ReaderReply("", failed="broken")
    )


@pytest.mark.parametrize(
    ("said", "who", "agreed"),
    [
        (("New York", "New York", "I don't know"), FollowedSource.GUESS, False),
        (("New York", "New York", "New York"), FollowedSource.GUESS, True),
        (("New York", "I don't know", "Berlin"), FollowedSource.UNDECIDED, False),
        (("!", "I don't know", "!"), FollowedSource.ABSTAINED, True),
        (("!", "!", "!"), FollowedSource.FAILED, True),
    ],
)
def test_of_repeats_the_most_frequent_answer_counts(
    saying: type[Saying],
    questions: tuple[SlotQuestion, ...],
    said: tuple[str, ...],
    who: FollowedSource,
    agreed: bool,
) -> None:
    """A tie decides nothing; what fails counts only where nothing else came."""
    reader = saying(_repeats(said))
    observed = observe(reader, questions[:1], (ABSENT,), repeats=3)
    seen = observed.seen[questions[0].id, "absent"]
    assert (seen.follows, seen.agreed) == (who, agreed)
    assert {ask.sample for ask in reader.asked} == {0, 1, 2}
    assert (seen.text == "broken") is (who is FollowedSource.FAILED)


def test_progress_is_told_ask_by_ask(questions: tuple[SlotQuestion, ...]) -> None:
    """Done and in all."""
    told: list[tuple[int, int]] = []
    observe(WiredReader("guesser"), questions[:2], (AGREE,), on_progress=lambda *pair: told.append(pair))
    assert told == [(1, 2), (2, 2)]


def test_what_was_not_asked_is_none(questions: tuple[SlotQuestion, ...]) -> None:
    """A cell that a reader cannot be put into has no column."""
    observed = observe(WiredReader("guesser", carries=MEMORY), questions)
    assert observed.of(questions[0], SWAPS[1]) is None
    assert observed.column(SWAPS[1]) == []
    assert len(observed.column(AGREE)) == len(questions)
