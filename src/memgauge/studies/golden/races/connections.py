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
        yield [system], "threads of one process, on one object"
        return
    with ExitStack() as undo:
        others = []
        for _ in range(number - 1):
            other = system.beside()
            assert isinstance(other, Branching)  # noqa: S101 - a connection is of the kind that it branched from
            undo.callback(other.hang_up)
            others.append(other)
        yield [system, *others], f"{number} connections to one memory"
