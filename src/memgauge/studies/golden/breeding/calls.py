"""Calls on their way into a memory: where an operator changes, skips, repeats or falsifies them."""

from __future__ import annotations

import inspect
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from memgauge.records import Scope, Turn
from memgauge.systems.protocol import Role
from memgauge.systems.reference.shared import Lesson, ReferenceMemory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from memgauge.records import Memory

    Advice = Callable[["Passing"], Any]
    """What is done in the place of a call; it may let the call go on."""


@dataclass
class Past:
    """What a memory went through since it was empty: what operators wait for and fall back on."""

    counts: Counter[str] = field(default_factory=Counter)
    """Calls, by method."""
    since_forgetting: Counter[str] = field(default_factory=Counter)
    """Calls since something was last deleted or erased."""
    scopes: dict[Scope, None] = field(default_factory=dict)
    """Whoever wrote, in that order."""
    turns: list[tuple[Turn, Scope]] = field(default_factory=list)
    forgotten: list[tuple[Turn, Scope, Lesson]] = field(default_factory=list)
    """Turns from which something was deleted or erased, with what they meant."""
    lost: dict[Scope, list[Memory]] = field(default_factory=dict)
    """What was deleted or erased."""
    lessons: dict[str, Lesson] = field(default_factory=dict)
    notes: dict[str, Any] = field(default_factory=dict)
    """Whatever an operator remembers."""


@dataclass
class Passing:
    """One call of a method, before it has done anything."""

    memory: ReferenceMemory
    method: str
    given: dict[str, Any]
    plain: Mapping[str, Callable[..., Any]]
    """The methods as they are without the operator."""
    past: Past

    def go(self, **changed: Any) -> Any:
        """Let the call do what it does, with some of what was given changed."""
        return self.plain[self.method](**{**self.given, **changed})

    @property
    def scope(self) -> Scope:
        """Whose memory is meant; where the method takes no scope, the last writer's."""
        scope = self.given.get("scope") or (self.past.turns[-1][1] if self.past.turns else None)
        return scope if isinstance(scope, Scope) else Scope("")

    @property
    def turns(self) -> Sequence[Turn]:
        """The turns that are handed over."""
        turns: Sequence[Turn] = self.given.get("turns") or [self.given["turn"]]
        return turns

    def write(self, **changed: Any) -> Any:
        """Let a write go on with another turn or scope, whichever method it came by."""
        if "turn" in changed and self.method == "ingest":
            changed["turns"] = [changed.pop("turn")]
        return self.go(**changed)

    def again(self, turn: Turn, scope: Scope, lesson: Lesson, name: str) -> None:
        """Store what a turn meant once more, under another id."""
        self.memory.teach(name, lesson.statements, trusted=lesson.trusted)
        if lesson.expires_at:
            self.plain["ingest_expiring"](turn=replace(turn, id=name), scope=scope, expires_at=lesson.expires_at)
        else:
            self.plain["ingest"](turns=[replace(turn, id=name)], scope=scope)

    def stored(self, scope: Scope) -> list[Memory]:
        """List what is really stored under a scope."""
        return list(self.plain["dump"](scope=scope))

    def others(self, scope: Scope) -> Iterator[Scope]:
        """Yield everybody else who wrote."""
        return (other for other in self.past.scopes if other != scope)


POINTS = (
    *("ingest", "ingest_expiring", "search", "dump", "context", "ask", "update", "delete", "erase", "sweep"),
    *("history", "reopen", "storage_paths", "flush", "_understand", "_recall"),
)
"""Where an operator can stand: the methods of the protocol, and two seams that all references share."""
_WATCHED = frozenset({"ingest", "ingest_expiring", "search", "delete", "erase", "sweep", "reopen", "update"})
"""Calls that are counted, whichever operator is at work."""


def mutated(reference: type[ReferenceMemory], advice: Mapping[str, Advice]) -> ReferenceMemory:
    """Open *reference* with *advice* at some of its methods."""
    body: dict[str, Any] = {name: _bent(reference, name, advice.get(name)) for name in _WATCHED | advice.keys()}
    body["__module__"] = reference.__module__  # what decides whether a memory is taught
    body["reset"] = _reset(reference)
    body["capabilities"] = lambda memory: replace(reference.capabilities(memory), role=Role.SYSTEM)
    memory: ReferenceMemory = type(f"Bred{reference.__name__}", (reference,), body)()
    return memory


def _reset(reference: type[ReferenceMemory]) -> Callable[[ReferenceMemory], None]:
    def reset(memory: ReferenceMemory) -> None:
        reference.reset(memory)
        vars(memory)["past"] = Past()

    return reset


def _bent(reference: type[ReferenceMemory], name: str, advice: Advice | None) -> Callable[..., Any]:
    parameters = list(inspect.signature(getattr(reference, name)).parameters)[1:]

    def method(memory: ReferenceMemory, /, *args: Any, **named: Any) -> Any:
        known = vars(memory)
        past = known.setdefault("past", Past())
        plain = known.get("plain") or known.setdefault(
            "plain", {point: getattr(super(type(memory), memory), point) for point in POINTS}
        )
        call = Passing(memory, name, {**dict(zip(parameters, args, strict=False)), **named}, plain, past)
        if name in _WATCHED:
            _watch(call)
        return advice(call) if advice else call.go()

    return method


def _watch(call: Passing) -> None:
    """Note a call in the past of its memory."""
    past, name = call.past, call.method
    kind = "write" if name.startswith("ingest") else name
    if name in {"delete", "erase"}:
        _will_be_lost(call)
        past.since_forgetting.clear()
    past.counts[kind] += 1
    past.since_forgetting[kind] += 1
    if kind == "write":
        past.scopes.setdefault(call.scope)
        for turn in call.turns:
            past.turns.append((turn, call.scope))
            lesson = vars(call.memory)["_meaning"].get(turn.id, Lesson())
            past.lessons[turn.id] = replace(lesson, expires_at=call.given.get("expires_at"))


def _will_be_lost(call: Passing) -> None:
    """Note what a call is about to make the memory forget."""
    past, named = call.past, call.given.get("memories")
    gone = [memory for memory in call.stored(call.scope) if named is None or memory.id in named]
    past.lost.setdefault(call.scope, []).extend(gone)
    sources = {source for memory in gone for source in memory.sources}
    past.forgotten += [
        (turn, scope, past.lessons[turn.id])
        for turn, scope in past.turns
        if scope == call.scope and turn.id in sources
    ]
