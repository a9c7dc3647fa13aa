"""A submission on one dataset: its runs as one row, the mean over seeds, with what they spread over."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import groupby
from statistics import fmean
from typing import TYPE_CHECKING

import numpy as np

from memgauge.measures import Rows
from memgauge.records import Denominator
from memgauge.scoring.ended import ShortLists
from memgauge.scoring.score import DatasetSampling, MeasureColumn, summarise

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from memgauge.scoring.board import Score
    from memgauge.scoring.gold import GoldTable
    from memgauge.submissions.rows.ledger import Ledger, LedgerRun
    from memgauge.submissions.rows.run_row import RunRow


@dataclass(frozen=True, eq=False)
class SubmittedRow:
    """What all runs of a submission on one dataset say together."""

    dataset: str
    """Its name in the registry."""
    seeds: tuple[int, ...]
    runs: tuple[RunRow, ...]
    scores: Mapping[str, Score]
    """Of the mean over seeds, question by question; intervals over conversations."""
    spread: Mapping[str, tuple[float, float]]
    """The lowest and the highest run, where there are several."""
    tokens: float | None
    p50: float | None
    p95: float | None
    writing_s: float | None
    values: Mapping[str, NDArray[np.float64]] = field(repr=False)
    """(Q,) means over seeds by measure; NaN where a question is not scored."""

    @property
    def holds(self) -> bool:
        """Whether every run was verified."""
        return all(run.holds for run in self.runs)

    def short(self, measure: str) -> ShortLists | None:
        """Say how lists of any run end at k before the budget of *measure* is full; ``None`` where none does."""
        return ShortLists.over_seeds(run.short.get(measure) for run in self.runs)

    @property
    def bars(self) -> tuple[str, ...]:
        """Why it has no rank."""
        return _each(self.runs, lambda run: run.bars)

    @property
    def marks(self) -> tuple[str, ...]:
        """What must be read beside its numbers."""
        return _each(self.runs, lambda run: run.marks)

    @property
    def problems(self) -> tuple[str, ...]:
        """What verification found."""
        return _each(self.runs, lambda run: run.problems)

    @property
    def unsupported(self) -> str:
        """Why nothing can be credited; empty where something can."""
        return next((run.unsupported for run in self.runs if run.unsupported), "")

    @property
    def role(self) -> str:
        """``system``, ``floor`` or ``ceiling``."""
        return self.runs[0].role

    @property
    def unanswered(self) -> int:
        """Questions without a valid result, over all runs."""
        return sum(run.unanswered for run in self.runs)

    @property
    def asked(self) -> int:
        """Questions that were to be answered, over all runs."""
        return sum(run.asked for run in self.runs)

    @property
    def lost(self) -> int:
        """Writes that failed, over all runs."""
        return sum(run.lost for run in self.runs)

    def spent(self, kind: str) -> float | None:
        """Return the mean of an amount of the records of costs; ``None`` where one run has none."""
        return _mean(run.cost[kind].value if kind in run.cost else None for run in self.runs)

    def rows(self, measure: str) -> Rows:
        """Return what every question is worth, as scoring has it."""
        values = self.values[measure]
        defined = ~np.isnan(values)
        return Rows(np.where(defined, values, 0.0), defined)


def submitted_rows(ledger: Ledger, submission: str) -> tuple[tuple[SubmittedRow, ...], tuple[str, ...]]:
    """Return the rows of a submission, one a dataset, and why others lack: no mean leaves out a seed."""
    rows, problems = list[SubmittedRow](), list[str]()
    runs = sorted(
        ledger.runs[submission], key=lambda each: (each.dataset.name if each.dataset else "", each.run.seed)
    )
    for name, group in groupby(runs, key=lambda each: each.dataset.name if each.dataset else ""):
        of_dataset = list(group)
        wrong = [
            f"{each.run.dataset}, seed {each.run.seed}: {each.problem}" for each in of_dataset if each.problem
        ]
        problems += wrong
        if not wrong:
            rows.append(_row(name, of_dataset, ledger.golds[name]))
    return tuple(rows), tuple(problems)


def _row(name: str, runs: Sequence[LedgerRun], gold: GoldTable) -> SubmittedRow:
    valued = [run.valued for run in runs if run.valued is not None]
    rows = tuple(each.row for each in valued)
    values = {measure: _over_seeds([each.values[measure] for each in valued]) for measure in valued[0].values}
    return SubmittedRow(
        dataset=name,
        seeds=tuple(run.run.seed for run in runs),
        runs=rows,
        scores=rows[0].scores if len(rows) == 1 else _scores(values, rows[0], gold),
        spread=dict(_spread(rows)),
        tokens=_mean(row.tokens for row in rows),
        p50=_mean(row.latency.search_p50 for row in rows),
        p95=_mean(row.latency.search_p95 for row in rows),
        writing_s=_mean(row.writing_s for row in rows),
        values=values,
    )


def _over_seeds(columns: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Average every question over seeds; one that a seed has no value for has none."""
    mean: NDArray[np.float64] = columns[0] if len(columns) == 1 else np.stack(columns).mean(axis=0)
    return mean


def _scores(values: Mapping[str, NDArray[np.float64]], first: RunRow, gold: GoldTable) -> dict[str, Score]:
    columns = []
    for measure, column in values.items():
        defined = ~np.isnan(column)
        n, total = int(defined.sum()), first.scores[measure].denominator.total
        counted = Denominator(total, n, {"not scored in every run": total - n} if total > n else {})
        columns.append(MeasureColumn(measure, Rows(np.where(defined, column, 0.0), defined), counted))
    return {score.measure: score for score in summarise(columns, DatasetSampling.of(gold), by_question=0)}


def _spread(rows: Sequence[RunRow]) -> Iterator[tuple[str, tuple[float, float]]]:
    for measure in rows[0].scores if len(rows) > 1 else ():
        reached = [value for row in rows if (value := row.scores[measure].value) is not None]
        if reached:
            yield measure, (min(reached), max(reached))


def _mean(values: Iterable[float | None]) -> float | None:
    known = list(values)
    return None if None in known else fmean(value for value in known if value is not None)


def _each(runs: Iterable[RunRow], of: Callable[[RunRow], Iterable[str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for run in runs for text in of(run)))
