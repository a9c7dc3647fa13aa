"""A memory as a reader: by its own answers, or by a trivial reader of its context or its recall.

Every ask has a scope of its own, so that nothing but a leak can carry a value from one cell to the next. A memory
that answers by itself is given document and state in the text of the question; one that only recalls cannot be
given them.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from memgauge.errors import ConfigError, MemgaugeError, SystemFault
from memgauge.records import Scope, Turn
from memgauge.records.statements import Statement
from memgauge.runs.play.call import Caller, let_go_on, opened_on
from memgauge.show.safety import name_line
from memgauge.studies.attribution.cells import AnswerSource
from memgauge.studies.attribution.labels import named_sources
from memgauge.studies.attribution.question import document_text, state_text
from memgauge.studies.attribution.readers import EVERY, ReaderReply
from memgauge.systems.catalogue import open_system
from memgauge.systems.looked_at import MemoryLookedAt
from memgauge.systems.protocol import Answering, Assembling, Taught, implements
from memgauge.text.tokens import tokenize

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from memgauge.records import Memory
    from memgauge.studies.attribution.question import Shown, SlotMemory
    from memgauge.systems.protocol import MemorySystem

T = TypeVar("T")
LAYERS = ("answer", "context", "recall")
START = datetime.fromisoformat("2026-01-05T09:00")
BUDGET = 4_000
"""Characters of context that are asked for."""
OPENING_S = 600.0
"""Seconds that a memory may take to open: a product starts a server first."""
ROUND = 200
"""Asks after which everything is forgotten, because some memories slow down with all that they hold."""


@dataclass
class Remembering:
    """Hands a memory what it should hold and reads what comes back at one *layer*."""

    system: MemorySystem
    layer: str
    k: int = 10
    timeout_s: float = 30
    ref: str = ""
    """The reference under which it was opened."""
    caller: Caller | None = None
    """On whose thread it was opened, and is called and closed; else a new one calls it."""
    _asked: int = 0
    _looked_at: MemoryLookedAt = field(init=False)

    def __post_init__(self) -> None:
        self._looked_at = MemoryLookedAt(self.system)

    @classmethod
    def of(
        cls, system: MemorySystem, layer: str | None = None, *, k: int = 10, timeout_s: float = 30, ref: str = ""
    ) -> Remembering:
        """Take the layer that is named, or the one nearest to an answer that the memory has.

        Raises:
            ConfigError: It has no such layer.
        """
        offered = {
            "answer": implements(system, Answering),
            "context": implements(system, Assembling),
            "recall": True,
        }
        if layer and not offered.get(layer):
            has = ", ".join(name for name in LAYERS if offered[name])
            raise ConfigError(f"{name_line(system.name)} has no layer {layer!r}.", f"Take one of {has}.")
        return cls(system, layer or next(name for name in LAYERS if offered[name]), k, timeout_s, ref)

    @classmethod
    def opening(cls, ref: str, layer: str | None = None, *, k: int = 10, timeout_s: float = 30) -> Remembering:
        """Open a memory on the thread on which it will be called.

        Raises:
            UserError: It cannot be opened, or has no such layer.
            SystemFault: It raised, or did not open in time.
        """
        caller = Caller()
        try:
            system = opened_on(caller, partial(open_system, ref), OPENING_S)
        except MemgaugeError:
            caller.close()
            raise
        try:
            memory = cls.of(system, layer, k=k, timeout_s=timeout_s, ref=ref)
        except ConfigError:
            let_go_on(caller, system)
            raise
        memory.caller = caller
        return memory

    @property
    def name(self) -> str:
        """Name the memory as it was asked for."""
        return name_line(self.ref) if self.ref else self._looked_at.name

    def close(self) -> None:
        """Close the memory, where it can be closed."""
        let_go_on(self.caller or Caller(), self.system)

    @property
    def details(self) -> Mapping[str, Any]:
        """Return what else decides an answer."""
        return {"version": self._looked_at.version, "layer": self.layer, "k": self.k}

    @property
    def carries(self) -> frozenset[AnswerSource]:
        """Everything where it answers by itself, else memory alone."""
        return EVERY if self.layer == "answer" else frozenset({AnswerSource.MEMORY})

    @property
    def logs(self) -> frozenset[AnswerSource]:
        """A search says what of the memory is recalled."""
        return frozenset({AnswerSource.MEMORY})

    def read(self, asks: Sequence[Shown]) -> Iterator[ReaderReply]:
        """Answer one after the other; what the memory raises or may not return is a failure in the record."""
        own = self.caller if self.caller is not None and not self.caller.hung else None
        caller = own or Caller()
        try:
            for ask in asks:
                try:
                    if self._asked % ROUND == 0:
                        caller.call("reset", self.system.reset, self.timeout_s)
                    self._asked += 1
                    yield self._one(caller, _renamed(ask, self._asked), Scope(f"u{self._asked:05d}"))
                except SystemFault as fault:
                    yield ReaderReply("", failed=str(fault))
        finally:
            if own is None:
                caller.close()

    def _one(self, caller: Caller, ask: Shown, scope: Scope) -> ReaderReply:
        def call(what: str, function: Callable[[], T]) -> T:
            return caller.call(what, function, self.timeout_s).value

        memory = self._looked_at
        call("ingest", lambda: self._store(ask.memory, scope))
        call("flush", lambda: memory.flush(scope, self.timeout_s))
        now = START + timedelta(days=1)
        question = ask.question.text
        ranking = call("search", lambda: memory.search(question, scope, self.k, now))
        hits = [hit.memory for hit in ranking.hits]
        logged = frozenset(key for hit in hits for key in _keys(ask, hit))
        if self.layer == "recall":
            return ReaderReply(first_about(ask.question.slot, [hit.text for hit in hits]), None, logged)
        if self.layer == "context":
            text = call("context", lambda: memory.context(question, scope, BUDGET))
            return ReaderReply(first_about(ask.question.slot, text.splitlines()), None, logged)
        text = call("ask", lambda: memory.ask(spelled(ask), scope, now))
        listed = {stored.id: stored for stored in call("dump", lambda: memory.dump(scope))}
        return ReaderReply(text, _cited(ask, text, listed), logged)

    def _store(self, items: Sequence[SlotMemory], scope: Scope) -> None:
        turns = [
            Turn(item.id, "user", item.text, "s1", START + timedelta(minutes=place))
            for place, item in enumerate(items)
        ]
        if implements(self.system, Taught):
            for turn, item in zip(turns, items, strict=True):
                self.system.teach(turn.id, [Statement(item.slot, item.value)], trusted=True)
        if turns:
            self._looked_at.ingest(turns, scope)


def _renamed(ask: Shown, number: int) -> Shown:
    """Give every turn an id that no other ask has, as in life."""
    return replace(ask, memory=tuple(replace(item, id=f"{number}-{item.id}") for item in ask.memory))


def spelled(ask: Shown) -> str:
    """Write the question, and below it what document and state say."""
    parts = [ask.question.text]
    if ask.document:
        parts.append(f"Retrieved document:\n{document_text(ask)}")
    if ask.state:
        parts.append(f"Application state:\n{state_text(ask)}")
    return "\n\n".join(parts)


def first_about(slot: str, texts: Sequence[str]) -> str:
    """Read trivially: return the first text that names the slot; empty where none does."""
    wanted = set(tokenize(slot))
    return next((text for text in texts if wanted <= set(tokenize(text))), "")


def _keys(ask: Shown, memory: Memory) -> Iterator[str]:
    """Yield which items a stored memory descends from: by lineage, and where it names none, by its text."""
    for item in ask.memory:
        named = item.id == memory.id or item.id in memory.sources
        if named or (not memory.sources and item.value in memory.text):
            yield item.key


def _cited(ask: Shown, text: str, listed: Mapping[str, Memory]) -> frozenset[str] | None:
    names = named_sources(text)
    if names is None:
        return None
    known = {str(source): str(source) for source in (AnswerSource.DOCUMENT, AnswerSource.STATE)}
    known |= {item.id: item.key for item in ask.memory}
    keys: set[str] = set()
    for name in names:
        descends = set(_keys(ask, listed[name])) if name in listed else set()
        keys |= descends or {known.get(name, "?")}
    return frozenset(keys)
