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
    from collections.abc import Sequence

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
    tokens = [_tokens(audited) for audited in lineup.runs]
    return [
        _row(lineup, number, str(target), tokens[number])
        for number in range(len(lineup.runs))
        for target in TARGETS
        if lineup.serves(number, target)
    ]


def _row(lineup: Lineup, number: int, target: str, tokens: NDArray[np.float64]) -> SetRow:
    audited = lineup.runs[number]
    judged = audited.judged(target, lineup.spec.credit, lineup.spec.coverage)
    inside = lineup.inside & (judged.relevant > 0)
    found = judged.covered.cumsum(axis=1)
    whole = np.greater_equal(found, judged.anchors[:, None])
    complete, rank = whole[:, -1], whole.argmax(axis=1) + 1
    size = judged.anchors
    groups = {name: inside & (size >= low) & (size <= high) for name, (low, high) in SIZES.items()}
    spent = _spent(audited, tokens, lineup.spec.k)
    return SetRow(
        label=audited.label,
        target=target,
        complete={name: _mean(complete, group) for name, group in groups.items()},
        hit={name: _mean(found[:, -1] > 0, group) for name, group in groups.items()},
        rank=float(rank[inside & complete].mean()) if (inside & complete).any() else None,
        within={
            f"{budget:,}": float((whole & (spent <= budget)).any(axis=1)[inside].mean()) if inside.any() else 0.0
            for budget in BUDGETS
        },
        specific=_specific(lineup, audited, target, inside),
    )


def _specific(lineup: Lineup, audited: Audited, target: str, inside: NDArray[np.bool_]) -> float:
    """Weigh the first credit of every anchor by 1 / |lineage|: a summary of 20 turns names none of them."""
    found = audited.found[target]
    breadth = np.array([max(len(each), 1) for each in audited.run.memories["sources"]], dtype=np.float64)
    gains = found.first(found.anchor, 1.0 / breadth[found.trace.memory[found.hits]])
    discount = 1.0 / np.log2(np.arange(2.0, lineup.spec.k + 2.0))
    ideal = (np.arange(lineup.spec.k) < found.findable[:, None]) @ discount
    values = (gains @ discount)[inside] / np.where(ideal > 0, ideal, 1.0)[inside]
    return float(values.mean()) if len(values) else 0.0


def _spent(audited: Audited, tokens: NDArray[np.float64], k: int) -> NDArray[np.float64]:
    """Return (Q, K) the tokens of the first hits of every question; infinite beyond what was returned."""
    trace = audited.trace
    rank = np.arange(len(trace.query)) - trace.starts[trace.query]
    near = rank < k
    spent = np.full((trace.n_queries, k), np.inf)
    spent[trace.query[near], rank[near]] = tokens[trace.memory[near]]
    return spent.cumsum(axis=1)


def _tokens(audited: Audited) -> NDArray[np.float64]:
    """(M,) the tokens of every memory; of a text that was left out nothing is known, so it fits no budget."""
    texts: Sequence[tuple[str, str, str | None, str]] = audited.run.texts()
    return np.array([np.inf if text is None else count_tokens(text) for _, _, text, _ in texts], dtype=np.float64)


def _mean(values: NDArray[np.bool_], group: NDArray[np.bool_]) -> float | None:
    return float(values[group].mean()) if group.any() else None
