"""Every format by name; a new one is its reader and one line here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memgauge.registry import Registry, require_known

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
WATCH: Final = "watch"
"""What `memgauge.watch` recorded: it is about no dataset, and read by itself."""


def require_format(name: str) -> None:
    """Refuse a format that `memgauge runs import` does not read.

    Raises:
        UnknownNameError: It is none; all of them are named.
    """
    require_known("format", [name], {*IMPORTERS.names(), WATCH})
