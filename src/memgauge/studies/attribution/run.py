"""Ask a reader every question in every cell that it can be put into, and say whom each answer follows."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memgauge.datasets.synthetic.dice import Dice
from memgauge.studies.attribution.cells import FIFTEEN, WITHOUT
from memgauge.studies.attribution.labels import FollowedSource, whose
from memgauge.studies.attribution.leaks import given_by_slot
from memgauge.studies.attribution.question import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from memgauge.studies.attribution.cells import AnswerSource, Intervention
    from memgauge.studies.attribution.leaks import GivenValues
    from memgauge.studies.attribution.question import Shown, SlotQuestion
    from memgauge.studies.attribution.readers import Reader, ReaderReply

ASKED = (*FIFTEEN, *WITHOUT)


@dataclass(frozen=True, slots=True)
class CellAnswer:
    """What became of one question in one cell, over all repeats."""

    follows: FollowedSource
    """Whose value the answer states, or what else it says."""
    value: str
    """What the answer states, so that answers of two cells can be compared."""
    agreed: bool
    """Whether all repeats said the same."""
    cited: frozenset[str] | None
    logged: frozenset[str] | None
    text: str = ""
    """The answer, word for word, or why there is none."""


@dataclass(frozen=True)
class Observed:
    """Everything that one reader said."""

    questions: tuple[SlotQuestion, ...]
    cells: tuple[Intervention, ...]
    """Those that the reader could be put into, with what it could be given."""
    seen: Mapping[tuple[str, str], CellAnswer]
    """By question and cell."""
    carries: frozenset[AnswerSource]
    logs: frozenset[AnswerSource]
    repeats: int
    asks: int

    @property
    def distinct(self) -> tuple[Intervention, ...]:
        """The cells without those that come to the same as an earlier one for this reader."""
        return tuple({cell.held: cell for cell in reversed(self.cells)}.values())[::-1]

    def of(self, question: SlotQuestion, cell: Intervention) -> CellAnswer | None:
        """Return what became of a question in a cell; ``None`` where the reader could not be put into it."""
        return self.seen.get((question.id, cell.name))

    def column(self, cell: Intervention) -> list[CellAnswer]:
        """Return what became of all questions in a cell; empty where the reader could not be put into it."""
        answers = (self.of(question, cell) for question in self.questions)
        return [answer for answer in answers if answer is not None]


@dataclass(frozen=True)
class AskPlan:
    """What is asked: equal asks once, in an order that tells nothing."""

    cells: tuple[Intervention, ...]
    asks: tuple[Shown, ...]
    places: Mapping[tuple[str, str], tuple[int, ...]]
    """By question and cell: the places of its repeats among the asks."""


def plan(
    reader: Reader,
    questions: Sequence[SlotQuestion],
    cells: Sequence[Intervention] = ASKED,
    *,
    repeats: int = 1,
    seed: int = 0,
) -> AskPlan:
    """Say what a reader is asked; cells that come to the same for it are asked once."""
    fitting = {cell: left for cell in cells if (left := cell.for_reader(reader.carries)) is not None}
    asks: dict[tuple[str, object], list[Shown]] = {}
    for question in questions:
        for left in fitting.values():
            asks.setdefault((question.id, left.held), [shown(question, left, sample) for sample in range(repeats)])
    flat = [(key, ask) for key, repeated in asks.items() for ask in repeated]
    order = Dice("attribution order", seed).sample(range(len(flat)), len(flat))
    where: dict[tuple[str, object], list[int]] = {}
    for place, index in enumerate(order):
        where.setdefault(flat[index][0], []).append(place)
    return AskPlan(
        tuple(fitting.values()),
        tuple(flat[index][1] for index in order),
        {
            (question.id, cell.name): tuple(where[question.id, left.held])
            for question in questions
            for cell, left in fitting.items()
        },
    )


def observe(
    reader: Reader,
    questions: Sequence[SlotQuestion],
    cells: Sequence[Intervention] = ASKED,
    *,
    repeats: int = 1,
    seed: int = 0,
    on_progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> Observed:
    """Ask, and follow every answer to its source; of repeats the most frequent answer counts."""
    planned = plan(reader, questions, cells, repeats=repeats, seed=seed)
    replies: list[ReaderReply] = []
    for reply in reader.read(planned.asks):
        replies.append(reply)
        on_progress(len(replies), len(planned.asks))
    given = given_by_slot(questions)
    seen = {
        (question.id, cell.name): _seen(
            question,
            cell,
            [replies[place] for place in planned.places[question.id, cell.name]],
            given[question.slot],
        )
        for question in questions
        for cell in planned.cells
    }
    return Observed(tuple(questions), planned.cells, seen, reader.carries, reader.logs, repeats, len(planned.asks))


def _seen(
    question: SlotQuestion, cell: Intervention, repeats: Sequence[ReaderReply], given: GivenValues
) -> CellAnswer:
    """Take the most frequent answer; failures count only where nothing else came."""
    whole = [reply for reply in repeats if not reply.failed]
    if not whole:
        return CellAnswer(FollowedSource.FAILED, "", agreed=True, cited=None, logged=None, text=repeats[0].failed)
    read = [
        (FollowedSource.ELSEWHERE, leaked)
        if (leaked := given.leaked(question, reply.text))
        else whose(question, cell, reply.text)
        for reply in whole
    ]
    ranked = Counter(read).most_common()
    if len(ranked) > 1 and ranked[0][1] == ranked[1][1]:
        return CellAnswer(
            FollowedSource.UNDECIDED, "\x00", agreed=False, cited=None, logged=None, text=whole[0].text
        )
    first = whole[read.index(ranked[0][0])]
    return CellAnswer(*ranked[0][0], len(ranked) == 1, first.cited, first.logged, first.text)


def right(question: SlotQuestion, seen: CellAnswer | None) -> bool:
    """Whether an answer states the truth."""
    return seen is not None and seen.value == question.base
