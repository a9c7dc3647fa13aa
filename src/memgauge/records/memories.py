"""What a memory system keeps and returns: memories with lineage, receipts, hits, rankings."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime


class Form(StrEnum):
    """What shape a memory has; ``raw`` is measured by the harness, never only claimed."""

    RAW = "raw"
    CANONICAL = "canonical"
    DERIVED = "derived"
    """Made from turns but not meant to be served: it counts as a descendant and as nothing else."""
    SUMMARY = "summary"
    PROFILE = "profile"
    EDGE = "edge"
    NODE = "node"
    PATH = "path"
    """Several edges that answer together; it descends from the turns of all of them."""
    UNKNOWN = "unknown"


class Lineage(StrEnum):
    """How well it is known from which turns a memory descends."""

    EXACT = "exact"
    """The harness saw it: a receipt for a write of known turns."""
    DECLARED = "declared"
    """The system says so in its own records."""
    INFERRED = "inferred"
    """Found by comparing what was stored before and after a write, or by text."""
    ABSENT = "absent"
    """Nobody knows."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Whose memory: everything written under one scope is invisible under another."""

    user: str
    tenant: str = "default"
    agent: str | None = None
    session: str | None = None


@dataclass(frozen=True, slots=True)
class Memory:
    """One stored memory, in one version."""

    id: str
    text: str
    form: Form = Form.UNKNOWN
    sources: tuple[str, ...] = ()
    """Ids of the turns it descends from, as far as the system knows."""
    version: int = 1
    event_at: datetime | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    stored_at: datetime | None = None
    channel: str = ""
    """Which of the system's stores it comes from, for systems with several."""

    def __reduce__(self) -> tuple[type[Memory], tuple[object, ...]]:
        """Travel as what it is made of: in a third of the time that a dataclass takes."""
        required = self.id, self.text, self.form, self.sources, self.version
        return type(self), (*required, self.event_at, self.valid_from, self.valid_to, self.stored_at, self.channel)


class Operation(StrEnum):
    """What a write did to one memory."""

    ADD = "add"
    UPDATE = "update"
    DELETE = "delete"
    INVALIDATE = "invalidate"
    NOOP = "noop"


@dataclass(frozen=True, slots=True)
class Change:
    """One effect of a write."""

    op: Operation
    memory: str


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a system says about a write."""

    changes: tuple[Change, ...] | None = None
    """``None``: the system does not say, and the harness compares dumps instead."""
    ticket: str | None = None
    """A handle of asynchronous work that ``flush`` waits for."""


class ScoreKind(StrEnum):
    """What the numbers beside hits mean."""

    SIMILARITY = "similarity"
    DISTANCE = "distance"
    FUSED = "fused"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Hit:
    """One returned memory; its rank is its position and nothing else."""

    memory: Memory
    score: float | None = None


@dataclass(frozen=True, slots=True)
class Ranking:
    """What a search returned, best first, never re-sorted."""

    hits: tuple[Hit, ...]
    score_kind: ScoreKind = ScoreKind.NONE
    notes: tuple[str, ...] = ()
    """What a reader must know about this list: merge rules, caps, degraded signals."""
