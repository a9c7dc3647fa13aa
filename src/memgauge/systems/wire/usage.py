"""What calls cost: time, processor, memory, bytes on disk; and what the process reached for."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from memgauge.metering import plain_tallies

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path


@dataclass(slots=True)
class MethodCost:
    """All calls of one method."""

    calls: int = 0
    ms: float = 0.0
    """As the caller measures it, the wire included."""
    cpu_ms: float = 0.0
    """Of the process that serves, where that can be told."""


@dataclass(slots=True)
class SystemUsage:
    """Everything that one opened system used."""

    methods: dict[str, MethodCost] = field(default_factory=dict)
    peak_rss: int = 0
    """The most bytes of memory seen after a call."""
    stored: int | None = None
    """Bytes of the store when it was last settled; ``None`` where it names no files."""
    starts: int = 0
    """How often its process was started: once, and once more after each death."""
    outside: Counter[str] = field(default_factory=Counter)
    """Addresses outside this machine that were reached for, with how often."""
    models: dict[str, dict[str, int]] = field(default_factory=dict)
    """What the other end says that it asked models, by name."""
    strayed: list[str] = field(default_factory=list)
    """Files written outside the process's own folder."""

    def add(self, method: str, ms: float, used: dict[str, Any]) -> None:
        """Count one call, and what its answer said that it used."""
        cost = self.methods.setdefault(method, MethodCost())
        cost.calls += 1
        cost.ms += ms
        cost.cpu_ms += used.get("cpu_ms", 0.0)
        self.peak_rss = max(self.peak_rss, used.get("rss_bytes", 0))
        self.outside.update(used.get("outside", {}))
        for model, tally in plain_tallies(used.get("models")).items():
            self.asked(model, asdict(tally))
        self.strayed += used.get("strayed", ())

    def asked(self, model: str, counts: Mapping[str, int]) -> None:
        """Add what one model was asked."""
        mine = self.models.setdefault(model, {})
        mine |= {name: mine.get(name, 0) + count for name, count in counts.items()}


def bytes_of(paths: Iterable[Path]) -> int:
    """Add up the sizes of files, and of all files in folders."""
    total = 0
    for path in paths:
        for file in path.rglob("*") if path.is_dir() else [path]:
            try:
                total += file.stat().st_size if file.is_file() else 0
            except OSError:  # a store removes files while it is looked at
                continue
    return total


def total(accounts: Iterable[SystemUsage]) -> SystemUsage:
    """Add up accounts; of memory and of stored bytes the most that one of them had."""
    summed = SystemUsage()
    for account in accounts:
        for method, cost in account.methods.items():
            mine = summed.methods.setdefault(method, MethodCost())
            mine.calls += cost.calls
            mine.ms += cost.ms
            mine.cpu_ms += cost.cpu_ms
        summed.peak_rss = max(summed.peak_rss, account.peak_rss)
        if account.stored is not None:
            summed.stored = max(summed.stored or 0, account.stored)
        for model, counts in account.models.items():
            summed.asked(model, counts)
        summed.starts += account.starts
        summed.outside.update(account.outside)
        summed.strayed += account.strayed
    return summed
