"""The methods of ``wire/1``: those of the protocol, whose parameters travel under their names.

A result is an object too: a text, a number or a list stands in it under a name.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass, fields, make_dataclass
from typing import TYPE_CHECKING, Any

from memgauge.records import Ranking, Receipt
from memgauge.systems.protocol import OPTIONAL, Capabilities, MemorySystem

if TYPE_CHECKING:
    from collections.abc import Mapping

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
    takes_turns: bool = False
    """Whether the server lets one call in after the other, so that none ever overlaps with another."""


def _made(name: str, about: str, *given: tuple[Any, ...]) -> type:
    return make_dataclass(name, given, frozen=True, slots=True, namespace={"__doc__": about})


Memories = _made("Memories", "What is stored.", ("memories", "tuple[Memory, ...]", ()))
Deleted = _made("Deleted", "How many of them were there.", ("deleted", "int"))
Entries = _made("Entries", "What happened to it, oldest first.", ("entries", "tuple[AuditEntry, ...]", ()))
Paths = _made("Paths", "Files and folders that hold the store.", ("paths", "tuple[Path, ...]", ()))
Text = _made("Text", "A text.", ("text", "str"))


@dataclass(frozen=True, slots=True)
class WireMethod:
    """One method."""

    name: str
    params: type
    result: type
    protocol: str = ""
    """The optional protocol that it belongs to; empty where every system has it."""

    def call(self, system: object, given: object) -> object:
        """Call it on a system, with the parameters *given*, and return its result."""
        value = getattr(system, self.name)(*(getattr(given, item.name) for item in fields(self.params)))
        if self.result in {Receipt, Ranking}:
            return value
        if self.result is Empty:
            return Empty()
        return self.result(value if self.result in {Deleted, Text} else tuple(value))

    def value_of(self, result: object) -> Any:
        """Return what the system returned, out of the result in which it travelled."""
        if self.result in {Receipt, Ranking, Empty}:
            return None if self.result is Empty else result
        return getattr(result, fields(self.result)[0].name)


def _method(name: str, result: type, params: str = "", about: str = "", protocol: str = "") -> WireMethod:
    """Take the parameters of a method, and what they may be left out for, from the protocol."""
    declared = inspect.signature(getattr(OPTIONAL.get(protocol, MemorySystem), name)).parameters
    given = [
        (each.name, each.annotation) if each.default is each.empty else (each.name, each.annotation, each.default)
        for each in declared.values()
        if each.name != "self"
    ]
    return WireMethod(name, _made(params, about, *given) if given else Empty, result, protocol)


_ASSEMBLE = "What a model is to be shown context for, in at most *budget* characters."
_ALL = (
    _method("ingest", Receipt, "Turns", "Turns to store."),
    _method("flush", Empty, "Flush", "Whose writes to wait for."),
    _method("search", Ranking, "Search", "What to look for."),
    _method("dump", Memories, "Whose", "A scope."),
    _method("reset", Empty),
    _method("update", Receipt, "Update", "The new text of one memory.", "mutable"),
    _method("delete", Deleted, "Delete", "Memories to remove, by id.", "mutable"),
    _method("erase", Empty, "Whose", "A scope.", "erasable"),
    _method("ingest_expiring", Receipt, "Expire", "A turn that no search returns after its end.", "expiring"),
    _method("sweep", Empty, "Now", "The time of the conversation.", "expiring"),
    _method("history", Entries, "Which", "One memory.", "auditable"),
    _method("reopen", Empty, protocol="durable"),
    _method("storage_paths", Paths, protocol="durable"),
    _method("context", Text, "Assemble", _ASSEMBLE, "assembling"),
    _method("ask", Text, "AskRequest", "A question to answer from memory.", "answering"),
    _method("reward", Empty, "Reward", "How good the last answer was.", "learning"),
)
METHODS: Mapping[str, WireMethod] = {method.name: method for method in _ALL}
"""Every method but ``hello``, which opens the system, and ``close``, which ends it."""
