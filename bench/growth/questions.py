"""Scoring over the number of questions: judge 10 hits each, three measures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bench.clock import Clock
from bench.growth.curve import Curve

if TYPE_CHECKING:
    from pathlib import Path

DEPTH, STORE = 10, 600


def work(n: int, _: Path) -> dict[str, float]:
    """Score *n* questions."""
    from memgauge.measures import Anchors, Descent, Trace, judge, parse
    from memgauge.records import Credit

    rng = np.random.default_rng(1)
    conversations = max(n // 200, 1)
    total = conversations * STORE
    own = np.repeat(np.arange(n) % conversations * STORE, DEPTH)
    steps = (np.arange(DEPTH) * 7)[None, :] + rng.integers(0, STORE, n)[:, None]
    trace = Trace(
        np.repeat(np.arange(n, dtype=np.int32), DEPTH), (steps.ravel() % STORE + own).astype(np.int32), n
    )
    wanted = (rng.integers(0, STORE, n) + np.arange(n) % conversations * STORE).astype(np.int32)
    evidence = Anchors(np.arange(n, dtype=np.int32), wanted)
    descent = Descent(np.arange(total + 1), np.arange(total, dtype=np.int32))
    measures = [parse(text) for text in ("nDCG@10", "MRR@10", "Recall@10")]
    clock = Clock()
    with clock.part("judge"):
        judged = judge(trace, descent, evidence, k=DEPTH, credit=Credit.ANCHOR)
    with clock.part("measures"):
        for measure in measures:
            measure.rows(judged)
    return clock.parts


CURVE = Curve(
    "scoring, 10 hits a question",
    "questions",
    (10**2, 10**3, 10**4, 10**5, 10**6, 4 * 10**6),
    work,
    note="between 10⁵ and 10⁶ the arrays leave the cache: 1.43 there; the last size was added to see beyond it",
)
