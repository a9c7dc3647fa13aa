"""Everything that is known of one reader: matrix, rates, citations, log, order and likeness."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memgauge.studies.attribution.cells import AGREE, ALL, CONFLICTS
from memgauge.studies.attribution.cited import citations, log_check
from memgauge.studies.attribution.labels import FollowedSource
from memgauge.studies.attribution.leaving import leave_out
from memgauge.studies.attribution.precedence import precedence
from memgauge.studies.attribution.rates import End, end_of, rates
from memgauge.studies.attribution.run import ASKED, observe
from memgauge.studies.attribution.wirings import likeness

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from memgauge.stats import Interval
    from memgauge.studies.attribution.cells import AnswerSource, Intervention
    from memgauge.studies.attribution.cited import Citations, LogCheck
    from memgauge.studies.attribution.leaving import Leaving
    from memgauge.studies.attribution.precedence import Precedence
    from memgauge.studies.attribution.question import SlotQuestion
    from memgauge.studies.attribution.rates import ReaderRates
    from memgauge.studies.attribution.readers import Reader
    from memgauge.studies.attribution.run import Observed


@dataclass(frozen=True)
class CellCount:
    """One row of the matrix: what sources hold, and whom how many answers follow."""

    cell: str
    held: tuple[str, str, str]
    followed: Mapping[str, int]
    """Adds up to the number of questions; empty where the reader could not be put into the cell."""


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

    @property
    def broken(self) -> tuple[str, ...]:
        """Say which hard checks it fails."""
        unlogged = self.log.unlogged_influence + (self.leaving.unlogged_influence if self.leaving else 0)
        elsewhere = sum(row.followed.get(str(FollowedSource.ELSEWHERE), 0) for row in self.matrix)
        found = {
            f"UNLOGGED_INFLUENCE: {unlogged} effects that no log shows": unlogged > 0,
            f"ORDER_BROKEN: declared {', '.join(self.precedence.declared)}": self.precedence.kept is False,
            f"LEAK: {elsewhere} answers with a value that no source held": elsewhere > 0,
        }
        return tuple(said for said, broken in found.items() if broken)

    @property
    def nearest(self) -> tuple[str, ...]:
        """Name the wirings that answer most like it; several where they cannot be told apart."""
        best = max((one.mean for one in self.likeness.values() if one.mean is not None), default=None)
        return tuple(name for name, one in self.likeness.items() if best is not None and one.mean == best)


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

    Args:
        reader: What answers.
        questions: What is asked, in every cell.
        repeats: Equal asks; the most frequent answer counts.
        seed: Of the order of asks.
        declared: The order in which sources should win; it takes three cells more.
        memories: Store so many of each question and leave them out in turn; 0 does not.
        on_progress: Told of asks done and in all.
    """
    cells = cells_for(declared)
    observed = observe(reader, questions, cells, repeats=repeats, seed=seed, on_progress=on_progress)
    ends = {question.id: end_of(observed, question) for question in questions}
    leaving = leave_out(reader, questions, memories, seed) if memories else None
    reasons = [seen.text for seen in observed.seen.values() if seen.said is FollowedSource.FAILED]
    reasons += leaving.failures if leaving else ()
    return Attribution(
        reader.name,
        dict(reader.details),
        tuple(sorted(map(str, observed.carries))),
        len(questions),
        repeats,
        observed.asks + (leaving.asks if leaving else 0),
        tuple(_row(observed, cell) for cell in cells),
        {str(end): Counter(ends.values())[end] for end in End},
        _examples(observed, ends),
        rates(observed, ends),
        citations(observed),
        log_check(observed),
        precedence(observed, declared),
        likeness(observed),
        leaving,
        tuple(dict.fromkeys(reasons)),
    )


def cells_for(declared: Sequence[AnswerSource]) -> tuple[Intervention, ...]:
    """Return the cells that are asked; a declared order takes three more."""
    return ALL if declared else tuple(cell for cell in ASKED if cell not in CONFLICTS)


def _examples(observed: Observed, ends: Mapping[str, End]) -> dict[str, tuple[str, str]]:
    found: dict[str, tuple[str, str]] = {}
    for question in observed.questions:
        base = observed.of(question, AGREE)
        if base is not None and ends[question.id] not in {End.MEMORY, End.FAILED}:
            found.setdefault(str(ends[question.id]), (question.text, base.text))
    return found


def _row(observed: Observed, cell: Intervention) -> CellCount:
    column = Counter(str(seen.said) for seen in observed.column(cell))
    followed = {str(said): column[str(said)] for said in FollowedSource if column[str(said)]}
    first, second, third = map(str, cell.held)
    return CellCount(cell.name, (first, second, third), followed)
