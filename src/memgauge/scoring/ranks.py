"""Ranks of a board: over questions that everybody was asked, each with the set of ranks that a system may have."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from memgauge.scoring.compare import detectable
from memgauge.stats import rank_sets

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.scoring.board import Entry
    from memgauge.scoring.entries import Candidate
    from memgauge.scoring.score import DatasetSampling


def ranked_entries(
    candidates: Sequence[Candidate], sampling: DatasetSampling, budgets: Sequence[int] = ()
) -> dict[str, Entry]:
    """Rank *candidates* by the first measure, which looks at *budgets*; equal means share a rank.

    Questions of one conversation say nothing of others, and leave nobody a set of ranks.

    Returns:
        Their entries by run, ranks filled in.
    """
    if not candidates:
        return {}
    runs = [candidate.entry.run for candidate in candidates]
    values = np.stack([candidate.rows.values for candidate in candidates], axis=1)
    defined = np.stack([candidate.rows.defined for candidate in candidates], axis=1)
    common = np.broadcast_to(defined.all(axis=1, keepdims=True), defined.shape)
    if not common.any():
        return {}
    sets = rank_sets(runs, values, sampling.clusters, common)
    means = dict(zip(runs, values[common[:, 0]].mean(axis=0).tolist(), strict=True))
    entries = [
        replace(
            candidate.entry,
            rank=1 + sum(mean > means[candidate.entry.run] for mean in means.values()),
            rank_low=sets[candidate.entry.run].low,
            rank_high=sets[candidate.entry.run].high,
        )
        for candidate in candidates
    ]
    if len(entries) > 1 and len(np.unique(sampling.clusters.codes[common[:, 0]])) == 1:
        entries = [replace(entry, rank_low=None, rank_high=None) for entry in entries]
    return {entry.run: _widened(entry, entries, budgets) for entry in entries}


def _widened(entry: Entry, entries: Sequence[Entry], budgets: Sequence[int]) -> Entry:
    """Allow for what lies below k: whoever is short of a budget may be better than was seen, and than anybody."""
    if entry.rank_high is None:
        return entry
    short = [each for each in entries if not each.short_of.keys().isdisjoint(budgets)]
    above = sum((each.rank_low or 1) > entry.rank_high for each in short if each is not entry)
    return replace(entry, rank_low=1 if entry in short else entry.rank_low, rank_high=entry.rank_high + above)


def detectable_between(candidates: Sequence[Candidate], sampling: DatasetSampling) -> float | None:
    """Return the smallest difference of the two best that a board of so many systems shows with 80 % chance."""
    best = sorted(candidates, key=lambda candidate: -candidate.rows.values.sum())[:2]
    if len(best) < 2:
        return None
    return detectable(best[0].rows, best[1].rows, sampling, len(candidates) * (len(candidates) - 1) // 2)
