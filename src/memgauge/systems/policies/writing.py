"""What a built-in memory keeps beside turns: nothing, a store file, or facts that it parses itself.

``store=`` takes ``turns``, ``facts-N`` (at most N facts a turn), or the path of a store file. Every turn is kept
as it was said in any case, so that raw and derived forms of the same evidence share one index.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from memgauge.records import Form, Memory
from memgauge.systems.parsing.facts import facts
from memgauge.text.heard import as_heard

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memgauge.records import Scope, Turn

TURNS = "turns"
_FACTS = re.compile(r"facts-([1-9]\d?)")


def written(turn: Turn, *, heard: bool, speaker: bool) -> str:
    """Write what a policy keeps of a turn: its words behind its speaker, behind speaker and day, or alone."""
    if speaker:
        return f"{turn.speaker}: {turn.text}"
    return as_heard(turn.text, turn.speaker, turn.at) if heard else turn.text


def version_of(*, heard: bool, speaker: bool) -> str:
    """Return the version of a policy: the second keeps turns as heard, and the first does what it always did."""
    return "2" if heard and not speaker else "1"


class Writer(Protocol):
    """Makes memories out of what is said."""

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that decide what it writes."""

    def after(self, turns: Sequence[Turn], scope: Scope) -> Sequence[Memory]:
        """Return what is to be kept now that *turns* have been said."""

    def forget(self, scope: Scope | None = None) -> None:
        """Forget what was said in *scope*, or everywhere."""


class Verbatim:
    """Writes nothing beside turns."""

    files: tuple[Path, ...] = ()

    def after(self, turns: Sequence[Turn], scope: Scope) -> Sequence[Memory]:  # noqa: ARG002 - the protocol
        """Write nothing."""
        return ()

    def forget(self, scope: Scope | None = None) -> None:
        """Do nothing."""


class Parsed:
    """Writes at most *limit* facts a turn; it sees turns and nothing else."""

    files: tuple[Path, ...] = ()

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._speakers: defaultdict[Scope, dict[str, None]] = defaultdict(dict)

    def after(self, turns: Sequence[Turn], scope: Scope) -> Sequence[Memory]:
        """Parse every turn; whoever spoke before is known by name."""
        return [memory for turn in turns for memory in self._parse(turn, scope)]

    def forget(self, scope: Scope | None = None) -> None:
        """Forget who spoke."""
        _forget(self._speakers, scope)

    def _parse(self, turn: Turn, scope: Scope) -> Iterator[Memory]:
        speakers = self._speakers[scope]
        speakers[turn.speaker] = None
        others = [name for name in speakers if name != turn.speaker]
        for n, text in enumerate(facts(turn, others[0] if len(others) == 1 else "", self._limit)):
            yield Memory(f"{turn.id}/fact/{n}", text, Form.CANONICAL, (turn.id,), event_at=turn.at)


class Filed:
    """Writes the memories of a store file, each once the last turn that it descends from has been said."""

    def __init__(self, path: Path) -> None:
        from memgauge.systems.storefile import read_store

        self.files = (path,)
        self._memories = read_store(path).memories
        self._heard: defaultdict[Scope, set[str]] = defaultdict(set)
        self._written: defaultdict[Scope, set[str]] = defaultdict(set)

    def after(self, turns: Sequence[Turn], scope: Scope) -> Sequence[Memory]:
        """Return the memories of the scope's user that are now complete; without sources, at once."""
        heard, written = self._heard[scope], self._written[scope]
        heard.update(turn.id for turn in turns)
        ready = [
            memory
            for memory in self._memories.get(scope.user, ())
            if memory.id not in written and heard.issuperset(memory.sources)
        ]
        written.update(memory.id for memory in ready)
        # A foreign store may call a memory as the dataset calls a turn, which must not take its place.
        return [replace(memory, id=f"stored:{memory.id}") if memory.id in heard else memory for memory in ready]

    def forget(self, scope: Scope | None = None) -> None:
        """Forget what was said."""
        _forget(self._heard, scope)
        _forget(self._written, scope)


def open_writer(store: str) -> Writer:
    """Open what ``store=`` names.

    Raises:
        DataError: A store file that is absent or broken.
    """
    if store == TURNS:
        return Verbatim()
    parsed = _FACTS.fullmatch(store)
    return Parsed(int(parsed[1])) if parsed else Filed(Path(store))


def _forget(
    by_scope: defaultdict[Scope, set[str]] | defaultdict[Scope, dict[str, None]], scope: Scope | None
) -> None:
    if scope is None:
        by_scope.clear()
    else:
        by_scope.pop(scope, None)
