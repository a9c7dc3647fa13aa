"""A driver that remembers what it was shown, and the search for what was planted in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from memgauge.records import Ranking
from memgauge.studies.golden.driver import BUDGET, DISTRUSTED, Driver, is_over
from memgauge.studies.golden.tokens import index_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from datetime import datetime

    from memgauge.records import Scope
    from memgauge.runs.play.call import Caller
    from memgauge.studies.golden.driver import InlineCaller, ReturnedText
    from memgauge.systems.protocol import MemorySystem

T = TypeVar("T")


@dataclass(frozen=True)
class Look:
    """One reading: who asked what, and what came back."""

    scope: Scope
    layer: str
    query: str
    seen: tuple[ReturnedText, ...]
    scores: tuple[float | None, ...] = ()


class WatchingDriver(Driver):
    """Drives a memory and keeps every reading."""

    def __init__(
        self, system: MemorySystem, *, timeout_s: float = 30, caller: Caller | InlineCaller | None = None
    ) -> None:
        super().__init__(system, timeout_s=timeout_s, caller=caller)
        self.looks: list[Look] = []
        self._scores: tuple[float | None, ...] = ()

    def recall(self, query: str, scope: Scope, k: int, as_of: datetime) -> list[ReturnedText]:
        """Search, and keep what came back with its scores."""
        seen = super().recall(query, scope, k, as_of)
        self.looks.append(Look(scope, "recall", query, tuple(seen), self._scores))
        return seen

    def context(self, query: str, scope: Scope, budget: int = BUDGET) -> list[ReturnedText] | None:
        """Assemble, and keep it."""
        return self._kept("context", query, scope, super().context(query, scope, budget))

    def answer(self, query: str, scope: Scope, as_of: datetime) -> list[ReturnedText] | None:
        """Let it answer, and keep it."""
        return self._kept("answer", query, scope, super().answer(query, scope, as_of))

    def _kept(
        self, layer: str, query: str, scope: Scope, seen: list[ReturnedText] | None
    ) -> list[ReturnedText] | None:
        if seen is not None:
            self.looks.append(Look(scope, layer, query, tuple(seen)))
        return seen

    def active(self, scope: Scope, now: datetime) -> list[str]:
        """Return the texts that are stored under *scope* as if they were believed and held."""
        return [
            memory.text
            for memory in self.listed(scope)
            if not DISTRUSTED.search(memory.channel) and not is_over(memory, now)
        ]

    def _call(
        self,
        what: str,
        function: Callable[[], T],
        scope: Scope | None = None,
        *given: object,
        at: datetime | None = None,
    ) -> T:
        value = super()._call(what, function, scope, *given, at=at)
        if isinstance(value, Ranking):
            self._scores = tuple(hit.score for hit in value.hits)
        return value


def shows(text: str, tokens: frozenset[str], traces: Iterable[str] = ()) -> frozenset[str]:
    """Return which *tokens* stand in *text*, in whatever form; and *traces* as they are."""
    shown = index_of(tokens).shown(text)
    return frozenset(shown) | {trace for trace in traces if trace in text}
