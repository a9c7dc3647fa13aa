"""A hybrid that knows how old things are."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from memgauge.systems.policies.dense import HybridPolicy
from memgauge.systems.policies.writing import TURNS
from memgauge.systems.protocol import EventTime

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from memgauge import ranges
    from memgauge.records import Memory, Scope
    from memgauge.systems.policies.store import Shelf
    from memgauge.systems.protocol import Capabilities

_DAY = 86_400


@dataclass(kw_only=True, eq=False)
class Temporal(HybridPolicy):
    """Fuses BM25 and sentence vectors, and takes off from a score what has aged: half of a share every half-life.

    Tie rule: score, then the order of the fusion.
    """

    name = "temporal"

    embedder: str = "best"
    c: ranges.Factor = 10
    weight: ranges.Share = 0.3
    """The share of a score that age can take."""
    half_life: ranges.Span = 60
    """In days."""
    store: str = field(default=TURNS, init=False)
    capacity: int | None = field(default=None, init=False)

    def capabilities(self) -> Capabilities:
        """Declare that the time of a turn changes what is returned."""
        return replace(super().capabilities(), event_time=EventTime.USED)

    def _rank(self, query: str, scope: Scope, shelf: Shelf, k: int) -> Iterator[tuple[Memory, float | None]]:
        fused = list(super()._rank(query, scope, shelf, k))
        newest = max((m.event_at for m in shelf.memories.values() if m.event_at is not None), default=None)
        aged = [(memory, (score or 0.0) * self._freshness(memory, newest)) for memory, score in fused]
        order = sorted(range(len(aged)), key=lambda place: (-aged[place][1], place))
        return ((aged[place][0], aged[place][1]) for place in order)

    def _freshness(self, memory: Memory, newest: datetime | None) -> float:
        if newest is None or memory.event_at is None:
            return 1.0
        age = (newest - memory.event_at).total_seconds()
        return float(1 - self.weight + self.weight * 0.5 ** (age / (self.half_life * _DAY)))
