"""Deliberately bad systems: every fault that the harness and the conformance check must see."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from memgauge.records import Hit, Memory, Ranking, Scope, ScoreKind
from memgauge.registry import named
from memgauge.systems.policies.lexical import Bm25Policy

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from memgauge import ranges


class Faulty(Bm25Policy):
    """BM25 with one fault."""

    how: ClassVar[str]

    def __init_subclass__(cls, *, how: str) -> None:
        """Name a fault."""
        super().__init_subclass__()
        cls.how, cls.name = how, f"faulty:{how}"


class Raises(Faulty, how="raises"):
    """Every search raises."""

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:  # noqa: ARG002 - protocol
        """Raise."""
        raise RuntimeError("this system raises on purpose")


class Hangs(Faulty, how="hangs"):
    """Every search takes *sleep* seconds."""

    def __init__(self, *, sleep: float = 3600) -> None:
        super().__init__()
        self._sleep = sleep

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Sleep, then search."""
        time.sleep(self._sleep)
        return super().search(query, scope, k, as_of)


class Duplicates(Faulty, how="duplicates"):
    """Returns every hit twice."""

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Double the hits."""
        ranking = super().search(query, scope, k, as_of)
        return replace(ranking, hits=tuple(hit for hit in ranking.hits for _ in range(2))[:k])


class TooMany(Faulty, how="too_many"):
    """Returns everything stored, whatever k is."""

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:  # noqa: ARG002 - protocol
        """Ignore k."""
        return Ranking(tuple(Hit(memory) for memory in self.dump(scope)), ScoreKind.NONE)


class NotANumber(Faulty, how="nan"):
    """Scores every hit NaN."""

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Spoil the scores."""
        ranking = super().search(query, scope, k, as_of)
        return replace(ranking, hits=tuple(replace(hit, score=float("nan")) for hit in ranking.hits))


class Foreign(Faulty, how="foreign"):
    """Puts a memory first that was never stored."""

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Invent a hit."""
        ranking = super().search(query, scope, k, as_of)
        invented = Hit(Memory("never-stored", "Nobody said this."), score=1e9)
        return replace(ranking, hits=(invented, *ranking.hits)[:k])


class Leaky(Faulty, how="leaky"):
    """Searches all scopes, whichever is asked for."""

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Merge what every scope has to say."""
        search = super().search
        hits = [hit for shelf in (scope, *self._shelves) for hit in search(query, shelf, k, as_of).hits]
        unique = {(hit.memory.id, hit.memory.text): hit for hit in hits}
        merged = sorted(unique.values(), key=lambda hit: -(hit.score or 0))
        return Ranking(tuple(merged[:k]), self.score_kind)


class AmnesicFault(Faulty, how="amnesic"):
    """Forgets everything when it is flushed."""

    def flush(self, scope: Scope, timeout_s: float) -> None:  # noqa: ARG002 - the protocol's signature
        """Forget."""
        self.reset()


FAULTS: Mapping[str, Callable[..., Faulty]] = {
    fault.how: fault for fault in (Raises, Hangs, Duplicates, TooMany, NotANumber, Foreign, Leaky, AmnesicFault)
}


def faulty(variant: str = "raises", *, sleep: ranges.Pause = 3600) -> Faulty:
    """Open a system with one fault on purpose: ``faulty:raises``, ``faulty:hangs,sleep=2``, ``faulty:leaky``."""
    return Hangs(sleep=sleep) if variant == Hangs.how else named("fault", variant, FAULTS)()
