"""Memories that are right and return it in their own way: less, more, at length, the past beside the present."""

from __future__ import annotations

import threading
from dataclasses import replace
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

from memgauge.records import Hit, Ranking, Scope
from memgauge.systems.reference.graph import FactGraph
from memgauge.systems.reference.log import StatementLog
from memgauge.systems.reference.profile import MergedProfile
from memgauge.systems.reference.shared import UNKNOWN
from memgauge.text.dates import spell_date
from memgauge.text.tokens import tokenize

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from memgauge.records import Memory
    from memgauge.systems.reference.graph import Edge

T = TypeVar("T")


class ValidityTexts(FactGraph):
    """Says in the text of what holds what it was before: ``Y (until 6 January 2026 it was X)``."""

    name = "validity-texts"

    def _memory(self, edge: Edge) -> Memory:
        memory = super()._memory(edge)
        if edge.quarantined or not edge.single or edge.wording or edge.valid_from is None:
            return memory
        before = [other for other in self._siblings(edge) if other.valid_to == edge.valid_from]
        return replace(memory, text=memory.text + self._past(before)) if before else memory

    def _siblings(self, edge: Edge) -> list[Edge]:
        for graph in self._graphs.values():
            node = graph.nodes.get((edge.subject, edge.relation), [])
            if any(other is edge for other in node):
                return [other for other in node if other is not edge and not other.quarantined]
        return []

    def _past(self, before: Sequence[Edge]) -> str:
        """Word what held until it came."""
        return "".join(f" (until {_day(edge.valid_to)} it was {edge.value})" for edge in before)


class Arrows(ValidityTexts):
    """Shows a change as an arrow: ``notary: X -> Y since 6 January 2026``."""

    name = "arrows"

    def _memory(self, edge: Edge) -> Memory:
        memory = super()._memory(edge)
        before = memory.text.partition(" (until ")[2]
        if not before:
            return memory
        old = before.rpartition(" it was ")[2].rstrip(")")
        return replace(memory, text=f"{edge.thing}: {old} -> {edge.value} since {_day(edge.valid_from)}")


def _day(at: datetime | None) -> str:
    return spell_date(at.date()) if at else "some day"


class ListsEnded(StatementLog):
    """Returns what was replaced or ended behind what holds, and says of each when; what ran out it does not."""

    name = "lists-ended"

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Return what holds, and then what ended by then."""
        ranking, at = super().search(query, scope, k, as_of), as_of or self._now
        ended = [
            self._memory(claim)
            for claim in self._claims(scope)
            if claim.line.trusted and claim.until and at and claim.until <= at
            if claim.line.ends is None or claim.line.ends > at
        ]
        return replace(ranking, hits=(*ranking.hits, *map(Hit, ended))[: max(k, 0)])

    def context(self, query: str, scope: Scope, budget: int) -> str:
        """Tell what holds; a line of text has no place for an end."""
        lines = ""
        for hit in super().search(query, scope, 50, self._now).hits:
            if len(lines) + len(hit.memory.text) + 3 > budget:
                break
            lines += f"* {hit.memory.text}\n"
        return lines


class FewHits(FactGraph):
    """Returns only what shares a word with the question, and five at most."""

    name = "few-hits"

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Return what is about what is asked."""
        ranking = super().search(query, scope, k, as_of)
        best = self._about(query, scope)
        words = {word for slot in best for word in tokenize(slot)}
        hits = [hit for hit in ranking.hits if not best or words & set(tokenize(hit.memory.text))]
        return replace(ranking, hits=tuple(hits))


class Verbose(MergedProfile):
    """Answers and declines at length, and offers help."""

    name = "verbose"

    def ask(self, question: str, scope: Scope, as_of: datetime | None = None) -> str:
        """Answer in many words."""
        answer = super().ask(question, scope, as_of)
        if answer == UNKNOWN:
            return (
                "Thanks for asking! I went through everything you have shared with me so far, and I am afraid "
                "there is nothing on record about that. If you tell me, I will gladly keep it in mind."
            )
        return f"Happy to help! {answer} Is there anything else that you would like to know?"


class ExtraContext(StatementLog):
    """Puts other true facts, a greeting and the time beside what is asked for."""

    name = "extra-context"

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Return every hit with another fact of the same user behind it."""
        ranking, at = super().search(query, scope, k, as_of), as_of or self._now
        others = [each.memory for each in self._recall(scope, at)]
        hits = []
        for place, hit in enumerate(ranking.hits):
            beside = others[(place + 1) % len(others)]
            also = f" Known besides: {beside.text}" if beside.id != hit.memory.id else ""
            hits.append(replace(hit, memory=replace(hit.memory, text=hit.memory.text + also)))
        return replace(ranking, hits=tuple(hits), notes=("merged",))

    def context(self, query: str, scope: Scope, budget: int) -> str:
        """Put a heading before what is known."""
        head = "# What is known of this user\n"
        return (head if budget > 200 else "") + super().context(query, scope, budget - len(head) * (budget > 200))


def checking(*methods: str) -> Callable[[type[T]], type[T]]:
    """Let these methods of a memory see first whether it serves whoever calls them."""

    def checked(kind: type[T]) -> type[T]:
        for name in methods:
            setattr(kind, name, _checked(getattr(kind, name)))
        return kind

    return checked


def _checked(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def run(memory: Any, *args: Any, **given: Any) -> Any:
        scope = next(each for each in (*args, *given.values()) if isinstance(each, Scope))
        memory._check(scope)  # noqa: SLF001 - whose methods these become
        return method(memory, *args, **given)

    return run


@checking("ingest", "ingest_expiring", "search", "dump", "context", "ask", "delete", "erase")
class RefusesOddIds(FactGraph):
    """Takes user ids of letters, digits and ``_ . @ -`` alone, 64 of them at most."""

    name = "refuses-odd-ids"

    def _check(self, scope: Scope) -> None:
        plain = scope.user.isascii() and 0 < len(scope.user) <= 64
        if not plain or not all(sign.isalnum() or sign in "_.@-" for sign in scope.user):
            raise ValueError("a user id has 1 to 64 letters, digits, or _ . @ -")


@checking("ingest", "search", "dump", "context", "ask")
class NoSessions(MergedProfile):
    """Keeps no session to itself, and says so."""

    name = "no-sessions"

    def _check(self, scope: Scope) -> None:
        if scope.session is not None:
            raise NotImplementedError("sessions are not kept apart here")


class MarksChannels(FactGraph):
    """Names the channel of what it does not believe in the list, and keeps it from every answer."""

    name = "marks-channels"

    def _memory(self, edge: Edge) -> Memory:
        memory = super()._memory(edge)
        return replace(memory, channel=f"untrusted:{edge.turn}") if edge.quarantined else memory


@checking("ingest", "search")
class OneThread(StatementLog):
    """Refuses every thread but the one that opened it."""

    name = "one-thread"

    def __init__(self) -> None:
        self._owner = threading.get_ident()
        super().__init__()

    def _check(self, scope: Scope) -> None:  # noqa: ARG002 - whoever it is
        if threading.get_ident() != self._owner:
            raise RuntimeError("this memory was opened on another thread and can only be used there")


ANSWERINGS = (
    *(ValidityTexts, Arrows, ListsEnded, FewHits, Verbose, ExtraContext, RefusesOddIds, NoSessions),
    *(MarksChannels, OneThread),
)
