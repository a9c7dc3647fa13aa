"""Every benchmark by name; a new one is its module and one line here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.registry import Registry, parse_ref

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.datasets.base import Dataset
    from memgauge.datasets.kind import DatasetKind

DATASETS: Registry[DatasetKind] = Registry(
    "dataset",
    "memgauge.datasets",
    {
        "beam": "memgauge.datasets.beam.dataset:KIND",
        "beir": "memgauge.datasets.beir.dataset:KIND",
        "changed": "memgauge.datasets.changed.kind:KIND",
        "convomem": "memgauge.datasets.convomem.dataset:KIND",
        "halumem": "memgauge.datasets.halumem.dataset:KIND",
        "locomo": "memgauge.datasets.locomo.dataset:KIND",
        "locomo_plus": "memgauge.datasets.locomo_plus.dataset:KIND",
        "longmemeval": "memgauge.datasets.longmemeval.dataset:KIND",
        "membench": "memgauge.datasets.membench.dataset:KIND",
        "memdaily": "memgauge.datasets.memdaily.dataset:KIND",
        "memoryagentbench": "memgauge.datasets.memoryagentbench.dataset:KIND",
        "own": "memgauge.datasets.own.dataset:KIND",
        "perltqa": "memgauge.datasets.perltqa.dataset:KIND",
        "personamem": "memgauge.datasets.personamem.dataset:KIND",
        "precisionmembench": "memgauge.datasets.precisionmembench.dataset:KIND",
        "prefeval": "memgauge.datasets.prefeval.dataset:KIND",
        "realtalk": "memgauge.datasets.realtalk.dataset:KIND",
        "rhelm": "memgauge.datasets.rhelm.dataset:KIND",
        "synthetic": "memgauge.datasets.synthetic.world:KIND",
    },
)
"""What :func:`open_dataset` can open, built in or installed."""


def open_dataset(ref: str, *, root: Path | None = None, allow_unpinned: bool = False) -> Dataset:
    """Open a benchmark by its text: ``locomo``, ``longmemeval:s``, or ``synthetic:small,seed=3``.

    Args:
        ref: Name, variant and options, as :func:`memgauge.registry.parse_ref` reads them.
        root: Look for files only in this folder.
        allow_unpinned: Accept a file that is not the published one; its identity then says so.

    Raises:
        UnknownNameError: A name, a variant or an option that does not exist.
        DataError: A file is missing, is not the published one, or is broken.
    """
    parsed = parse_ref(ref)
    return DATASETS.get(parsed.name).open(parsed, root=root, allow_unpinned=allow_unpinned)
