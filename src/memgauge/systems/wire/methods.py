"""The methods of ``wire/1``: what each is given, what it returns, and how it is called on a system."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memgauge.records import Ranking, Receipt
from memgauge.systems.protocol import Capabilities

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from memgauge.records import Memory, Scope, Turn
    from memgauge.systems.protocol import AuditEntry


_PLAIN = Capabilities()


@dataclass(frozen=True, slots=True)
class Empty:
    """No field."""


@dataclass(frozen=True, slots=True)
class Greeting:
    """Opens the system."""

    protocol: str
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Hello:
    """Who answers, and what it promises."""

    protocol: str
    name: str
    version: str
    capabilities: Capabilities = _PLAIN
    offers: tuple[str, ...] = ()
    """Optional protocols that it implements, by name."""
    instance: str = ""
    """By HTTP: a name for this store, sent back with every answer; a server that was started again has another."""
    about: str = ""
    """What serves it: a language, a version."""


@dataclass(frozen=True, slots=True)
class Turns:
    """Turns to store."""

    turns: tuple[Turn, ...]
    scope: Scope


@dataclass(frozen=True, slots=True)
class Flush:
    """Whose writes to wait for."""

    scope: Scope
    timeout_s: float


@dataclass(frozen=True, slots=True)
class Search:
    """What to look for."""

    query: str
    scope: Scope
    k: int
    as_of: datetime | None = None


@dataclass(frozen=True, slots=True)
class Whose:
    """A scope."""

    scope: Scope


@dataclass(frozen=True, slots=True)
class Memories:
    """What is stored."""

    memories: tuple[Memory, ...] = ()


@dataclass(frozen=True, slots=True)
class Update:
    """The new text of one memory."""

    memory: str
    text: str
    scope: Scope


@dataclass(frozen=True, slots=True)
class Delete:
    """Memories to remove, by id."""

    memories: tuple[str, ...]
    scope: Scope


@dataclass(frozen=True, slots=True)
class Deleted:
    """How many of them were there."""

    deleted: int


@dataclass(frozen=True, slots=True)
class Expire:
    """A turn that no search returns after its end."""

    turn: Turn
    scope: Scope
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class Now:
    """The time of the conversation."""

    now: datetime


@dataclass(frozen=True, slots=True)
class Which:
    """One memory."""

    memory: str
    scope: Scope


@dataclass(frozen=True, slots=True)
class Entries:
    """What happened to it, oldest first."""

    entries: tuple[AuditEntry, ...] = ()


@dataclass(frozen=True, slots=True)
class Paths:
    """Files and folders that hold the store."""

    paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Assemble:
    """What a model is to be shown context for, in at most *budget* characters."""

    query: str
    scope: Scope
    budget: int


@dataclass(frozen=True, slots=True)
class AskRequest:
    """A question to answer from memory."""

    question: str
    scope: Scope
    as_of: datetime | None = None


@dataclass(frozen=True, slots=True)
class Text:
    """A text."""

    text: str


@dataclass(frozen=True, slots=True)
class Reward:
    """How good the last answer was."""

    value: float


@dataclass(frozen=True, slots=True)
class WireMethod:
    """One method."""

    params: type
    result: type
    call: Callable[[Any, Any], Any]
    """Takes a system and the parameters."""
    protocol: str = ""
    """The optional protocol that it belongs to; empty where every system has it."""


def _nothing(call: Callable[[Any, Any], object]) -> Callable[[Any, Any], Empty]:
    def called(system: Any, given: Any) -> Empty:
        call(system, given)
        return Empty()

    return called


METHODS: Mapping[str, WireMethod] = {
    "ingest": WireMethod(Turns, Receipt, lambda s, p: s.ingest(p.turns, p.scope)),
    "flush": WireMethod(Flush, Empty, _nothing(lambda s, p: s.flush(p.scope, p.timeout_s))),
    "search": WireMethod(Search, Ranking, lambda s, p: s.search(p.query, p.scope, p.k, p.as_of)),
    "dump": WireMethod(Whose, Memories, lambda s, p: Memories(tuple(s.dump(p.scope)))),
    "reset": WireMethod(Empty, Empty, _nothing(lambda s, _: s.reset())),
    "update": WireMethod(Update, Receipt, lambda s, p: s.update(p.memory, p.text, p.scope), "mutable"),
    "delete": WireMethod(Delete, Deleted, lambda s, p: Deleted(s.delete(p.memories, p.scope)), "mutable"),
    "erase": WireMethod(Whose, Empty, _nothing(lambda s, p: s.erase(p.scope)), "erasable"),
    "ingest_expiring": WireMethod(
        Expire, Receipt, lambda s, p: s.ingest_expiring(p.turn, p.scope, p.expires_at), "expiring"
    ),
    "sweep": WireMethod(Now, Empty, _nothing(lambda s, p: s.sweep(p.now)), "expiring"),
    "history": WireMethod(Which, Entries, lambda s, p: Entries(tuple(s.history(p.memory, p.scope))), "auditable"),
    "reopen": WireMethod(Empty, Empty, _nothing(lambda s, _: s.reopen()), "durable"),
    "storage_paths": WireMethod(Empty, Paths, lambda s, _: Paths(tuple(map(str, s.storage_paths()))), "durable"),
    "context": WireMethod(Assemble, Text, lambda s, p: Text(s.context(p.query, p.scope, p.budget)), "assembling"),
    "ask": WireMethod(AskRequest, Text, lambda s, p: Text(s.ask(p.question, p.scope, p.as_of)), "answering"),
    "reward": WireMethod(Reward, Empty, _nothing(lambda s, p: s.reward(p.value)), "learning"),
}
"""Every method but ``hello``, which opens the system, and ``close``, which ends it."""
