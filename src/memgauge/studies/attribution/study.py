"""Everything that is known of one reader: matrix, rates, citations, log, order and likeness."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memgauge.results import result
from memgauge.stats import Interval
from memgauge.studies.attribution.cells import AGREE, ALL, CONFLICTS
from memgauge.studies.attribution.cited import Citations, LogCheck, citations, log_check
from memgauge.studies.attribution.labels import FollowedSource
from memgauge.studies.attribution.leaving import Leaving, leave_out
from memgauge.studies.attribution.precedence import Precedence, precedence
from memgauge.studies.attribution.rates import End, ReaderRates, end_of, rates
from memgauge.studies.attribution.run import ASKED, observe
from memgauge.studies.attribution.wirings import likeness

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from memgauge.studies.attribution.cells import AnswerSource, Intervention
    from memgauge.studies.attribution.question import SlotQuestion
    from memgauge.studies.attribution.readers import Reader
    from memgauge.studies.attribution.run import Observed


@result
@dataclass(frozen=True)
class CellCount:
    """One row of the matrix: what sources hold, and whom how many answers follow."""

    cell: str
    held: tuple[str, str, str]
    followed: Mapping[str, int]
    """Adds up to the number of questions; empty where the reader could not be put into the cell."""


@result
@dataclass(frozen=True)
class Attribution:
    """One reader's card."""

    reader: str
    details: Mapping[str, Any]
    carries: tuple[str, ...]
    questions: int
    repeats: int
    asks: int
    matrix: tuple[CellCount, ...]
    ends: Mapping[str, int]
    """Adds up to the number of questions."""
    examples: Mapping[str, tuple[str, str]]
    """By end, other than from memory: the first such question and what was answered, word for word."""
    rates: ReaderRates
    citations: Citations
    log: LogCheck
    precedence: Precedence
    likeness: Mapping[str, Interval]
    """By wiring: how often it would have answered the same."""
    leaving: Leaving | None
    failures: tuple[str, ...]
    """Why calls failed, each reason once."""
    broken: tuple[str, ...]
    """Which hard checks it fails."""
    nearest: tuple[str, ...]
    """The wirings that answer most like it; several where they cannot be told apart."""
    slots: int = 0
    """What was sampled: the slots that questions are about; 0 in cards whose intervals are over questions."""


def attribute(
    reader: Reader,
    questions: Sequence[SlotQuestion],
    *,
    repeats: int = 1,
    seed: int = 0,
    declared: Sequence[AnswerSource] = (),
    memories: int = 0,
    on_progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> Attribution:
    """Measure one reader.

    Of *repeats* equal asks the most frequent answer counts; *seed* is that of their order. The order in which
    sources are *declared* to win takes three cells more. So many *memories* of each question are stored, and left
    out in turn.
    """
    cells = cells_for(declared)
    observed = observe(reader, questions, cells, repeats=repeats, seed=seed, on_progress=on_progress)
    ends = {question.id: end_of(observed, question) for question in questions}
    leaving = leave_out(reader, questions, memories, seed) if memories else None
    reasons = [seen.text for seen in observed.seen.values() if seen.follows is FollowedSource.FAILED]
    reasons += leaving.failures if leaving else ()
    matrix = tuple(_row(observed, cell) for cell in cells)
    log, order, alike = log_check(observed), precedence(observed, declared), likeness(observed)
    return Attribution(
        reader.name,
        dict(reader.details),
        tuple(sorted(map(str, observed.carries))),
        len(questions),
        repeats,
        observed.asks + (leaving.asks if leaving else 0),
        matrix,
        {str(end): n for end in End if (n := Counter(ends.values())[end]) or end is not End.UNKNOWN},
        _examples(observed, ends),
        rates(observed, ends),
        citations(observed),
        log,
        order,
        alike,
        leaving,
        tuple(dict.fromkeys(reasons)),
        tuple(_broken(matrix, log, order, leaving)),
        _nearest(alike),
        len({question.slot for question in questions}),
    )


def _broken(
    matrix: Sequence[CellCount], log: LogCheck, order: Precedence, leaving: Leaving | None
) -> Iterator[str]:
    """Say which hard checks a reader fails."""
    unlogged = log.unlogged_influence + (leaving.unlogged_influence if leaving else 0)
    elsewhere = sum(row.followed.get(str(FollowedSource.ELSEWHERE), 0) for row in matrix)
    if unlogged:
        yield f"UNLOGGED_INFLUENCE: {unlogged} effects that no log shows"
    if order.kept is False:
        yield f"ORDER_BROKEN: declared {', '.join(order.declared)}"
    if elsewhere:
        yield f"LEAK: {elsewhere} answers with a value that no source held"


def _nearest(alike: Mapping[str, Interval]) -> tuple[str, ...]:
    best = max((share.mean for share in alike.values() if share.mean is not None), default=None)
    return tuple(name for name, share in alike.items() if best is not None and share.mean == best)


def cells_for(declared: Sequence[AnswerSource]) -> tuple[Intervention, ...]:
    """Return the cells that are asked; a declared order takes three more."""
    return ALL if declared else tuple(cell for cell in ASKED if cell not in CONFLICTS)


def _examples(observed: Observed, ends: Mapping[str, End]) -> dict[str, tuple[str, str]]:
    examples: dict[str, tuple[str, str]] = {}
    for question in observed.questions:
        base = observed.of(question, AGREE)
        if base is not None and ends[question.id] not in {End.MEMORY, End.FAILED}:
            examples.setdefault(str(ends[question.id]), (question.text, base.text))
    return examples


def _row(observed: Observed, cell: Intervention) -> CellCount:
    column = Counter(str(seen.follows) for seen in observed.column(cell))
    followed = {str(source): column[str(source)] for source in FollowedSource if column[str(source)]}
    first, second, third = map(str, cell.held)
    return CellCount(cell.name, (first, second, third), followed)
