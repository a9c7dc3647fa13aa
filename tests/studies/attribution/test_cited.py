"""Citations and logs, held against what happens when a source is changed or taken away."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from memgauge.studies.attribution.cells import ALL, AnswerSource
from memgauge.studies.attribution.cited import NO_CITATION, NO_LOG, NONE_CITED, citations, log_check, twins
from memgauge.studies.attribution.readers import ReaderReply, WiredReader
from memgauge.studies.attribution.run import observe

if TYPE_CHECKING:
    from collections.abc import Callable

    from memgauge.studies.attribution.question import Shown, SlotQuestion
    from memgauge.studies.attribution.share import CountedShare
    from studies.attribution.conftest import Saying

EVERY = frozenset(AnswerSource)


def share(one: CountedShare) -> float | None:
    """Return the share alone."""
    return one.share.mean


@pytest.mark.parametrize(
    ("wiring", "cites", "faithful", "recalled", "correct"),
    [
        ("memory-first", "used", 1.0, 1.0, 1.0),
        ("document-first", "used", 1.0, 1.0, 1.0),
        ("document-first", "memory", 0.0, 0.0, None),
        ("guesser", "memory", 0.0, None, None),
        ("memory-first", "all", 1 / 3, 1.0, None),
        ("majority", "used", 0.0, None, 1.0),
    ],
)
def test_a_citation_is_worth_what_its_removal_does(
    questions: tuple[SlotQuestion, ...],
    wiring: str,
    cites: str,
    faithful: float,
    recalled: float | None,
    correct: float | None,
) -> None:
    """Invented ones move nothing, all of them are too many, and one of three that agree is not needed."""
    made_up = [question for question in questions if not question.guessable]
    found = citations(observe(WiredReader(wiring, cites), made_up))
    assert share(found.faithfulness) == pytest.approx(faithful)
    assert share(found.recall) == recalled
    if correct is not None:
        assert share(found.correctness) == correct
    assert found.phantoms == 0


def test_citing_nothing_and_not_citing_are_told_apart(questions: tuple[SlotQuestion, ...]) -> None:
    """Both are undefined, for different reasons."""
    silent = citations(observe(WiredReader("guesser"), questions))
    assert silent.faithfulness.share.reason == NONE_CITED
    assert silent.recall.share.reason == "no answer depends on a single source"


def test_a_reader_without_citations(saying: type[Saying], questions: tuple[SlotQuestion, ...]) -> None:
    """Nothing is judged."""
    found = citations(observe(saying(lambda ask: ReaderReply(ask.document)), questions))
    assert {found.faithfulness.share.reason, found.recall.share.reason, found.correctness.share.reason} == {
        NO_CITATION
    }


def test_what_was_never_given_is_a_phantom_and_never_faithful(
    saying: type[Saying], questions: tuple[SlotQuestion, ...]
) -> None:
    """It counts in every cell; other memories are of unknown worth, because nobody took them away."""
    reader = saying(lambda ask: ReaderReply(ask.state or "I don't know", frozenset({"?", "other 1"})))
    found = citations(observe(reader, questions))
    assert (share(found.faithfulness), found.faithfulness.share.n) == (0.0, len(questions))
    assert found.faithfulness.failed == len(questions)
    assert share(found.recall) == 0
    assert found.phantoms == 18 * len(questions)
    assert share(found.correctness) == 0


def test_pairs_differ_in_one_source_and_in_nothing_else() -> None:
    """Every pair of cells that can show an effect of memory."""
    pairs = twins(ALL, AnswerSource.MEMORY)
    assert ("agree", "swap-memory") in {(one.name, other.name) for one, other in pairs}
    assert all(one.held[1:] == other.held[1:] and one.held[0] != other.held[0] for one, other in pairs)
    assert ("only-state", "absent") in {(one.name, other.name) for one, other in twins(ALL, AnswerSource.STATE)}


def _logging(wiring: str, logged: frozenset[str] | None) -> Callable[[Shown], ReaderReply]:
    def answer(ask: Shown) -> ReaderReply:
        (told,) = WiredReader(wiring).read([ask])
        return replace(told, logged=logged)

    return answer


@pytest.mark.parametrize(
    ("wiring", "unlogged"),
    [
        ("memory-first", 12),
        ("state-first", 12),
        ("majority", 12),
        ("memory-if-document-agrees", 6),
        ("guesser", 0),
    ],
)
def test_influence_without_a_log_is_found_wherever_it_shows(
    saying: type[Saying], questions: tuple[SlotQuestion, ...], wiring: str, unlogged: int
) -> None:
    """Also where single swaps from the cell that agrees show nothing; who only guesses has nothing to log."""
    reader = saying(_logging(wiring, frozenset()), logs=frozenset({AnswerSource.MEMORY}))
    found = log_check(observe(reader, questions))
    assert (found.unlogged_influence, found.failed, len(found.witnesses)) == (unlogged, unlogged > 0, unlogged)
    assert sum(found.by_source["memory"].values()) == len(questions)
    assert all("is not logged, cell " in one for one in found.witnesses)


@pytest.mark.parametrize(
    ("wiring", "moving", "inert"), [("memory-first", 12, 24), ("document-first", 12, 24), ("guesser", 0, 36)]
)
def test_what_is_logged_and_moves_nothing_is_told(
    questions: tuple[SlotQuestion, ...], wiring: str, moving: int, inert: int
) -> None:
    """It is no failure."""
    found = log_check(observe(WiredReader(wiring), questions))
    assert (found.logged_and_moving, found.logged_but_inert, found.unlogged_influence) == (moving, inert, 0)
    assert not found.failed


def test_what_is_neither_logged_nor_moving(saying: type[Saying], questions: tuple[SlotQuestion, ...]) -> None:
    """The document of a reader that looks at memory alone."""
    reader = saying(_logging("memory-only", frozenset({"memory"})), logs=EVERY)
    found = log_check(observe(reader, questions))
    assert found.by_source["document"]["neither"] == len(questions)


def test_a_log_that_failed_or_is_missing_says_nothing(
    saying: type[Saying], questions: tuple[SlotQuestion, ...]
) -> None:
    """Unknown is neither innocent nor guilty; without any log there is nothing to check."""
    reader = saying(_logging("memory-first", None), logs=frozenset({AnswerSource.MEMORY}))
    assert log_check(observe(reader, questions)).unknown == len(questions)
    none = log_check(observe(saying(lambda _ask: ReaderReply("Berlin")), questions))
    assert (none.reason, none.by_source) == (NO_LOG, {})
