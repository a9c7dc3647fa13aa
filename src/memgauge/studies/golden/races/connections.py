"""How threads reach one memory: the object itself in this process, a connection each where it is behind one."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memgauge.systems.protocol import MemorySystem


@runtime_checkable
class Branching(Protocol):
    """A memory behind connections, of which there may be several at once."""

    def beside(self) -> MemorySystem:
        """Return the same store through a connection of its own; the caller hangs it up."""

    def hang_up(self) -> None:
        """Let the connection go, and nothing that is behind it."""


@contextmanager
def connected(system: MemorySystem, number: int) -> Iterator[tuple[Sequence[MemorySystem], str]]:
    """Yield what each of *number* threads calls, and say how that reaches the memory."""
    if not isinstance(system, Branching):
        yield [system], "threads of one process on one object"
        return
    with ExitStack() as undo:
        others = [system.beside() for _ in range(number - 1)]
        if system in others:
            yield [system], "threads that take turns on one connection"
            return
        for other in others:
            undo.callback(hang_up, other)
        yield [system, *others], f"{number} connections to one store"


def hang_up(system: MemorySystem) -> None:
    """Let a connection go; it is taken up again by the next call."""
    if isinstance(system, Branching):
        system.hang_up()
