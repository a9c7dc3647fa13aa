"""Runs that are audited together, and the one dataset that they were made on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.datasets.catalogue import open_dataset
from memgauge.errors import ConfigError
from memgauge.runs.record.store import find_runs, load
from memgauge.scoring.gold import GoldTable

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.datasets.base import Dataset
    from memgauge.runs.record.store import Run


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
