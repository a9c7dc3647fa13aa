"""Memories that store everything and do not hand it over."""

from __future__ import annotations

import time
from abc import abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING

from memgauge.records import Change, Form, Hit, Memory, Operation, Ranking, Receipt, ScoreKind
from memgauge.systems.reference.defective.defective import EVERY, Defective
from memgauge.text.tokens import tokenize

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from memgauge.records import Scope, Turn

SLOW_S = 1.5
"""How long a slow search takes: more than the second that its run allows."""


class Withholding(Defective):
    """Ranks as BM25 does and hands over something else."""

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Hand over something else."""
        best = [hit.memory for hit in super().search(query, scope, EVERY, as_of).hits]
        return Ranking(tuple(map(Hit, self.handed(best, query, scope)[:k])), ScoreKind.NONE)

    def spoils(self, query: str, scope: Scope) -> set[str]:
        """Return also what is not handed over, or stands lower, or is longer than it was."""
        best = [hit.memory for hit in Defective.search(self, query, scope, EVERY).hits]
        handed = self.handed(best, query, scope)
        places = {memory.id: place for place, memory in enumerate(handed)}
        return self.touched | {
            turn
            for place, memory in enumerate(best)
            if places.get(memory.id, EVERY) > place or handed[places[memory.id]].text != memory.text
            for turn in memory.sources
        }

    @abstractmethod
    def handed(self, best: list[Memory], query: str, scope: Scope) -> list[Memory]:
        """Return what is handed over in the place of *best*."""


class Stale(Withholding, how="stale", usual=60):
    """Indexes the first *n* turns of a scope, and never again."""

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Store all turns."""
        self.number(turns, scope)
        return super().ingest(turns, scope)

    def handed(self, best: list[Memory], query: str, scope: Scope) -> list[Memory]:  # noqa: ARG002 - the hook's
        """Leave out what was written since the index was made."""
        indexed = set(self.written[scope][: self.indexed(len(self.written[scope]))])
        return [memory for memory in best if memory.id in indexed]

    def indexed(self, written: int) -> int:  # noqa: ARG002 - the hook's
        """Return how many of the turns written are in the index."""
        return self.n


class Lagging(Stale, how="lagging", usual=64):
    """Indexes again after every *n* turns alone."""

    def indexed(self, written: int) -> int:
        """Return all up to the last index."""
        return written - written % self.n


class Tiny(Withholding, how="tiny", usual=2):
    """Hands over *n* memories, however many are asked for."""

    def handed(self, best: list[Memory], query: str, scope: Scope) -> list[Memory]:  # noqa: ARG002 - the hook's
        """Cut."""
        return best[: self.n]


class Backwards(Withholding, how="backwards", usual=40):
    """Hands over the best *n* memories in the wrong order."""

    def handed(self, best: list[Memory], query: str, scope: Scope) -> list[Memory]:  # noqa: ARG002 - the hook's
        """Turn the order round."""
        return best[: self.n][::-1] + best[self.n :]


class Wordy(Withholding, how="wordy", usual=12):
    """Hands every memory over with *n* sentences of its own before it."""

    def handed(self, best: list[Memory], query: str, scope: Scope) -> list[Memory]:  # noqa: ARG002 - the hook's
        """Say how good the memory is."""
        return [self._padded(memory) for memory in best]

    def dump(self, scope: Scope) -> Iterator[Memory]:
        """List what is handed over."""
        yield from map(self._padded, super().dump(scope))

    def _padded(self, memory: Memory) -> Memory:
        return replace(memory, text="This was remembered with care. " * self.n + memory.text, form=Form.UNKNOWN)


class Leaks(Withholding, how="leaks", usual=30):
    """Hands over up to *n* memories of another user first, who says much the same."""

    def handed(self, best: list[Memory], query: str, scope: Scope) -> list[Memory]:  # noqa: ARG002 - the hook's
        """Put a neighbour's memories first."""
        words = tokenize(query)
        neighbours = [
            Memory(f"neighbour-{number}", f"{' '.join(words)}? I, too, asked that, {number} times.")
            for number in range(self.n)
        ]
        return [*neighbours, *best]


class Outdated(Withholding, how="outdated", usual=3):
    """Adds a turn to a memory that has *n* of its words, and goes on handing over what that held first."""

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Store each turn, where it can in a new version of the memory that is most like it."""
        changes: list[Change] = []
        for turn in turns:
            words = _long(turn.text)
            alike = [(len(words & own), name) for name, own in self._held().items()]
            shared, name = max(alike, default=(0, ""))
            if shared < self.n:
                self._held()[turn.id] = words
                changes += super().ingest([turn], scope).changes or ()
                continue
            own, old = self._memory(turn), self._newest().get(name) or self._shelf(scope).memories[name]
            text, sources = f"{old.text}\n{own.text}", (*old.sources, turn.id)
            self._newest()[name] = replace(old, text=text, sources=sources, form=Form.UNKNOWN)
            self.touched.add(turn.id)
            changes.append(Change(Operation.UPDATE, name))
        return Receipt(tuple(changes))

    def handed(self, best: list[Memory], query: str, scope: Scope) -> list[Memory]:  # noqa: ARG002 - the hook's
        """Hand over first versions, which is all that is searched."""
        return best

    def dump(self, scope: Scope) -> Iterator[Memory]:
        """List the newest versions."""
        yield from (self._newest().get(memory.id, memory) for memory in super().dump(scope))

    def reset(self) -> None:
        """Forget everything."""
        super().reset()
        self._held().clear()
        self._newest().clear()

    def _held(self) -> dict[str, frozenset[str]]:
        held: dict[str, frozenset[str]] = self.__dict__.setdefault("_words", {})
        return held

    def _newest(self) -> dict[str, Memory]:
        newest: dict[str, Memory] = self.__dict__.setdefault("_versions", {})
        return newest


class Failing(Defective):
    """Fails at one search in *n*."""

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Fail, or search."""
        if self.meets(query):
            self.fail()
        return super().search(query, scope, k, as_of)

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Store all turns."""
        self.number(turns, scope)
        return super().ingest(turns, scope)

    def spoils(self, query: str, scope: Scope) -> set[str]:
        """Return everything where the search fails."""
        return set(self.written[scope]) if self.meets(query) else set()

    @abstractmethod
    def fail(self) -> None:
        """Do what goes wrong."""


class Breaks(Failing, how="breaks", usual=4):
    """Raises at one search in *n*."""

    def fail(self) -> None:
        """Raise."""
        raise ConnectionError("the vector store refused the connection")


class Slow(Failing, how="slow", usual=4):
    """Takes too long for one search in *n*."""

    def fail(self) -> None:
        """Wait."""
        time.sleep(SLOW_S)


def _long(text: str) -> frozenset[str]:
    return frozenset(word for word in tokenize(text) if len(word) > 3)


MEMORIES = (Stale, Lagging, Tiny, Backwards, Wordy, Leaks, Outdated, Breaks, Slow)
