"""One reader's card."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memgauge.studies.attribution.cells import ALL, AnswerSource
from memgauge.studies.attribution.precedence import parse_order
from memgauge.studies.attribution.readers import ReaderReply, WiredReader
from memgauge.studies.attribution.study import attribute
from memgauge.systems.reference.wired import WIRINGS

if TYPE_CHECKING:
    from memgauge.studies.attribution.question import SlotQuestion
    from studies.attribution.conftest import Saying


@pytest.mark.parametrize("wiring", WIRINGS)
def test_every_row_of_the_matrix_adds_up(wiring: str, questions: tuple[SlotQuestion, ...]) -> None:
    """Each cell has one answer a question, and each question one end."""
    card = attribute(WiredReader(wiring), questions)
    assert {sum(row.followed.values()) for row in card.matrix} == {len(questions)}
    assert sum(card.ends.values()) == len(questions)
    assert card.nearest == (wiring,)
    assert card.broken == ()
    assert card.asks == 18 * len(questions)


def test_a_declared_order_asks_three_cells_more(questions: tuple[SlotQuestion, ...]) -> None:
    """And is broken by whoever has another one."""
    card = attribute(WiredReader("state-first"), questions, declared=parse_order("memory,document,state"))
    assert len(card.matrix) == len(ALL)
    assert card.broken == ("ORDER_BROKEN: declared memory, document, state",)


def test_hard_checks(saying: type[Saying], questions: tuple[SlotQuestion, ...]) -> None:
    """Influence that no log shows, and a value that comes from nowhere; failures are told."""

    def quiet(ask: object) -> ReaderReply:
        (told,) = WiredReader("memory-first").read([ask])  # type: ignore[list-item] # an ask
        return ReaderReply(told.text, None, frozenset())

    card = attribute(saying(quiet, logs=frozenset({AnswerSource.MEMORY})), questions, memories=3)
    assert card.broken == (f"UNLOGGED_INFLUENCE: {2 * len(questions)} effects that no log shows",)
    leak = attribute(saying(lambda ask: ReaderReply(ask.question.shared)), questions)
    assert leak.broken == (f"LEAK: {15 * len(questions)} answers with a value that no source held",)
    failed = attribute(saying(lambda _ask: ReaderReply("", failed="no power")), questions, memories=3)
    assert failed.failures == ("no power",)
    assert failed.ends["failed"] == len(questions)
    assert failed.nearest == ()


def test_examples_are_of_every_end_but_the_good_one(questions: tuple[SlotQuestion, ...]) -> None:
    """The first question of each, with what was answered."""
    card = attribute(WiredReader("guesser"), questions)
    assert card.examples == {
        "right, from no source": ("What is my home city?", "New York"),
        "wrong": ("What is my employer?", "Google"),
    }
    assert attribute(WiredReader("memory-only"), questions).examples == {}
