"""A declared order, held against what happens."""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING

import pytest

from memgauge.errors import ConfigError, UnknownNameError
from memgauge.studies.attribution.cells import ALL, FIFTEEN, AnswerSource
from memgauge.studies.attribution.precedence import parse_order, precedence
from memgauge.studies.attribution.readers import ReaderReply, WiredReader
from memgauge.studies.attribution.run import observe

if TYPE_CHECKING:
    from memgauge.studies.attribution.question import Shown, SlotQuestion
    from studies.attribution.conftest import Saying


@pytest.mark.parametrize("order", list(permutations(AnswerSource)), ids=",".join)
def test_any_order_is_observed_and_kept_by_itself_alone(
    saying: type[Saying], questions: tuple[SlotQuestion, ...], order: tuple[AnswerSource, ...]
) -> None:
    """Of six declared orders, one is kept."""

    def answer(ask: Shown) -> ReaderReply:
        memory = next((item.value for item in ask.memory if item.key == "memory"), "")
        held = {AnswerSource.MEMORY: memory, AnswerSource.DOCUMENT: ask.document, AnswerSource.STATE: ask.state}
        return ReaderReply(next((held[source] for source in order if held[source]), "unknown"))

    observed = observe(saying(answer), questions[:3], ALL)
    assert precedence(observed).observed == tuple(map(str, order))
    assert precedence(observed).kept is None
    assert [one for one in permutations(AnswerSource) if precedence(observed, one).kept] == [order]


def test_without_the_further_cells_only_the_first_shows(questions: tuple[SlotQuestion, ...]) -> None:
    """The cell in which all three contradict each other says who wins and nothing of the others."""
    found = precedence(observe(WiredReader("state-first"), questions, FIFTEEN))
    assert (found.observed, [contest.cell for contest in found.contests]) == (("state",), ["conflict"])


def test_an_order_that_hardly_any_answer_follows_is_not_kept(
    saying: type[Saying], questions: tuple[SlotQuestion, ...]
) -> None:
    """A winner has more than half of the answers; failures are left out of the whole."""

    def answer(ask: Shown) -> ReaderReply:
        if ask.question.id in {one.id for one in questions[:2]}:
            (told,) = WiredReader("memory-first").read([ask])
            return told
        return ReaderReply("I don't know") if ask.question.id != questions[2].id else ReaderReply("", failed="no")

    few = precedence(observe(saying(answer), questions[:6], ALL), parse_order("memory,document,state"))
    assert (few.kept, few.observed) == (False, ())
    assert few.contests[0].followed == {"memory": 2, "abstained": 3, "failed": 1}
    most = precedence(observe(saying(answer), questions[:3], ALL), parse_order("memory,document,state"))
    assert (most.kept, most.contests[0].kept and most.contests[0].kept.failed) == (True, 1)


def test_a_reader_of_one_source_has_no_order(questions: tuple[SlotQuestion, ...]) -> None:
    """It is neither kept nor broken."""
    reader = WiredReader("memory-first", carries=frozenset({AnswerSource.MEMORY}))
    found = precedence(observe(reader, questions, ALL), parse_order("memory,document,state"))
    assert (found.kept, found.contests, found.reason) == (None, (), "the reader cannot be given all three sources")


def test_an_order_is_read_from_text() -> None:
    """All three, each once, by their names."""
    assert parse_order("state, memory,document") == (
        AnswerSource.STATE,
        AnswerSource.MEMORY,
        AnswerSource.DOCUMENT,
    )
    with pytest.raises(UnknownNameError, match="Did you mean memory"):
        parse_order("memry,document,state")
    for text in ("memory,document", "memory,memory,state", ""):
        with pytest.raises(ConfigError, match="not of all three"):
            parse_order(text)
