"""What a system's memories are worth without its search: the same memories, in random order, by the same budget.

A system that cuts a conversation into few large memories, or into many small ones, has another chance level than
one that keeps turns. Whatever it does better than this floor is owed to its search.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from functools import partial
from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from memgauge.measures import Trace, find
from memgauge.measures.measure import BUDGETS
from memgauge.scoring.spending import counted
from memgauge.scoring.targets import credited
from memgauge.stats import estimates

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from memgauge.measures import Measure
    from memgauge.runs.record.store import Run
    from memgauge.scoring.align import JudgedRun
    from memgauge.scoring.gold import GoldTable
    from memgauge.scoring.score import DatasetSampling

SEED = 20261122
SPARE = 2.0
"""How many times as many tokens are drawn as the largest budget holds, since lengths differ."""
LEVEL = 0.05
BLOCK = 1 << 20
"""Random numbers that are held at once."""


def own_floor(judged: JudgedRun, gold: GoldTable) -> JudgedRun | None:
    """Put the run's own memories in random order for every question; ``None`` where their lengths are unknown.

    Only measures over budgets of tokens can be read from what is returned.
    """
    run = judged.run
    if not run.stored or np.isnan(run.characters).any():
        return None
    trace = shuffled(run, gold)
    deepest = max(int(np.diff(trace.starts).max(initial=1)), 1)
    hits = find(
        trace,
        judged.borne,
        gold.anchors(judged.contract.evidence),
        k=deepest,
        credited=credited(run, judged.contract.target),
    )
    counts = counted(run, gold, trace)
    spending = replace(judged.spending, evidence=hits, source=hits, count_lengths=counts)
    return replace(judged, credit_hits=partial(replace, judged.hits, spending=spending))


def shuffled(run: Run, gold: GoldTable) -> Trace:
    """Draw, for every question of *run*, the last versions of its conversation's memories without replacement.

    No more of them than the harness keeps of a search: the floor is what the same limits leave of no search.
    """
    rng = np.random.default_rng(SEED)
    homes, lengths = run.memories["conversation"], np.maximum(run.characters / 4, 1.0)
    by_home = defaultdict[str, list[int]](list)
    for row in run.last_versions.tolist():
        by_home[str(homes[row])].append(row)
    stored = {home: np.array(rows, dtype=np.int64) for home, rows in by_home.items()}
    most = run.manifest.limits.k
    wanted = {home: min(_enough(lengths[rows]), most) for home, rows in stored.items()}
    asked = defaultdict[str, list[int]](list)
    for name in run.questions["question"].tolist():
        if (place := gold.number.get(name)) is not None:
            asked[gold.questions[place].conversation].append(place)
    drawn = [np.empty(0, dtype=np.int64)] * len(gold.questions)
    for home in sorted(stored.keys() & asked.keys()):
        for place, rows in zip(
            asked[home], _drawn(rng, stored[home], wanted[home], len(asked[home])), strict=True
        ):
            drawn[place] = rows
    query = np.repeat(np.arange(len(drawn)), [len(rows) for rows in drawn])
    return Trace(query.astype(np.int32), np.concatenate(drawn).astype(np.int32), len(drawn))


def _drawn(
    rng: np.random.Generator, stored: NDArray[np.int64], wanted: int, times: int
) -> Iterator[NDArray[np.int64]]:
    """Yield *wanted* of *stored* in random order, anew each time; a few rounds at once."""
    at_once = max(1, BLOCK // len(stored))
    for start in range(0, times, at_once):
        keys = rng.random((min(at_once, times - start), len(stored)))
        first = np.argpartition(keys, wanted - 1, axis=1)[:, :wanted]
        order = np.argsort(np.take_along_axis(keys, first, axis=1), axis=1)
        yield from stored[np.take_along_axis(first, order, axis=1)]


def _enough(tokens: NDArray[np.float64]) -> int:
    """Return how many memories of such lengths fill the largest budget, with some to spare."""
    return min(len(tokens), ceil(SPARE * max(BUDGETS) / float(tokens.mean())) + 1)


def rises(judged: JudgedRun, floor: JudgedRun, measure: Measure, sampling: DatasetSampling) -> bool | None:
    """Whether a run is better than its own floor, question by question and beyond conversations.

    ``None`` with one conversation, or where one has nearly all questions: nobody knows.
    """
    own, bare = judged.rows(measure), floor.rows(measure)
    both = own.defined & bare.defined
    difference = np.where(both, own.values - bare.values, 0.0)
    (estimate,) = estimates(difference[:, None], sampling.clusters, both[:, None])
    if estimate.mean is None or estimate.se is None:
        return None
    return estimate.mean > 0 and (estimate.p is None or estimate.p < LEVEL)
