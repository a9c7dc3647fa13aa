"""How far answers are borne out by the memories that they were made from, by words alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.measures.answers.consistency import QuestionMemories, consistency
from memgauge.records import Outcome
from memgauge.scoring.score import MeasureColumn

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memgauge.measures import Measure
    from memgauge.measures.answers.consistency import ClaimCounts
    from memgauge.runs.layers.layer import Layer
    from memgauge.runs.record.rows import Row
    from memgauge.runs.record.store import Run
    from memgauge.scoring.gold import GoldTable

_RETRIEVED = "retrieved"


def supported_columns(run: Run, layer: Layer, gold: GoldTable, measures: Sequence[Measure]) -> list[MeasureColumn]:
    """Value every answer by *measures* of its claims.

    Undefined for an answer without a claim, and where the answerer was shown something else than memories.
    """
    if not measures:
        return []
    rows = layer.rows()
    counts = _consistencies(run, rows) if layer.manifest.maker["context"] == _RETRIEVED else {}
    return [_column(measure, rows, counts, gold) for measure in measures]


def _consistencies(run: Run, rows: Sequence[Row]) -> dict[str, ClaimCounts]:
    answers = {row["question"]: row for row in rows if Outcome(row["outcome"]).valid and row["text"]}
    depth = max((row["shown"] for row in answers.values()), default=0)
    hits = run.hits_of(list(answers), depth) if depth else {}
    counts = {}
    for question, row in answers.items():
        texts = [hit["text"] for hit in hits.get(question, [])[: row["shown"]] if hit["text"] is not None]
        counts[question] = consistency(row["text"], QuestionMemories(texts))
    return counts


def _column(
    measure: Measure, rows: Sequence[Row], counts: Mapping[str, ClaimCounts], gold: GoldTable
) -> MeasureColumn:
    cells: dict[str, float | str] = {}
    for row in rows:
        claimed = counts.get(row["question"])
        value: float | None = None if claimed is None else measure.formula.compute(claimed)
        why = measure.formula.undefined if Outcome(row["outcome"]).valid else str(row["outcome"])
        cells[row["question"]] = why if value is None else value
    return MeasureColumn.of(str(measure), gold, cells)
