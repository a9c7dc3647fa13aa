"""Every format by name; a new one is its reader and one line here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.registry import Registry

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from memgauge.exchange.trace import JoinedDataset, Joining

    Reader = Callable[[Path, JoinedDataset], Joining]

IMPORTERS: Registry[Reader] = Registry(
    "format",
    "memgauge.importers",
    {
        "amb": "memgauge.exchange.harnesses:read_amb",
        "aml": "memgauge.exchange.leaderboard:read_leaderboard",
        "csv": "memgauge.exchange.table:read_csv",
        "jsonl": "memgauge.exchange.table:read_jsonl",
        "longmemeval": "memgauge.exchange.longmemeval:read_longmemeval",
        "mem0": "memgauge.exchange.harnesses:read_mem0",
        "memorybench": "memgauge.exchange.memorybench:read_memorybench",
        "otlp": "memgauge.exchange.otlp.joined:read_otlp",
        "trec": "memgauge.exchange.trec:read_trec",
    },
)
"""What `memgauge runs import` reads."""
