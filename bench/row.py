"""A row of work: what is done, who does it, and what has to come of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path  # noqa: TC003 - a field of a dataclass
from typing import TYPE_CHECKING, Any

from bench.places import PEERS

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from bench.agree import Agreement


class Role(StrEnum):
    """What a side is there for."""

    OURS = "ours"
    PEER = "peer"
    FLOOR = "floor"
    """The least that any way of doing it has to do on this machine."""


class CannotRunError(Exception):
    """A side lacks something; its text says what."""


@dataclass(frozen=True)
class Job:
    """What a side repeats, once everything before it is prepared."""

    run: Callable[[], Any]
    check: Callable[[Any], NDArray[Any]] | None = None
    """Turn a result into what the other sides must get as well; not timed."""
    spent: Callable[[Any], float] | None = None
    """Read the milliseconds from a result that measured itself; otherwise the call is timed."""


@dataclass(frozen=True)
class Side:
    """One way of doing the work of a row."""

    name: str
    prepare: Callable[[Path], Job]
    role: Role
    at_least: float | None = None
    """How many times faster than this peer we have to be."""
    note: str = ""
    """What differs in its work or its result."""
    why: str = ""
    """Why we are behind it, where we are."""
    repeats: int | None = None
    """Repetitions, where those of the others would take too long."""
    times: float = 1.0
    """How often the work of the row holds this one, for a part that is measured alone."""
    here: bool = False
    """Whether it lives in memgauge's own environment."""
    python: Path = PEERS
    """Where it lives otherwise."""


@dataclass(frozen=True)
class Row:
    """The same work, done by several sides."""

    title: str
    sides: tuple[Side, ...]
    unit: str = "ms"
    limit: float | None = None
    """What ours may take."""
    agreement: Agreement | None = None
    share: Callable[[Path], None] | None = None
    """Write what all sides read; runs once, in memgauge's environment."""
    above: str = ""
    """Why ours stays above its floor."""
    repeats: int | None = None
    threads: int = 1
    """That every side may use."""
    items: int = 0
    """How many of *of* the work is done on, where how many a second is asked for."""
    of: str = ""
    limit_mb: float | None = None
    """Memory that ours may hold."""


def ours(prepare: Callable[[Path], Job], **more: Any) -> Side:
    """Name our side."""
    return Side("memgauge", prepare, Role.OURS, here=True, **more)


def peer(name: str, prepare: Callable[[Path], Job], **more: Any) -> Side:
    """Name a peer."""
    return Side(name, prepare, Role.PEER, **more)


def floor(name: str, prepare: Callable[[Path], Job], **more: Any) -> Side:
    """Name the floor; what it does needs nothing but what memgauge stands on."""
    return Side(name, prepare, Role.FLOOR, here=True, **more)
