"""Lives of our own synthetic world, as far as other shapes can hold them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final

from memgauge.datasets.catalogue import open_dataset

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from memgauge.records import Case, Gold, Question, Turn

    Files = Mapping[str, str]
    """What files of a benchmark hold, by their names."""

WORLD: Final = "synthetic:small"
LIVES: Final = 3
OPTIONS: Final = 4


@dataclass(frozen=True)
class InventedQuestion:
    """A question that turns answer, with what else one could take for its answer."""

    asked: Question
    gold: Gold
    wrong: tuple[str, ...]
    """Answers to other questions."""

    @property
    def answer(self) -> str:
        """Return the first answer that is accepted."""
        return self.gold.answers[0]


@dataclass(frozen=True)
class InventedLife:
    """One conversation, and what is asked about it."""

    case: Case
    asked: tuple[InventedQuestion, ...]

    @property
    def name(self) -> str:
        """Return who talks."""
        return next(self.case.conversation.turns()).speaker

    @property
    def days(self) -> tuple[tuple[Turn, ...], ...]:
        """Return the turns by session."""
        return tuple(tuple(session.turns) for session in self.case.conversation.sessions)

    def text_of(self, turn: str) -> str:
        """Return what a turn says."""
        return next(own_turn.text for own_turn in self.case.conversation.turns() if own_turn.id == turn)


def lives() -> tuple[InventedLife, ...]:
    """Read the first lives of the world, with the questions that turns answer."""
    world = open_dataset(WORLD)
    gold = world.gold()
    cases = [(case, [next(gold) for _ in case.questions]) for case in islice(world.cases(), LIVES)]
    answers = list(dict.fromkeys(right.answers[0] for _, golds in cases for right in golds if right.answers))
    return tuple(InventedLife(case, tuple(_asked(case, golds, answers))) for case, golds in cases)


def _asked(case: Case, golds: list[Gold], answers: list[str]) -> Iterator[InventedQuestion]:
    for place, (question, gold) in enumerate(zip(case.questions, golds, strict=True)):
        if gold.anchors() and gold.answers:
            wrong_answers = [answer for answer in answers[place:] + answers[:place] if answer not in gold.answers]
            yield InventedQuestion(question, gold, tuple(wrong_answers[: OPTIONS - 1]))


def spelled(content: object) -> str:
    """Write a value as JSON."""
    return json.dumps(content, ensure_ascii=False)
