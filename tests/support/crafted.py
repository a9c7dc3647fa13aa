"""Memories that top a board without remembering, one trick each."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, ClassVar

from memgauge.records import Change, Hit, Memory, Operation, Ranking, Receipt
from memgauge.systems.protocol import Capabilities
from support.systems import Notebook

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from memgauge.records import Scope, Turn

WORK_S = 0.05


class SlowTuple(tuple[Any, ...]):
    """Takes its time while it is read."""

    __slots__ = ()

    def __iter__(self) -> Iterator[Any]:
        """Work, then yield."""
        time.sleep(WORK_S)
        return super().__iter__()


class Lazy(Notebook):
    """Searches at once, and works while its hits are read."""

    name = "lazy"

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Return hits that are found when somebody looks."""
        return Ranking(SlowTuple(super().search(query, scope, k).hits))


class Stuck(Notebook):
    """Never ends to yield its hits."""

    name = "stuck"

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Return hits that nobody can read."""

        class Endless(tuple[Any, ...]):
            __slots__ = ()

            def __iter__(self) -> Iterator[Any]:
                time.sleep(30)
                return iter(())

        return Ranking(Endless(super().search(query, scope, k).hits))


class Late(Memory):
    """A memory whose text is found when it is read."""

    def __getattribute__(self, name: str) -> Any:
        """Work for the text."""
        if name == "text":
            time.sleep(WORK_S)
        return super().__getattribute__(name)


class Computing(Notebook):
    """Returns memories whose text is a property."""

    name = "computing"

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Return one late memory."""
        return Ranking((Hit(Late("late", "found late")),))


class Okay(Notebook):
    """Keeps one memory with the text "ok", which every write updates."""

    name = "okay"

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Say that it was changed."""
        op = Operation.UPDATE if self.stored else Operation.ADD
        self.stored["all"] = Memory("all", "ok")
        return Receipt((Change(op, "all"),))


class FirstTurn(Notebook):
    """Keeps the first turn of a session, and says that it comes from all of them."""

    name = "first-turn"

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Keep the first, and update it with nothing."""
        changes = []
        for turn in turns:
            op = Operation.UPDATE if turn.session in self.stored else Operation.ADD
            self.stored.setdefault(turn.session, Memory(turn.session, turn.text))
            changes.append(Change(op, turn.session))
        return Receipt(tuple(changes))


class Everything(Notebook):
    """Keeps one memory that holds all that was said."""

    name = "everything"

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Append to it."""
        op = Operation.UPDATE if self.stored else Operation.ADD
        known = self.stored["all"].text if self.stored else ""
        self.stored["all"] = Memory("all", "\n".join([known, *(turn.text for turn in turns)]))
        return Receipt((Change(op, "all"),))


class Echo(Notebook):
    """Returns the question, and says that it comes from every turn."""

    name = "echo"
    promises: ClassVar[Capabilities] = Capabilities(declares_sources=True)

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Echo."""
        return Ranking((Hit(Memory("echo", query, sources=tuple(name[2:] for name in self.stored))),))


class Unsure(Notebook):
    """Raises where it finds no word of the question."""

    name = "unsure"

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Raise, or find."""
        words = set(query.casefold().split())
        if not any(words & set(memory.text.casefold().split()) for memory in self.stored.values()):
            raise LookupError("not sure")
        return super().search(query, scope, k)


class Counting(Notebook):
    """Returns something else every time."""

    name = "counting"

    def __init__(self) -> None:
        super().__init__()
        self.searches = 0

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Count."""
        self.searches += 1
        return Ranking((Hit(Memory(f"n{self.searches}", f"{self.searches}")),))
