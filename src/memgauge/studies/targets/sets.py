"""Evidence as a set: how often all of it is found, how far down, within how many tokens, how specifically."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from memgauge.results import result
from memgauge.studies.targets.lineup import TARGETS
from memgauge.text.tokens import count_tokens

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from memgauge.studies.targets.lineup import Audited, Lineup

SIZES = {"1": (1, 1), "2": (2, 2), "3+": (3, 10_000)}
"""Groups of questions by how many evidence turns they have."""
BUDGETS = (500, 1_000, 2_000, 4_000)
"""Tokens of context."""


@result
@dataclass(frozen=True)
class SetRow:
    """One run under one target."""

    label: str
    target: str
    complete: Mapping[str, float | None]
    """Share of questions with all evidence among the first k, by group of size."""
    hit: Mapping[str, float | None]
    """Share with any, by group: what a hit rate hides."""
    rank: float | None
    """Mean rank at which the evidence is complete, where it is."""
    within: Mapping[str, float]
    """Share complete within so many tokens."""
    specific: float
    """The ranking metric with the credit of a memory divided by how many turns it descends from."""


def evidence_sets(lineup: Lineup) -> list[SetRow]:
    """Measure every run under every target that it serves."""
    return [
        _row(lineup, audited, str(target), tokens_spent)
        for audited in lineup.runs
        for tokens_spent in [_spent(audited)]
        for target in TARGETS
        if audited.serves(target)
    ]


def _row(lineup: Lineup, audited: Audited, target: str, spent: NDArray[np.float64]) -> SetRow:
    judged_target = audited.judged(target)
    has_evidence = lineup.inside & (judged_target.relevant > 0)
    n_covered = judged_target.covered.cumsum(axis=1)
    is_whole = np.greater_equal(n_covered, judged_target.anchors[:, None])
    complete, rank = is_whole[:, -1], is_whole.argmax(axis=1) + 1
    size = judged_target.anchors
    groups = {name: has_evidence & (size >= low) & (size <= high) for name, (low, high) in SIZES.items()}
    return SetRow(
        label=audited.label,
        target=target,
        complete={name: _mean(complete, group) for name, group in groups.items()},
        hit={name: _mean(n_covered[:, -1] > 0, group) for name, group in groups.items()},
        rank=float(rank[has_evidence & complete].mean()) if (has_evidence & complete).any() else None,
        within={
            f"{budget:,}": float((is_whole & (spent <= budget)).any(axis=1)[has_evidence].mean())
            if has_evidence.any()
            else 0.0
            for budget in BUDGETS
        },
        specific=_specific(audited, target, has_evidence),
    )


def _specific(audited: Audited, target: str, inside: NDArray[np.bool_]) -> float:
    """Weigh the first credit of every anchor by 1 / |lineage|: a summary of 20 turns names none of them."""
    hits = audited.hits[target]
    breadth = np.array([max(len(turns), 1) for turns in audited.run.memories["sources"]], dtype=np.float64)
    gains = hits.first(hits.anchor, 1.0 / breadth[hits.trace.memory[hits.hits]])
    discount = 1.0 / np.log2(np.arange(2.0, hits.k + 2.0))
    ideal = (np.arange(hits.k) < hits.findable[:, None]) @ discount
    values = (gains @ discount)[inside] / np.where(ideal > 0, ideal, 1.0)[inside]
    return float(values.mean()) if len(values) else 0.0


def _spent(audited: Audited) -> NDArray[np.float64]:
    """Return (Q, K) the tokens of the first hits of every question; infinite beyond what was returned.

    Of a text that was left out nothing is known, so it fits no budget.
    """
    trace, k = audited.trace, audited.spec.k
    texts = (text for _, _, text, _ in audited.run.texts())
    tokens = np.array([np.inf if text is None else count_tokens(text) for text in texts], dtype=np.float64)
    rank = np.arange(len(trace.query)) - trace.starts[trace.query]
    within_k = rank < k
    spent = np.full((trace.n_queries, k), np.inf)
    spent[trace.query[within_k], rank[within_k]] = tokens[trace.memory[within_k]]
    return spent.cumsum(axis=1)


def _mean(values: NDArray[np.bool_], group: NDArray[np.bool_]) -> float | None:
    return float(values[group].mean()) if group.any() else None
