"""The seam: what a memory system implements to be measured.

Six methods are required. Everything else is one of the small optional protocols below, found structurally and
declared in :class:`Capabilities`: what is absent is *unsupported*, what is claimed and fails its check is a
*failure*. The protocol is synchronous because the order of writes is experimental state; an asynchronous client
runs its own loop behind it.
"""

from __future__ import annotations

import inspect
from abc import ABCMeta
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from types import FunctionType, GetSetDescriptorType
from typing import TYPE_CHECKING, Protocol, TypeVar, runtime_checkable

from memgauge.errors import ContractBreach
from memgauge.foreign import kind_of
from memgauge.records import ScoreKind

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path
    from typing import TypeGuard

    from memgauge.records import Memory, Operation, Ranking, Receipt, Scope, Turn
    from memgauge.records.statements import Statement

P = TypeVar("P")


class Unit(StrEnum):
    """How much the harness hands over in one ``ingest`` call."""

    TURN = "turn"
    PAIR = "pair"
    SESSION = "session"


class Consistency(StrEnum):
    """When a write becomes searchable."""

    IMMEDIATE = "immediate"
    FLUSH = "flush"
    """After ``flush`` returned."""


class EventTime(StrEnum):
    """What happens to the time of a turn."""

    NONE = "none"
    STORED = "stored"
    USED = "used"
    """It changes what a search returns."""


class Role(StrEnum):
    """What a score of this system is good for."""

    SYSTEM = "system"
    FLOOR = "floor"
    CEILING = "ceiling"


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a system promises; graded where yes or no would hide a difference."""

    unit: Unit = Unit.TURN
    consistency: Consistency = Consistency.IMMEDIATE
    event_time: EventTime = EventTime.NONE
    score_kind: ScoreKind = ScoreKind.NONE
    reports_changes: bool = False
    """Receipts name the memories changed."""
    declares_sources: bool = False
    """Memories carry the turns that they descend from."""
    k_cap: int | None = None
    """The most hits that one search can return."""
    read_only_search: bool = True
    """Searching never changes what is stored."""
    needs: tuple[str, ...] = ()
    """What a run needs besides this package: ``llm``, ``embedder``, ``server``, ``network``."""
    interventions: tuple[str, ...] = ()
    """Everything that the adapter patched or overrode; printed in every report."""
    role: Role = Role.SYSTEM
    stand_ins: tuple[str, ...] = ()
    """What is not the real thing (hashed vectors, a scripted model), and what makes it real; never ranked."""
    models: tuple[str, ...] = ()
    """The models that it asks: each with its weights, quantisation and runtime, as far as its server says them."""


class MemorySystem(Protocol):
    """Anything that can be measured."""

    name: str
    version: str

    def capabilities(self) -> Capabilities:
        """Declare what this instance promises."""

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt | None:
        """Store *turns*, which follow everything ingested before under *scope*.

        A receipt says which memories they became, if it can; without one the harness compares dumps. The same
        turns may be handed over again: nothing is stored twice, and what was removed stays removed.
        """

    def flush(self, scope: Scope, timeout_s: float) -> None:
        """Return when all writes under *scope* are searchable; raise when that takes longer."""

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Return at most *k* memories of *scope*, best first, in a total order."""

    def dump(self, scope: Scope) -> Iterable[Memory]:
        """List everything now stored under *scope*."""

    def reset(self) -> None:
        """Forget everything, in all scopes."""


@runtime_checkable
class Mutable(Protocol):
    """Single memories can be changed and removed."""

    def update(self, memory: str, text: str, scope: Scope) -> Receipt:
        """Replace the text of one memory."""

    def delete(self, memories: Sequence[str], scope: Scope) -> int:
        """Remove memories by id; return how many were there."""


@runtime_checkable
class Erasable(Protocol):
    """A whole scope can be erased, copies included."""

    def erase(self, scope: Scope) -> None:
        """Erase everything under *scope*."""


@runtime_checkable
class Expiring(Protocol):
    """Memories can be given an end."""

    def ingest_expiring(self, turn: Turn, scope: Scope, expires_at: datetime) -> Receipt:
        """Store *turn* so that no search after *expires_at* returns it."""

    def sweep(self, now: datetime) -> None:
        """Do the maintenance that expiry relies on."""


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One line of a memory's history."""

    op: Operation
    at: datetime | None
    text: str | None


@runtime_checkable
class Auditable(Protocol):
    """The history of a memory can be read."""

    def history(self, memory: str, scope: Scope) -> Sequence[AuditEntry]:
        """Return what happened to one memory, oldest first; of a removed one, that it was, without its text."""


@runtime_checkable
class Durable(Protocol):
    """The store survives its process."""

    def reopen(self) -> None:
        """Drop all state in memory and load it again from storage."""

    def storage_paths(self) -> Sequence[Path]:
        """Name the files and folders that hold the store."""


