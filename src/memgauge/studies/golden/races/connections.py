"""How threads reach one memory: the object itself in this process, a connection each where it is behind one."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memgauge.systems.protocol import MemorySystem


TAKES_TURNS: Final = "its calls take turns, so that threads prove nothing"
"""Why a memory behind a pipe is not raced: whatever it does at once, it is never asked to."""


@runtime_checkable
class Branching(Protocol):
    """A memory behind connections, of which there may be several at once."""

    def beside(self) -> MemorySystem:
        """Return the same store through a connection of its own; the caller hangs it up."""

    def hang_up(self) -> None:
        """Let the connection go, and nothing that is behind it."""


@dataclass(frozen=True)
class ThreadAccess:
    """What threads call, in turn where they are more, and how that reaches the memory."""

    systems: Sequence[MemorySystem]
    how: str
    not_tried: str = ""
    """Why calls cannot overlap there; empty where they can."""


@contextmanager
def connected(system: MemorySystem, number: int) -> Iterator[ThreadAccess]:
    """Yield what each of *number* threads calls, and say how that reaches the memory."""
    if not isinstance(system, Branching):
        yield ThreadAccess([system], "threads of one process on one object")
        return
    with ExitStack() as undo:
        others = [system.beside() for _ in range(number - 1)]
        if system in others:
            yield ThreadAccess([system], "threads that take turns", TAKES_TURNS)
            return
        for other in others:
            undo.callback(hang_up, other)
        yield ThreadAccess([system, *others], f"{number} connections to one store")


def hang_up(system: MemorySystem) -> None:
    """Let a connection go; it is taken up again by the next call."""
    if isinstance(system, Branching):
        system.hang_up()
