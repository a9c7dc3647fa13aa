"""What computes the figures of ``reproduce/``: one function a section, every figure by name."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np

from memgauge.datasets.catalogue import open_dataset
from memgauge.datasets.locomo.convert import CATEGORIES
from memgauge.measures import Anchors, Descent, Trace, judge, parse
from memgauge.records import Contract, Credit, Target
from memgauge.runs.play.execute import execute
from memgauge.runs.play.plan import plan
from memgauge.scoring.leaderboard import leaderboards
from memgauge.scoring.score import Settings
from memgauge.stats import inversion, spearman

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

LEXICAL = ("bm25:as_heard=false", "tfidf:as_heard=false")
"""In the form in which the figures were published: words alone."""
MEASURES = ("nDCG@10", "Recall@10", "Hit@5", "MRR@60")

HIT_CLEAN = (0.568, 0.504, 0.461, 0.596, 0.682)
RECOVERY_CLEAN = (0.571, 0.506, 0.483, 0.605, 0.676)
RECOVERY_INTERRUPTED = (0.359, 0.348, 0.478, 0.345, 0.371)
"""Flat, Gated, HSR, RaptorTree, Fusion. Source: ShiftBench, Table 1, the five lexical columns."""

ROWS: Mapping[str, tuple[Sequence[int], Sequence[Sequence[int]]]] = {
    "commute": ((1, *range(2, 54), 0), ((0,), (0,))),
    "degree": ((2, *range(3, 62)), ((0,), (1,), (0,))),
    "theater": ((2, 3, 1), ((0,), (0,))),
}
"""A ranking, and the evidence that each of the first memories descends from, of which the last one is canonical.

Reconstructed from the discounts: 0.173 is rank 54, 0.5 rank 3, and 0.613 one of two anchors found at rank 1.
Source: "Scoring targets", Table 11.
"""


def locomo() -> Mapping[str, float]:
    """Count LoCoMo."""
    description = open_dataset("locomo").describe()
    categories = cast("Mapping[str, int]", description["categories"])
    names = ("conversations", "sessions", "turns", "questions", "with_evidence", "scored_strict", "scored_repair")
    counts = {name: float(cast("int", description[name])) for name in names}
    return counts | {f"category_{number}": float(categories[name]) for number, name in CATEGORIES.items()}


def instrument() -> Mapping[str, float]:
    """Run the lexical systems on LoCoMo and score them under the default contract."""
    with tempfile.TemporaryDirectory() as scratch:
        folders = execute(plan(["locomo"], LEXICAL), Path(scratch))
        (built,) = leaderboards(folders, Settings(Contract(), MEASURES))
    scores = {(entry.system, name): score for entry in built.board.entries for name, score in entry.scores.items()}
    figures = {
        f"{system} {name}": score.value for (system, name), score in scores.items() if score.value is not None
    }
    return figures | {"questions scored": float(min(score.denominator.scored for score in scores.values()))}


def measures() -> Mapping[str, float]:
    """Compute what the documents computed from numbers that they print."""
    return dict(_table_11()) | dict(_table_1())


def _table_11() -> Iterator[tuple[str, float]]:
    for name, (ranking, evidence) in ROWS.items():
        for target in Target:
            yield f"{name} {target}", _ndcg(ranking, evidence, target)


def _ndcg(ranking: Sequence[int], evidence: Sequence[Sequence[int]], target: Target) -> float:
    """Score one ranking over memories that descend from *evidence* and, behind them, over such that do not."""
    anchors = sorted({turn for turns in evidence for turn in turns})
    filler = range(len(evidence), max(*ranking, len(evidence)) + 1)
    turns = [*evidence, *((len(anchors) + number,) for number in filler)]
    raw = np.ones(len(turns), dtype=np.bool_)
    raw[len(evidence) - 1] = False
    judged_ranking = judge(
        Trace(np.zeros(len(ranking), np.int32), np.array(ranking, np.int32), 1),
        Descent(np.arange(len(turns) + 1), np.array([turn for (turn,) in turns], np.int32)),
        Anchors(np.zeros(len(anchors), np.int32), np.array(anchors, np.int32)),
        k=60,
        credited={Target.RAW: raw, Target.CANONICAL: ~raw, Target.SOURCE: None}[target],
        credit=Credit.ANCHOR,
    )
    return float(parse("nDCG@60").rows(judged_ranking).values[0])


def _table_1() -> Iterator[tuple[str, float]]:
    for name, recovery in (("natural", RECOVERY_CLEAN), ("interrupted", RECOVERY_INTERRUPTED)):
        for statistic in (spearman, inversion):
            value = statistic(HIT_CLEAN, recovery).value
            if value is not None:
                yield f"{statistic.__name__} {name}", value
