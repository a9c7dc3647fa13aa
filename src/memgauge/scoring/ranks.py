"""Ranks of a board: over questions that everybody was asked, each with the set of ranks that a system may have."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from memgauge.scoring.compare import detectable
from memgauge.stats import rank_sets

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.measures import Measure
    from memgauge.scoring.board import Entry
    from memgauge.scoring.entries import Candidate
    from memgauge.scoring.score import DatasetSampling


def ranked_entries(
    candidates: Sequence[Candidate], sampling: DatasetSampling, primary: Measure
) -> dict[str, Entry]:
    """Rank *candidates* by the first measure of a board; equal means share a rank.

    Questions of one conversation say nothing of others, and leave nobody a set of ranks. Whoever is short of the
    measure's budgets may be better than was seen, and than anybody.

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
    short = {candidate.entry.run for candidate in candidates if _is_short(candidate, primary)}
    may_lose = () if primary.formula.grows else short
    sets = rank_sets(runs, values, sampling.clusters, common, may_gain=short, may_lose=may_lose)
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
    return {entry.run: entry for entry in entries}


def _is_short(candidate: Candidate, primary: Measure) -> bool:
    """Whether lists of a candidate end at k before a budget of the first measure is full."""
    return not candidate.entry.short_of.keys().isdisjoint(primary.budgets)


def detectable_between(
    candidates: Sequence[Candidate], sampling: DatasetSampling, primary: Measure
) -> float | None:
    """Return the smallest difference of the two best that a board of so many systems shows with 80 % chance.

    Of those that are short of no budget: of others it is not known how much they find.
    """
    whole = [candidate for candidate in candidates if not _is_short(candidate, primary)]
    best = sorted(whole, key=lambda candidate: -candidate.rows.values.sum())[:2]
    if len(best) < 2:
        return None
    return detectable(best[0].rows, best[1].rows, sampling, len(candidates) * (len(candidates) - 1) // 2)
