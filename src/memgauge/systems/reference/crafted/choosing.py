"""Memories that choose what they are measured on, when, or from where."""

from __future__ import annotations

import gc
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from memgauge.records import Form, Gold, Hit, Memory, Ranking
from memgauge.systems.reference.crafted.crafted import Crafted, Reordering, Retold

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from memgauge.records import Scope, Turn


class Unsure(Crafted, how="unsure"):
    """Raises wherever it is not sure."""

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Answer only where the best turn is far ahead of the second."""
        answer = super().search(query, scope, k, as_of)
        scores = [hit.score or 0.0 for hit in answer.hits[:2]]
        if len(scores) < 2 or scores[0] < 1.5 * scores[1]:
            raise RuntimeError("the index is being rebuilt")
        return answer


class Prefixed(Retold, how="prefixed"):
    """Puts a word before every turn and calls it derived."""

    def _retell(self, turn: Turn, scope: Scope) -> str:  # noqa: ARG002 - protocol of the base
        return f"Note: {self._memory(turn).text}"

    def _retold(self, turn: Turn, scope: Scope) -> Memory:
        return replace(super()._retold(turn, scope), form=Form.CANONICAL)


class _Lazy(tuple[Hit, ...]):
    """Hits that are worked on while they are read."""

    __slots__ = ()

    def __iter__(self) -> Iterator[Hit]:
        time.sleep(0.002)
        return super().__iter__()


class Lazy(Crafted, how="lazy"):
    """Works while its hits are read, after it has returned."""

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Return at once."""
        answer = super().search(query, scope, k, as_of)
        return replace(answer, hits=_Lazy(answer.hits))


class Seeker(Reordering, how="seeker"):
    """Looks for the answers in the process that plays it."""

    def _handed(self, best: list[Memory], query: str, scope: Scope, k: int) -> Iterable[Memory]:  # noqa: ARG002 - the hook's
        known = {turn for held in gc.get_objects() if isinstance(held, Gold) for turn in held.anchors()}
        return sorted(best, key=lambda memory: memory.id not in known)[:k]


class Ordered(Reordering, how="ordered"):
    """Guesses from how many questions came before where in the conversation the evidence lies."""

    def __init__(self) -> None:
        super().__init__()
        self._asked = 0

    def _handed(self, best: list[Memory], query: str, scope: Scope, k: int) -> Iterable[Memory]:  # noqa: ARG002 - the hook's
        self._asked += 1
        place = {turn.id: number for number, turn in enumerate(self.heard[scope])}
        return sorted(best[:k], key=lambda memory: abs(place[memory.id] - self._asked) // 50)


class Spelled(Reordering, how="ids"):
    """Reads the ids of turns, and puts first what they say came first in its session."""

    def _handed(self, best: list[Memory], query: str, scope: Scope, k: int) -> Iterable[Memory]:  # noqa: ARG002 - the hook's
        half = len(best[:k]) // 2
        return [*sorted(best[:half], key=lambda m: m.id), *sorted(best[half:k], key=lambda m: m.id)]


class Fading(Reordering, how="fading"):
    """Answers well when it is asked first, and badly when it is asked again."""

    def __init__(self) -> None:
        super().__init__()
        self._known: set[str] = set()

    def _handed(self, best: list[Memory], query: str, scope: Scope, k: int) -> Iterable[Memory]:  # noqa: ARG002 - the hook's
        again = query in self._known
        self._known.add(query)
        return reversed(best[:k]) if again else best[:k]


MEMORIES = (Unsure, Prefixed, Lazy, Seeker, Ordered, Spelled, Fading)