@runtime_checkable
class Assembling(Protocol):
    """The system builds the text that a model is shown."""

    def context(self, query: str, scope: Scope, budget: int) -> str:
        """Return at most *budget* characters of context for *query*, as of the time that was told last.

        What tells the time are turns and sweeps; a context is asked for without one.
        """


@runtime_checkable
class Answering(Protocol):
    """The system answers by itself."""

    def ask(self, question: str, scope: Scope, as_of: datetime | None = None) -> str:
        """Answer *question* from memory."""


@runtime_checkable
class Privileged(Protocol):
    """A ceiling that is told the truth; never a system under test.

    The harness calls ``reveal`` only on systems whose declared role is ``ceiling``, and the run says so.
    """

    def reveal(self, relevant: Mapping[str, Sequence[str]]) -> None:
        """Learn, for each question text of the conversation, the ids of its evidence turns."""


@runtime_checkable
class Learning(Protocol):
    """The system learns from use: of each of its own answers it is told whether it held evidence, and no more."""

    def reward(self, value: float) -> None:
        """Learn how good the last answer was: 1 where it held evidence, else 0."""


@runtime_checkable
class Taught(Protocol):
    """A reference memory that is told what a turn means; never a system under test."""

    def teach(self, turn: str, statements: Sequence[Statement], *, trusted: bool) -> None:
        """Learn what the turn with this id states, before it is ingested."""


@runtime_checkable
class Offering(Protocol):
    """The system says itself which optional protocols it implements, whatever methods it has."""

    def offers(self) -> Sequence[str]:
        """Name them as :data:`OPTIONAL` does."""


@runtime_checkable
class Metered(Protocol):
    """The system counts what it asks models; a run calls that *reported*."""

    def spent(self) -> Mapping[str, Mapping[str, int]]:
        """Return what each model was asked since the system was opened, by its name.

        That is ``calls``, ``tokens_in``, ``tokens_out`` and ``embedding_tokens``, as far as they are counted.
        """


@runtime_checkable
class Closing(Protocol):
    """The system holds something that has to be let go: a process, a lock, a folder."""

    def close(self) -> None:
        """Let go of everything; called once, by whoever opened the system, and nothing is called after it.

        It may come from another thread while a call has not returned.
        """


OPTIONAL: Mapping[str, type] = {
    "mutable": Mutable,
    "erasable": Erasable,
    "expiring": Expiring,
    "auditable": Auditable,
    "durable": Durable,
    "assembling": Assembling,
    "answering": Answering,
    "learning": Learning,
}
"""The optional protocols by the name under which reports list them."""


def supported(system: MemorySystem) -> tuple[str, ...]:
    """Name the optional protocols that *system* implements, in the order of :data:`OPTIONAL`."""
    offered = _offered(system)
    if offered is not None:
        return tuple(name for name in OPTIONAL if name in offered)
    return tuple(name for name, protocol in OPTIONAL.items() if _has(system, protocol))


def implements(system: object, protocol: Callable[..., P]) -> TypeGuard[P]:
    """Whether *system* implements one optional *protocol*: what it says of itself, and else which methods it has.

    Only methods that stand in a class, or on the instance, count: an object that forwards every name would seem to
    implement everything, and ``isinstance`` judges it differently from one Python to the next.
    """
    # A protocol is handed over as something callable, because type checkers take abstract classes for no type.
    name = _NAMES.get(protocol)
    offered = None if name is None else _offered(system)
    return _has(system, protocol) if offered is None else name in offered


def _offered(system: object) -> Collection[str] | None:
    if not (_has(system, Offering) and isinstance(system, Offering)):
        return None
    offered: object = system.offers()
    if not isinstance(offered, (tuple, list, set, frozenset)):
        raise ContractBreach(f"offers returned {kind_of(offered)}, not a tuple of names")
    return offered


def _has(system: object, protocol: Callable[..., object]) -> bool:
    return all(callable(_standing(system, name)) for name in _methods(protocol))


@cache
def _methods(protocol: Callable[..., object]) -> tuple[str, ...]:
    return tuple(name for name in vars(protocol) if not name.startswith("_"))


def _standing(system: object, name: str) -> object:
    """Return what :func:`inspect.getattr_static` does, without its price where *system* is an ordinary object."""
    kind = type(system)
    ordinary = type(kind) in {type, ABCMeta} and not issubclass(kind, type)
    if ordinary and isinstance(_of_class(kind, "__dict__"), GetSetDescriptorType):
        own, inherited = object.__getattribute__(system, "__dict__"), _of_class(kind, name)
        if name not in own:
            return inherited
        if inherited is None or isinstance(inherited, FunctionType):
            return own[name]
    return inspect.getattr_static(system, name, None)


def _of_class(kind: type, name: str) -> object:
    for each in kind.__mro__:
        if name in each.__dict__:
            return each.__dict__[name]
    return None


_NAMES: Mapping[object, str] = {protocol: name for name, protocol in OPTIONAL.items()}
