"""The figures of this study, computed again."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from memgauge.datasets.catalogue import open_dataset
from memgauge.datasets.synthetic.asked import QuestionKind
from memgauge.datasets.synthetic.words import WordingLevel
from memgauge.measures.published import recall_at_k_as_published
from memgauge.runs.play.execute import execute
from memgauge.runs.play.plan import plan
from memgauge.runs.record.manifest import limits
from memgauge.runs.record.store import load
from memgauge.scoring.gold import GoldTable
from memgauge.scoring.quality import by_part, quality_columns
from memgauge.studies.quality.ladder import ladder, planned
from memgauge.studies.quality.published import SUITE, SUITE_WITHOUT_TRUTH, precision_ceiling, temporal_floor
from memgauge.studies.quality.study import HOLDS, measure_quality

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from memgauge.runs.play.plan import Plan
    from memgauge.runs.record.store import Run

WORLD = "synthetic:medium"
SUPERSEDES = ("Contradiction rate", "full pipeline")
"""Where the document says what lowers contradiction: the one system that knows what took the place of what."""
ORDERED = {"temporal": "Temporal accuracy", "contradiction": "Contradiction rate", "recall": "Recall@10"}


def quality() -> Mapping[str, float]:
    """Compute the document's own arithmetic, the three distances of the world, and the order of the ladder."""
    return {**_published(), **_levels(), **_ladder()}


def _published() -> dict[str, float]:
    return {
        "published_p5_ceiling": precision_ceiling(SUITE, 5),
        "published_temporal_floor": temporal_floor(len(SUITE), SUITE_WITHOUT_TRUTH),
        "recall_as_published_on_duplicates": recall_at_k_as_published(["m"] * 5, {"m"}, 5),
    }


def _levels() -> dict[str, float]:
    """Search states as they are now by BM25 alone, at each distance."""
    figures = {}
    for level in WordingLevel:
        ref = f"{WORLD},level={level}"
        dataset = open_dataset(ref)
        gold = GoldTable.read(dataset)
        current = [
            place for place, question in enumerate(gold.questions) if question.category == QuestionKind.CURRENT
        ]
        with _runs(plan([ref], ["bm25:as_heard=false"], limits=limits(k=10))) as (run,):
            columns = by_part(quality_columns(run, gold), {"current": current})["current"]
        means = {c.name: float(c.rows.values[c.rows.defined].mean()) for c in columns if c.rows.defined.any()}
        figures[f"synth_{level}_bm25_recall5"] = means["Recall@5"]
        figures[f"synth_{level}_bm25_stale_returned"] = means["Contaminated@5"]
    return figures


def _ladder() -> dict[str, float]:
    rungs = ladder("hashed")  # what every machine has
    with _runs(planned(WORLD, rungs, k=10)) as runs:
        named_runs = [(rung.name, run) for rung, run in zip(rungs, runs, strict=True)]
        measured = measure_quality(open_dataset(WORLD), named_runs)
    figures = {}
    for name, column in ORDERED.items():
        counts = measured.order(column)
        figures[f"ladder_order_{name}"] = measured.agreement(column) or 0.0
        figures[f"ladder_pairs_{name}"] = float(sum(counts.values()))
        figures[f"ladder_pairs_{name}_as_claimed"] = float(counts["as claimed"])
    contradiction_holds = [
        order.verdict == HOLDS for order in measured.orders if (order.column, order.lower) == SUPERSEDES
    ]
    figures["ladder_contradiction_needs_supersession"] = sum(contradiction_holds) / len(contradiction_holds)
    return figures


@contextmanager
def _runs(work: Plan) -> Iterator[list[Run]]:
    with TemporaryDirectory() as scratch:
        folders = execute(work, Path(scratch))
        yield [load(folder) for folder in folders]
