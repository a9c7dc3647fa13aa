"""The measures of the third document over a frozen run: precision, recall, time, contradiction, sets, silence."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

import numpy as np

from memgauge.measures import Reads, Rows, parse
from memgauge.records import Contract, Denominator
from memgauge.scoring.align import align
from memgauge.scoring.score import MeasureColumn, column

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memgauge.measures import Measure
    from memgauge.runs.record.store import Run
    from memgauge.scoring.align import JudgedRun
    from memgauge.scoring.gold import GoldTable

NAMES: Final = (
    "Precision(conv=returned)@5",
    "Precision@5",
    "Precision(conv=cap)@5",
    "Recall@5",
    "Recall@10",
    "Complete@10",
    "Temporal(strict)@5",
    "Temporal(lenient)@5",
    "Contaminated@5",
    "Omitted@5",
    "StaleShare@5",
    "AsOf@5",
    "Contradiction",
    "AnyContradiction",
    "Contradiction@5",
    "AnyContradiction@5",
    "Unresolved@5",
    "SetF1@10",
    "SilentRightly",
    "SilentWrongly",
)
"""The measures of the study."""


def quality_columns(run: Run, gold: GoldTable, names: Sequence[str] = NAMES) -> list[MeasureColumn]:
    """Value every question of *run*, by every measure of the study where none is named.

    Raises:
        ConfigError: A measure is read neither from rankings nor from facts.
    """
    judged = quality_judged(run, gold, names)
    return [column(judged, measure) for measure in _parsed(names)]


def quality_judged(run: Run, gold: GoldTable, names: Sequence[str]) -> JudgedRun:
    """Judge as many hits of *run* as these measures look at: all that were kept, where one names no number.

    Raises:
        ConfigError: A measure is read neither from rankings nor from facts.
    """
    measures = _parsed(names)
    depths = [run.manifest.limits.k if each.reads_whole_lists else each.depth or 1 for each in measures]
    return align(run, gold, Contract(), max(depths))


def _parsed(names: Sequence[str]) -> list[Measure]:
    return [parse(name).required(Reads.RANKINGS, Reads.FACTS) for name in names]


def by_part(
    columns: Sequence[MeasureColumn], parts: Mapping[str, Sequence[int]]
) -> dict[str, list[MeasureColumn]]:
    """Cut columns to the questions of each part, by their places."""
    cut: defaultdict[str, list[MeasureColumn]] = defaultdict(list)
    for part, places in parts.items():
        chosen = np.array(places, dtype=np.int64)
        for whole in columns:
            values, defined = whole.rows.values[chosen], whole.rows.defined[chosen]
            n = int(defined.sum())
            gone = {"not scored": len(chosen) - n} if n < len(chosen) else {}
            cut[part].append(MeasureColumn(whole.name, Rows(values, defined), Denominator(len(chosen), n, gone)))
    return dict(cut)
