"""What crafted memories share: BM25 over the turns that they heard, of which they hand over something else."""

from __future__ import annotations

from abc import abstractmethod
from collections import defaultdict
from typing import TYPE_CHECKING, ClassVar

from memgauge.records import Change, Hit, Memory, Operation, Ranking, Receipt
from memgauge.systems.policies.lexical import Bm25Policy
from memgauge.systems.protocol import Capabilities

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from memgauge.records import Scope, Turn

EVERY = 1 << 20
"""More hits than any conversation has turns."""


class Crafted(Bm25Policy):
    """A memory made to win a board without serving a reader."""

    how: ClassVar[str]

    def __init_subclass__(cls, *, how: str = "") -> None:
        """Name a memory, unless others derive from it."""
        super().__init_subclass__()
        cls.how, cls.name = how, f"crafted:{how}"

    def __init__(self) -> None:
        super().__init__()
        self.heard: defaultdict[Scope, list[Turn]] = defaultdict(list)

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Keep the turns, for BM25 and whole."""
        self.heard[scope] += turns
        return super().ingest(turns, scope)

    def reset(self) -> None:
        """Forget everything."""
        super().reset()
        self.heard.clear()


class Reordering(Crafted):
    """Hands over something else than the turns that BM25 would return."""

    @abstractmethod
    def _handed(self, best: list[Memory], query: str, scope: Scope, k: int) -> Iterable[Memory]:
        """Return what is handed over where BM25 would return *best*, of any number."""

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Rank as BM25 does, and hand over something else."""
        best = [hit.memory for hit in super().search(query, scope, EVERY, as_of).hits]
        return Ranking(tuple(map(Hit, self._handed(best, query, scope, k))))


class Retold(Reordering):
    """One memory for each turn, that says something else than the turn and claims it."""

    @abstractmethod
    def _retell(self, turn: Turn, scope: Scope) -> str:
        """Return what is said in the turn's place."""

    def _handed(self, best: list[Memory], query: str, scope: Scope, k: int) -> Iterable[Memory]:  # noqa: ARG002 - the hook's
        turns = {turn.id: turn for turn in self.heard[scope]}
        return (self._retold(turns[memory.id], scope) for memory in best[:k])

    def dump(self, scope: Scope) -> list[Memory]:  # type: ignore[override] # an iterator is promised, a list is one too
        """List what is said in the place of every turn."""
        return [self._retold(turn, scope) for turn in self.heard[scope]]

    def _retold(self, turn: Turn, scope: Scope) -> Memory:
        return Memory(turn.id, self._retell(turn, scope), sources=(turn.id,))


class Gathered(Reordering):
    """Few memories, each of which has been updated by many writes: its lineage is exact, as receipts tell it."""

    @abstractmethod
    def _home(self, turn: Turn) -> str:
        """Name the memory that a turn updates."""

    @abstractmethod
    def _gather(self, turns: Sequence[Turn]) -> str:
        """Return the text of a memory that *turns* updated."""

    def capabilities(self) -> Capabilities:
        """Declare receipts and no sources."""
        return Capabilities(reports_changes=True)

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Report an update of the memory of every turn."""
        super().ingest(turns, scope)
        return Receipt(tuple(Change(Operation.UPDATE, self._home(turn)) for turn in turns))

    def _handed(self, best: list[Memory], query: str, scope: Scope, k: int) -> Iterable[Memory]:  # noqa: ARG002 - the hook's
        turns, stored = {turn.id: turn for turn in self.heard[scope]}, {m.id: m for m in self.dump(scope)}
        homes = dict.fromkeys(self._home(turns[memory.id]) for memory in best)
        return (stored[home] for home in list(homes)[:k])

    def dump(self, scope: Scope) -> list[Memory]:  # type: ignore[override] # an iterator is promised, a list is one too
        """List the few memories."""
        homes: defaultdict[str, list[Turn]] = defaultdict(list)
        for turn in self.heard[scope]:
            homes[self._home(turn)].append(turn)
        return [Memory(home, self._gather(turns)) for home, turns in homes.items()]
