"""Memories of which one method returns what it may not: every method, in every place, with every wrong kind."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from functools import partial
from random import Random
from typing import TYPE_CHECKING, Any, cast

from memgauge.records import Change, Form, Hit, Memory, Operation, Ranking, Receipt, Scope
from memgauge.systems.protocol import AuditEntry, Capabilities

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from memgauge.records import Turn

    Put = Callable[[Any, Any], Any]
    """Puts something wrong in, or in the place of, what came."""
    Way = tuple[str, str, tuple[str, ...], Put]
    """A method, where in what it returns, the kinds that may stand there, and how another gets there."""


class Dutiful:
    """Keeps texts in a dictionary, and does all that the protocol knows."""

    name, version = "dutiful", "1"

    def __init__(self) -> None:
        self.reset()

    def capabilities(self) -> Capabilities:
        """Promise receipts."""
        return Capabilities(reports_changes=True)

    def reset(self) -> None:
        """Forget everything."""
        self._rows: dict[tuple[Scope, str], Memory] = {}
        self._told: dict[tuple[Scope, str], list[AuditEntry]] = {}

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Store turns."""
        for turn in turns:
            self._rows[scope, turn.id] = Memory(turn.id, turn.text, Form.RAW, (turn.id,), event_at=turn.at)
            self._told.setdefault((scope, turn.id), []).append(AuditEntry(Operation.ADD, turn.at, turn.text))
        return Receipt(tuple(Change(Operation.ADD, turn.id) for turn in turns))

    def ingest_expiring(self, turn: Turn, scope: Scope, expires_at: datetime) -> Receipt:
        """Store a turn with its end."""
        receipt = self.ingest([turn], scope)
        self._rows[scope, turn.id] = replace(self._rows[scope, turn.id], valid_to=expires_at)
        return receipt

    def flush(self, scope: Scope, timeout_s: float) -> None:
        """Do nothing: writes are searchable."""

    def sweep(self, now: datetime) -> None:
        """Remove what has ended."""
        for key in [key for key, row in self._rows.items() if row.valid_to is not None and row.valid_to <= now]:
            del self._rows[key]

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Return all, the last first."""
        return Ranking(tuple(Hit(memory, 1.0) for memory in self._of(scope)[::-1])[:k])

    def dump(self, scope: Scope) -> list[Memory]:
        """List everything of a scope."""
        return self._of(scope)

    def _of(self, scope: Scope) -> list[Memory]:
        return [row for (whose, _), row in self._rows.items() if whose == scope]

    def update(self, memory: str, text: str, scope: Scope) -> Receipt:
        """Replace a text."""
        self._rows[scope, memory] = replace(self._rows[scope, memory], text=text)
        self._told[scope, memory].append(AuditEntry(Operation.UPDATE, None, text))
        return Receipt((Change(Operation.UPDATE, memory),))

    def delete(self, memories: Sequence[str], scope: Scope) -> int:
        """Remove memories, and the words of their histories."""
        gone = [name for name in dict.fromkeys(memories) if self._rows.pop((scope, name), None)]
        for name in gone:
            told = [replace(entry, text=None) for entry in self._told[scope, name]]
            self._told[scope, name] = [*told, AuditEntry(Operation.DELETE, None, None)]
        return len(gone)

    def erase(self, scope: Scope) -> None:
        """Remove a scope."""
        self.delete([memory.id for memory in self._of(scope)], scope)

    def history(self, memory: str, scope: Scope) -> Sequence[AuditEntry]:
        """Return what happened to a memory."""
        return self._told.get((scope, memory), [])

    def reopen(self) -> None:
        """Do nothing: all is in memory."""

    def storage_paths(self) -> Sequence[Path]:
        """Name nothing."""
        return ()

    def context(self, query: str, scope: Scope, budget: int) -> str:
        """Join what fits."""
        return "\n".join(memory.text for memory in self._of(scope))[:budget]

    def ask(self, question: str, scope: Scope, as_of: datetime | None = None) -> str:
        """Say everything."""
        return "\n".join(memory.text for memory in self._of(scope))


KINDS: Mapping[str, Callable[[], object]] = {
    "None": lambda: None,
    "an int": lambda: 7,
    "a float": lambda: 2.5,
    "a str": lambda: "text",
    "a bytes": lambda: b"text",
    "a dict": lambda: {"text": 1},
    "a list": lambda: ["text"],
    "a set": lambda: {"text"},
    "a generator": lambda: (text for text in ("text",)),
    "an object": object,
}
"""What may come, by its kind."""


@dataclass(frozen=True)
class Spoiling:
    """One wrong return: of a method, where in what it returns, and of which kind."""

    method: str
    where: str
    kind: str
    spoil: Callable[[Any], Any]

    def open(self) -> Dutiful:
        """Open a memory that does this and is right otherwise."""
        memory = Dutiful()
        before = getattr(memory, self.method, lambda: None)
        vars(memory)[self.method] = lambda *given, **named: self.spoil(before(*given, **named))
        memory.name = f"{self.method} ({self.where}: {self.kind})"
        return memory


def spoilings(seed: int = 0) -> list[Spoiling]:
    """Return every wrong return, in an order and at places that follow from *seed*."""
    dice = Random(seed)  # noqa: S311 - an order that can be repeated, not a secret
    made = list(_spoilings(dice))
    dice.shuffle(made)
    return made


def _spoilings(dice: Random) -> Iterator[Spoiling]:
    def listed(came: Sequence[object], junk: object) -> object:
        """Put something among what is listed."""
        place = dice.randrange(len(came) + 1)
        return (*came[:place], junk, *came[place:])

    def hit(came: Ranking, junk: object) -> object:
        return replace(came, hits=cast("Any", listed(came.hits, junk)))

    def change(came: Receipt, junk: object) -> object:
        return replace(came, changes=cast("Any", listed(came.changes or (), junk)))

    ways: list[Way] = [
        ("search", "itself", (), _whole),
        ("search", "hits", ("a list",), lambda came, junk: replace(came, hits=junk)),
        ("search", "a hit", (), hit),
        ("dump", "itself", ("a list", "a set", "a generator"), _whole),
        ("dump", "a memory", (), listed),
        ("delete", "itself", ("an int",), _whole),
        ("history", "itself", (), _whole),
        ("history", "an entry", (), listed),
        ("storage_paths", "itself", ("a list", "a set", "a generator"), _whole),
        ("storage_paths", "a path", ("a str",), listed),
        ("context", "itself", ("a str",), _whole),
        ("ask", "itself", ("a str",), _whole),
        ("capabilities", "itself", (), _whole),
        ("offers", "itself", ("a list", "a set"), _whole),
    ]
    for method in ("ingest", "ingest_expiring", "update"):
        ways += [
            (method, "itself", ("None",), _whole),
            (method, "changes", ("None", "a list"), lambda came, junk: replace(came, changes=junk)),
            (method, "a change", (), change),
        ]
    for way in ways:
        yield from _of_kinds(*way)
    yield from _fields("capabilities", Capabilities(), _PROMISES, _whole)
    yield from _fields("history", AuditEntry(Operation.ADD, None, None), _ENTRIES, listed)
    yield from _fields("dump", _MEMORY, _MEMORIES, listed)
    yield from _fields("search", _MEMORY, _MEMORIES, lambda came, memory: hit(came, Hit(memory)))
    for score in (math.nan, math.inf, -math.inf, 10**400):
        yield Spoiling("search", "score", str(score)[:20], partial(hit, junk=Hit(_MEMORY, score)))


_MEMORY = Memory("spoilt", "My spoilt thing is here.")
_MEMORIES: Mapping[str, tuple[str, ...]] = {
    "id": ("a str",),
    "text": ("a str",),
    "channel": ("a str",),
    "form": (),
    "sources": ("a list",),
    **dict.fromkeys(("event_at", "valid_from", "valid_to", "stored_at"), ("None",)),
}
"""Fields of a memory, and the kinds that may stand there."""
_ENTRIES: Mapping[str, tuple[str, ...]] = {"op": (), "at": ("None",), "text": ("None", "a str")}
_PROMISES: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("unit", "consistency", "event_time", "score_kind", "role"), ()),
    **dict.fromkeys(("needs", "interventions", "stand_ins", "models"), ("a list",)),
    "k_cap": ("None", "an int"),
}


def _whole(_: object, junk: object) -> object:
    return junk


def _of_kinds(method: str, where: str, right: Sequence[str], put: Put) -> Iterator[Spoiling]:
    for kind, make in KINDS.items():
        if kind not in right:
            yield Spoiling(method, where, kind, lambda came, make=make: put(came, make()))  # type: ignore[misc]


def _fields(method: str, whole: Any, known: Mapping[str, Sequence[str]], put: Put) -> Iterator[Spoiling]:
    """Yield what is wrong in one field of *whole*."""
    for field in fields(whole):
        if field.name in known:

            def spoil(came: object, junk: object, name: str = field.name) -> object:
                return put(came, replace(whole, **{name: cast("Any", junk)}))

            yield from _of_kinds(method, field.name, known[field.name], spoil)
