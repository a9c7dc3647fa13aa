"""How fast samples are made and scored, and how busy a provider is kept, computed again; no model is asked."""

from __future__ import annotations

import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from memgauge.llm.access import Access, SpendingLimits
from memgauge.llm.prices import Price
from memgauge.studies.context.grid import SampleGrid
from memgauge.studies.context.loopback import Loopback
from memgauge.studies.context.sample import place
from memgauge.studies.context.scorer import score
from memgauge.studies.context.study import conduct
from memgauge.studies.context.tasks import NAMES, sample

if TYPE_CHECKING:
    from collections.abc import Mapping

SAMPLES, LENGTH = 10_000, 4_000
WORKERS, LATENCY_S = 8, 1.0
"""Calls at a time, and seconds that each takes: less than any provider needs for thousands of tokens."""
GRID = SampleGrid(("needle-dialogue", "update"), (1_000, 4_000, 8_000), (0.0, 0.5, 1.0), samples=8)


def speed() -> Mapping[str, float]:
    """Time samples without a model, and a full grid against a server of known latency."""
    return {"seconds_for_10000_samples": _made(), "busy_share": busy()}


def _made() -> float:
    """Return the seconds of one core: what else this machine does is no part of them."""
    start = time.process_time()
    for number in range(SAMPLES):
        speed_sample = sample(NAMES[number % len(NAMES)], number)
        place(speed_sample, LENGTH)
        score(", ".join(speed_sample.gold), speed_sample)
    return time.process_time() - start


def busy(grid: SampleGrid = GRID, latency: float = LATENCY_S, workers: int = WORKERS) -> float:
    """Return the share of the allowed concurrency that a grid keeps busy, from the first call to the last reply.

    Raises:
        MissingExtraError: What speaks to providers is not installed.
    """
    from memgauge.llm.provider import open_model

    with Loopback(latency) as server, TemporaryDirectory() as folder:
        model = open_model("openai:loopback", base_url=server.url, price=Price.flat(0, 0, source="loopback"))
        conduct(
            SampleGrid(grid.tasks[:1], grid.lengths[:1], (0.0,), samples=1), Access(model)
        )  # opens a client once
        server.busy = 0.0
        access = Access(model, SpendingLimits(workers=workers), cassette=Path(folder) / "replies.sqlite")
        start = time.perf_counter()
        conduct(grid, access)
        return server.busy / (workers * (time.perf_counter() - start))
