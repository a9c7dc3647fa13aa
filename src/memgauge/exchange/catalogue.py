"""Every format by name; a new one is its reader and one line here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.registry import Registry

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from memgauge.exchange.trace import JoinedDataset, Joining
    from memgauge.exchange.traffic.reading import Traffic

    Reader = Callable[[Path, JoinedDataset], Joining]
    TrafficReader = Callable[[Path, Path], Traffic]

IMPORTERS: Registry[Reader] = Registry(
    "format",
    "memgauge.importers",
    {
        "amb": "memgauge.exchange.harnesses:read_amb",
        "csv": "memgauge.exchange.table:read_csv",
        "jsonl": "memgauge.exchange.table:read_jsonl",
        "longmemeval": "memgauge.exchange.longmemeval:read_longmemeval",
        "mem0": "memgauge.exchange.harnesses:read_mem0",
        "memorybench": "memgauge.exchange.harnesses:read_memorybench",
        "trec": "memgauge.exchange.trec:read_trec",
    },
)
"""What `memgauge runs import` reads, beside what was recorded in production."""

RECORDERS: Registry[TrafficReader] = Registry(
    "recorder",
    "memgauge.recorders",
    {"watch": "memgauge.exchange.watched:import_watched"},
)
"""Who records production, by the name of the format; a reader makes traffic of (what was recorded, folder)."""
