"""The base of the built-in policies: a store of turns, and a way to rank them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

from memgauge.records import Hit, Ranking, ScoreKind
from memgauge.systems.policies.store import TurnStore, expired
from memgauge.systems.protocol import Capabilities, EventTime, Role

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from memgauge.records import Memory, Scope
    from memgauge.systems.policies.store import Shelf


class Policy(TurnStore, ABC):
    """A memory that keeps every turn and differs from others only in how it ranks them."""

    name: str
    version = "1"
    role: ClassVar[Role] = Role.SYSTEM
    score_kind: ClassVar[ScoreKind] = ScoreKind.NONE
    needs: ClassVar[tuple[str, ...]] = ()
    stand_ins: tuple[str, ...] = ()

    def capabilities(self) -> Capabilities:
        """Declare what all policies share, and the role and scores of this one."""
        return Capabilities(
            event_time=EventTime.STORED,
            score_kind=self.score_kind,
            reports_changes=True,
            declares_sources=True,
            needs=self.needs,
            role=self.role,
            stand_ins=self.stand_ins,
        )

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Return the best *k* memories of *scope* that have not expired by *as_of*."""
        shelf = self._shelves.get(scope)
        if shelf is None or k < 1:
            return Ranking((), self.score_kind)
        ended = {m.id for m in shelf.memories.values() if expired(m, as_of)}
        ranked = self._rank(query, scope, shelf, k + len(ended))
        hits = [Hit(memory, score) for memory, score in ranked if memory.id not in ended]
        return Ranking(tuple(hits[:k]), self.score_kind)

    @abstractmethod
    def _rank(self, query: str, scope: Scope, shelf: Shelf, k: int) -> Iterable[tuple[Memory, float | None]]:
        """Order the memories of *shelf*, best first; at least the first *k* that are worth returning."""
