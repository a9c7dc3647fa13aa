"""The document's table, measured: five columns with intervals, and whether its order of systems holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from memgauge.datasets.base import DatasetIdentity
from memgauge.errors import ConfigError
from memgauge.records import Outcome
from memgauge.results import ResultKind, result
from memgauge.scoring.board import Score
from memgauge.scoring.compare import Difference, differences_of
from memgauge.scoring.conclusions import Conclusion
from memgauge.scoring.gold import GoldTable
from memgauge.scoring.quality import quality_columns
from memgauge.scoring.score import DatasetSampling, summarise
from memgauge.studies.quality.published import TABLE, FigureDoubt, audit_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.datasets.base import Dataset
    from memgauge.runs.record.store import Run
    from memgauge.scoring.score import MeasureColumn

PUBLISHED_AS: Mapping[str, str] = {
    "Precision@5": "Precision(conv=returned)@5",
    "Temporal accuracy": "Temporal(lenient)@5",
    "Contradiction rate": "Contradiction",
    "Recall@10": "Recall@10",
    "Multi-session F1": "SetF1@10",
}
"""The document's columns by the measure that answers for each."""
HOLDS, REVERSED, OPEN = "as claimed", "reversed", "not confirmed"
HOLDS_ALONE = "as claimed, not confirmed after correction"
REVERSED_ALONE = "reversed, not confirmed after correction"
_CLEAR = {HOLDS, REVERSED}


@result
@dataclass(frozen=True)
class SystemQuality:
    """One system."""

    name: str
    system: str
    run: str
    scores: Mapping[str, Score]
    """Every measure of the study by name."""
    published: Mapping[str, float]
    """The document's figures by its columns; empty for a system that it does not have."""
    failed: int = 0
    """Searches that failed."""


@result
@dataclass(frozen=True)
class ClaimedOrder:
    """Whether two systems are ordered as the document claims, on one of its columns."""

    column: str
    lower: str
    higher: str
    difference: Difference
    verdict: str


@result
@dataclass(frozen=True)
class Quality:
    """The whole study of one dataset."""

    dataset: DatasetIdentity
    conversations: int
    """That any of its systems was asked about, as its questions are."""
    questions: int
    rows: tuple[SystemQuality, ...]
    orders: tuple[ClaimedOrder, ...]
    """Every pair of the document's systems on every column; Holm corrects within a column."""
    doubts: tuple[FigureDoubt, ...] = ()
    """What cannot be true of the published figures, where one of the document's systems was measured."""

    def order(self, column: str) -> Mapping[str, int]:
        """Count the pairs of one column by verdict."""
        of = [order.verdict for order in self.orders if order.column == column]
        return {
            HOLDS: of.count(HOLDS),
            REVERSED: of.count(REVERSED),
            OPEN: sum(order_verdict not in _CLEAR for order_verdict in of),
        }

    def agreement(self, column: str) -> float | None:
        """Return the share of the pairs that can be told apart and are as claimed; undefined where none can."""
        counts = self.order(column)
        n_clear = counts[HOLDS] + counts[REVERSED]
        return counts[HOLDS] / n_clear if n_clear else None


QUALITY = ResultKind("quality", 1, Quality, "memgauge study quality run --out FOLDER")


def measure_quality(dataset: Dataset, runs: Sequence[tuple[str, Run]]) -> Quality:
    """Value runs on one dataset, each under the name of its row.

    Raises:
        ConfigError: There is no run.
        IdentityError: A run was made on other data.
    """
    if not runs:
        raise ConfigError("There is no run to measure.", "Make some with `memgauge study quality run`.")
    gold = GoldTable.read(dataset)
    for _, run in runs:
        gold.require(run)
    sampling = DatasetSampling.of(gold)
    columns = {name: quality_columns(run, gold) for name, run in runs}
    rows = [
        SystemQuality(
            name,
            run.label,
            str(run.folder),
            {score.measure: score for score in summarise(columns[name], sampling)},
            dict(zip(PUBLISHED_AS, TABLE.get(name, ()), strict=False)),
            sum(not Outcome(outcome).valid for outcome in run.questions["outcome"].tolist()),
        )
        for name, run in runs
    ]
    asked = {name for _, run in runs for name in run.questions["question"].tolist()}
    return Quality(
        dataset.identity,
        len({question.conversation for question in gold.questions if question.id in asked}),
        len(asked),
        tuple(rows),
        tuple(_orders(columns, sampling)),
        tuple(audit_table()) if any(row.published for row in rows) else (),
    )


def _orders(columns: Mapping[str, Sequence[MeasureColumn]], sampling: DatasetSampling) -> list[ClaimedOrder]:
    """Compare the document's systems two by two."""
    columns_by_name = {
        name: {column.name: column for column in system_columns}
        for name, system_columns in columns.items()
        if name in TABLE
    }
    orders = []
    for place, (heading, measure) in enumerate(PUBLISHED_AS.items()):
        claimed_names = sorted(columns_by_name, key=lambda name: TABLE[name][place])
        pairs = list(combinations(claimed_names, 2))
        triples = [
            (f"{a} | {b}", columns_by_name[a][measure].rows, columns_by_name[b][measure].rows) for a, b in pairs
        ]
        by_name = {difference.measure: difference for difference in differences_of(triples, sampling)[0]}
        for (a, b), (name, _, _) in zip(pairs, triples, strict=True):
            if name in by_name:
                orders.append(ClaimedOrder(heading, a, b, by_name[name], _verdict(by_name[name])))
    return orders


def _verdict(difference: Difference) -> str:
    """Read a difference of the system with the higher published figure beside that with the lower."""
    return {
        Conclusion.BETTER: HOLDS,
        Conclusion.WORSE: REVERSED,
        Conclusion.HIGHER: HOLDS_ALONE,
        Conclusion.LOWER: REVERSED_ALONE,
    }.get(difference.verdict, str(difference.verdict))
