"""Rates of readers whose wiring is known, and of readers that fail."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING
from zlib import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.studies.attribution.cells import BY_NAME, AnswerSource
from memgauge.studies.attribution.question import make_questions, shown
from memgauge.studies.attribution.rates import UNSUPPORTED, End, changes, depends, end_of, rates
from memgauge.studies.attribution.readers import ReaderReply, WiredReader
from memgauge.studies.attribution.run import observe
from memgauge.systems.reference.wired import WIRINGS
from studies.attribution.conftest import Saying

if TYPE_CHECKING:
    from collections.abc import Callable

    from memgauge.studies.attribution.question import Shown, SlotQuestion
    from memgauge.studies.attribution.rates import ReaderRates
    from memgauge.studies.attribution.readers import Reader
    from memgauge.studies.attribution.share import CountedShare


def measured(
    reader: Reader, questions: tuple[SlotQuestion, ...], repeats: int = 1
) -> tuple[ReaderRates, Counter[End]]:
    """Ask everything and count."""
    observed = observe(reader, questions, repeats=repeats)
    ends = {question.id: end_of(observed, question) for question in questions}
    return rates(observed, ends), Counter(ends.values())


def share(one: CountedShare) -> float | None:
    """Return the share alone."""
    return one.share.mean


# accuracy, attributed, wrong reason, follows M D S, alone M D S, together MD MS DS, parametric, abstention, lure
TABLE = {
    "memory-only": (1, 1, 0, 1, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0),
    "memory-else-guess": (1, 1, 0, 1, 0, 0, 1, 0, 0, 1, 1, 0, 1, 0, 0),
    "memory-first": (1, 1, 0, 1, 0, 0, 1, 1, 1, 1, 1, 0, 0, 1, 0),
    "document-first": (1, 0, 1, 0, 1, 0, 1, 1, 1, 1, 0, 1, 0, 1, 0),
    "state-first": (1, 0, 1, 0, 0, 1, 1, 1, 1, 0, 1, 1, 0, 1, 0),
    "guesser": (0.5, 0, 0.5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1),
    "majority": (1, 0, 1, 0, 0, 0, 1, 1, 1, 1, 1, 1, 0, 1, 0),
}


@pytest.mark.parametrize("wiring", TABLE)
def test_rates_say_what_the_wiring_is(wiring: str, questions: tuple[SlotQuestion, ...]) -> None:
    """Every rate of the definitions, worked out by hand from the rule."""
    found, _ = measured(WiredReader(wiring), questions)
    named = (
        *(found.accuracy, found.attributed_accuracy, found.right_for_wrong_reason),
        *found.follows.values(),
        *found.alone.values(),
        *found.together.values(),
        *(found.parametric, found.abstention, found.lure),
    )
    assert tuple(map(share, named)) == TABLE[wiring]


def test_one_that_wants_agreement_depends_on_memory_only_where_a_guess_would_be_wrong(
    questions: tuple[SlotQuestion, ...],
) -> None:
    """Of truths that one would guess it is right from sources that agree; of others, from memory."""
    found, ends = measured(WiredReader("memory-if-document-agrees"), questions)
    assert ends == {End.MEMORY: 6, End.TOGETHER: 6}
    assert share(found.follows["memory"]) == 0
    assert {pair: share(rate) for pair, rate in found.together.items()} == {
        "memory-document": 1,
        "memory-state": 0,
        "document-state": 0,
    }


@pytest.mark.parametrize("wiring", WIRINGS)
def test_ends_add_up_and_so_do_their_rates(wiring: str, questions: tuple[SlotQuestion, ...]) -> None:
    """Right is from memory or for another reason; nothing is counted twice."""
    found, ends = measured(WiredReader(wiring), questions)
    assert sum(ends.values()) == len(questions)
    assert found.accuracy.hits == found.attributed_accuracy.hits + found.right_for_wrong_reason.hits
    assert found.accuracy.hits == found.accuracy_guessable.hits + found.accuracy_made_up.hits


@given(st.lists(st.sampled_from(["guess", "truth", "abstain", "else", "fail"]), min_size=18, max_size=18))
def test_whatever_is_answered_every_question_has_one_end(said: list[str]) -> None:
    """Denominators hold every question or name it as failed."""
    questions = make_questions(4)

    def answer(ask: Shown) -> ReaderReply:
        kind = said[crc32(repr(ask).encode()) % len(said)]
        words = {"guess": ask.question.lure, "truth": ask.question.base, "abstain": "unknown", "else": "Berlin"}
        return ReaderReply("", failed="no") if kind == "fail" else ReaderReply(words[kind])

    found, ends = measured(Saying(answer), questions)
    assert sum(ends.values()) == 4
    assert found.accuracy.failed == ends[End.FAILED]
    for one in (found.accuracy, found.attributed_accuracy, found.right_for_wrong_reason, found.parametric):
        assert one.share.n + one.failed == 4
        assert one.hits <= one.share.n


def _fails_in(*cells: str) -> Callable[[Shown], ReaderReply]:
    """Read as ``document-first`` does, but for some cells."""

    def answer(ask: Shown) -> ReaderReply:
        if any(ask == shown(ask.question, BY_NAME[name]) for name in cells):
            return ReaderReply("", failed="no")
        (told,) = WiredReader("document-first").read([ask])
        return told

    return answer


@pytest.mark.parametrize(
    ("cell", "end"),
    [
        ("agree", End.FAILED),
        ("swap-memory", End.UNKNOWN),
        ("without-state", End.UNKNOWN),
        ("conflict", End.OTHER),
    ],
)
def test_a_right_answer_whose_reason_is_not_known_is_right_all_the_same(
    saying: type[Saying], questions: tuple[SlotQuestion, ...], cell: str, end: End
) -> None:
    """Where an intervention that decides it failed; others do not matter, and rates follow from cells."""
    observed = observe(saying(_fails_in(cell)), questions[:1])
    assert end_of(observed, questions[0]) is end
    accuracy = rates(observed, {questions[0].id: end}).accuracy
    assert (accuracy.hits, accuracy.failed) == ((0, 1) if cell == "agree" else (1, 0))


def test_what_a_failure_leaves_open_is_not_known(
    saying: type[Saying], questions: tuple[SlotQuestion, ...]
) -> None:
    """Also where another intervention moved the answer: whoever knew those alone would count them too often."""
    observed = observe(saying(_fails_in("without-document", "without-memory")), questions[:1])
    for source in (AnswerSource.DOCUMENT, AnswerSource.MEMORY):
        assert changes(observed, questions[0], source) is None
        assert depends(observed, questions[0], source) is None


def test_failures_that_look_at_nothing_change_no_rate_but_its_n(saying: type[Saying]) -> None:
    """Two of five answers come from memory; a seventh of the asks fails, whatever would have been said."""

    def mixed(ask: Shown) -> ReaderReply:
        if crc32(repr(ask).encode()) % 7 == 0:
            return ReaderReply("", failed="down")
        from_memory = crc32(ask.question.id.encode()) % 5 < 2
        remembered = next((m.value for m in ask.memory if m.slot == ask.question.slot), "")
        held = remembered if from_memory else ask.document
        return ReaderReply(held or "I don't know")

    many = make_questions(600, seed=3)
    observed = observe(saying(mixed), many)
    ends = {question.id: end_of(observed, question) for question in many}
    found = rates(observed, ends)
    truth = sum(crc32(question.id.encode()) % 5 < 2 for question in many) / len(many)
    low, high = found.attributed_accuracy.share.low, found.attributed_accuracy.share.high
    assert found.attributed_accuracy.failed > 300
    assert low is not None
    assert high is not None
    assert low <= truth <= high


def test_ends_that_are_not_right(saying: type[Saying], questions: tuple[SlotQuestion, ...]) -> None:
    """Who abstains or is wrong has no reason that could be right."""
    for text, end in (("I don't know", End.ABSTAINED), ("Berlin", End.WRONG)):
        found, ends = measured(saying(lambda _ask, text=text: ReaderReply(text)), questions[:2])  # type: ignore[misc] # B023's remedy
        assert ends == {end: 2}
        assert share(found.right_for_wrong_reason) == 0
    assert share(found.invention) == 1


def test_a_reader_of_memory_alone_has_no_rates_of_what_it_cannot_be_given(
    questions: tuple[SlotQuestion, ...],
) -> None:
    """They are undefined with the reason, never 0."""
    found, _ = measured(WiredReader("memory-first", carries=frozenset({AnswerSource.MEMORY})), questions)
    assert share(found.attributed_accuracy) == 1
    assert {found.follows[name].share.reason for name in ("document", "state")} == {UNSUPPORTED}
    assert {rate.share.reason for rate in found.together.values()} == {UNSUPPORTED}


def test_a_lure_counts_only_where_nothing_holds_it(
    saying: type[Saying], questions: tuple[SlotQuestion, ...]
) -> None:
    """Where a source holds it, naming it is no guess."""
    found, _ = measured(saying(lambda ask: ReaderReply(ask.question.lure)), questions)
    guessable = [question for question in questions if question.guessable]
    asked = 8 * len(guessable) + 16 * (len(questions) - len(guessable))
    assert found.lure.hits == found.lure.share.n
    assert found.lure.share.n < asked
    assert share(found.memorisation) == 1


def test_stability_is_told_of_repeats(saying: type[Saying], questions: tuple[SlotQuestion, ...]) -> None:
    """Of single asks it is undefined; of repeats it counts cells."""
    once, _ = measured(WiredReader("guesser"), questions[:2])
    assert once.stability.share.reason == "every ask was made once"
    twice, _ = measured(
        saying(lambda ask: ReaderReply("unknown" if ask.sample and ask.state else "Berlin")),
        questions[:2],
        repeats=2,
    )
    assert twice.stability.share.n == 36
    assert 0 < (share(twice.stability) or 0) < 1
