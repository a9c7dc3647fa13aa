"""Runs that are audited together, and the one dataset that they were made on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memgauge.datasets.catalogue import open_dataset
from memgauge.errors import ConfigError
from memgauge.runs.record.store import find_runs, load
from memgauge.scoring.gold import GoldTable

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from memgauge.datasets.base import Dataset
    from memgauge.runs.record.store import Run


MOST: Final = 60
"""Hits that the paper looks at."""


def hits_to_look_at(runs: Sequence[Run], asked: int | None) -> int:
    """Return *asked*, or as many as every run was asked for, :data:`MOST` where that is more.

    Raises:
        ConfigError: Lists of a run end before.
    """
    if asked is None:
        return min([MOST, *(run.manifest.limits.k for run in runs)])
    for run in runs:
        k = run.manifest.limits.k
        if k < asked and (run.hits["rank"] >= k).any():
            raise ConfigError(
                f"Lists of {run.label} end at {k} memories, which is all that was asked for: nothing is known of "
                f"rank {k + 1} to {asked}.",
                f"Say --k {min(each.manifest.limits.k for each in runs)}, or play it again with --k {asked}.",
            )
    return asked


def open_runs(paths: tuple[Path, ...]) -> tuple[list[Run], GoldTable, Dataset]:
    """Open runs and the one dataset that they were made on.

    Raises:
        ConfigError: They are on several.
    """
    runs = [load(folder) for folder in find_runs(paths)]
    refs = sorted({run.manifest.dataset.ref for run in runs})
    if len(refs) > 1:
        raise ConfigError(f"These runs are on {len(refs)} datasets: {', '.join(refs)}.", "Audit one at a time.")
    dataset = open_dataset(refs[0], allow_unpinned=True)
    return runs, GoldTable.read(dataset), dataset
