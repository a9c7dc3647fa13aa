"""How far answers are borne out by the memories that they were made from, by words alone."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from memgauge.measures import Rows
from memgauge.measures.answers.consistency import QuestionMemories, Support, consistency
from memgauge.records import Denominator, Outcome
from memgauge.scoring.score import MeasureColumn

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memgauge.measures.answers.consistency import ClaimCounts
    from memgauge.runs.layers.layer import Layer
    from memgauge.runs.record.rows import Row
    from memgauge.runs.record.store import Run
    from memgauge.scoring.gold import GoldTable

NAMES = {f"{support.capitalize()}(words)": support for support in Support}
"""Scores by name; ``(words)`` says that no judge was asked."""
_RETRIEVED = "retrieved"


def supported_columns(run: Run, layer: Layer, gold: GoldTable, names: Sequence[str]) -> list[MeasureColumn]:
    """Return the share of supported, contradicted or unsupported claims of every answer.

    Undefined for an answer without a claim, and where the answerer was shown something else than memories.
    """
    rows = layer.rows()
    found = _consistencies(run, rows) if layer.manifest.maker["context"] == _RETRIEVED else {}
    return [_column(name, rows, found, gold) for name in names]


def _consistencies(run: Run, rows: Sequence[Row]) -> dict[str, ClaimCounts]:
    said = {row["question"]: row for row in rows if Outcome(row["outcome"]).valid and row["text"]}
    depth = max((row["shown"] for row in said.values()), default=0)
    hits = run.hits_of(list(said), depth) if depth else {}
    found = {}
    for question, row in said.items():
        texts = [hit["text"] for hit in hits.get(question, [])[: row["shown"]] if hit["text"] is not None]
        found[question] = consistency(row["text"], QuestionMemories(texts))
    return found


def _column(name: str, rows: Sequence[Row], found: Mapping[str, ClaimCounts], gold: GoldTable) -> MeasureColumn:
    support = NAMES[name]
    values, defined = np.zeros(len(gold.questions)), np.zeros(len(gold.questions), dtype=np.bool_)
    excluded: Counter[str] = Counter()
    for row in rows:
        one = found.get(row["question"])
        if one is not None and one.claims:
            place = gold.number[row["question"]]
            values[place], defined[place] = getattr(one, support) / one.claims, True
        else:
            failed = not Outcome(row["outcome"]).valid
            excluded[str(row["outcome"]) if failed else "nothing was claimed from memories"] += 1
    scored = int(defined.sum())
    total = scored + sum(excluded.values())
    return MeasureColumn(name, Rows(values, defined), Denominator(total, scored, dict(sorted(excluded.items()))))
