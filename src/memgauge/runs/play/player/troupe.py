"""The players of one command: started when they are needed, one for each run and worker, used again, and ended."""

from __future__ import annotations

import os
import threading
import time
from collections import OrderedDict
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from memgauge.errors import ConfigError
from memgauge.long_values import LongSequence
from memgauge.runs.play.disclosure import Disclosed
from memgauge.runs.play.player.assignment import Assignment, chosen, masked
from memgauge.runs.play.player.keys import keys_of
from memgauge.runs.play.player.packing import packed
from memgauge.runs.play.player.process import PlayerDied, PlayerProcess
from memgauge.runs.play.player.rows import CheckedLines
from memgauge.runs.play.player.walls import Hidden, bubblewrap, secret
from memgauge.runs.record.isolation import OWN, Isolation
from memgauge.runs.record.row_log import JournalLines
from memgauge.runs.record.verbatim import turns_of
from memgauge.systems.environments.opening import lend_models
from memgauge.systems.protocol import Role
from memgauge.systems.wire.confining import close_memory, open_memory
from memgauge.systems.wire.surroundings import keyless

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from memgauge.records import Question
    from memgauge.runs.play.executors.base import Task
    from memgauge.streams import Event

_PORTION: Final = 4096
"""Events of a long stream that are handed over at a time."""
IDLE: Final = 16
"""Players that wait for the next conversation of their run; of a wide grid others are started again."""


@dataclass(frozen=True)
class PlayedCase:
    """One conversation, played."""

    lines: JournalLines
    failed: int
    seconds: float


@dataclass
class Troupe:
    """Starts players behind the best walls that work here."""

    hidden: Hidden = field(default_factory=Hidden)
    expected: str = ""
    """The system that is played first, as far as that is known."""
    _idle: OrderedDict[object, list[PlayerProcess]] = field(default_factory=OrderedDict)
    _busy: list[PlayerProcess] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _closed: bool = False
    _reached: Isolation | None = None
    _spare: PlayerProcess | None = None
    _shut: bool = False
    """Whether the memory of this process was closed for the time being."""

    def isolation(self) -> Isolation:
        """Start the first player, and say what it could not reach.

        Raises:
            ConfigError: No process can be started at all.
        """
        with self._lock:
            if self._reached is None:
                self._reached, self._spare = self._begun()
            return self._reached

    def _begun(self) -> tuple[Isolation, PlayerProcess]:
        """Try the means in turn; what does not start here is not used."""
        variables, places = keyless(), self.hidden.places
        problem = ""
        for means, before in (("bubblewrap", bubblewrap(self.hidden)), ("", [])):
            if means and not before:
                continue
            self._shut = self._shut or (not means and close_memory())  # no namespace hides this process
            try:
                player = PlayerProcess.start(before, variables, places, self.expected)
            except PlayerDied as died:
                problem = str(died)
                continue
            seen = player.sight
            reached = Isolation(
                OWN, means, not seen.get("places"), not seen.get("owner"), not secret(variables)
            )  # as it was seen from inside
            return reached, player
        raise ConfigError(f"No process can be started to play a memory: {problem}.", "Run with --executor inline.")

    def play(self, task: Task) -> PlayedCase:
        """Play one conversation with a player of its run.

        Raises:
            PlayerDied: The process died; another may be tried.
            IdentityError: The code of the system is not what the manifest names.
        """
        hidden, owner = masked(task.stream), _Owner(Disclosed(task.relevant))
        many = isinstance(hidden.stream, LongSequence)
        ceiling = task.manifest.system.capabilities.get("role") == Role.CEILING
        owner.questions = hidden.questions
        assigned = Assignment(
            chosen(task.manifest),
            task.conversation,
            task.number,
            task.attempt,
            () if many else hidden.stream,
            task.manifest.limits.model_dump(),
            owner.truth() if ceiling else {},
            task.probing,
            bool(task.relevant) and not ceiling,
            many,
        )
        if many:
            owner.stream = iter(hidden.stream)
        turns = () if many else turns_of(hidden.stream)
        checked = CheckedLines(task.conversation, task.attempt, task.number, hidden.questions, turns)
        lines = JournalLines()
        with self._borrowed(task.cell, keys_of(task.manifest.system), assigned.system.ref) as player:
            header, body = player.ask(assigned, owner.answer, lambda portion: lines.append(checked.take(portion)))
            try:
                lines.append(checked.take(body))
                return PlayedCase(lines, checked.end(), float(header.get("seconds", 0.0)))
            except (EOFError, TypeError, ValueError, KeyError) as error:
                raise PlayerDied(f"it wrote {error}") from error

    def consult(
        self,
        what: object,
        keys: Iterable[str] = (),
        within_s: float | None = None,
        hearing: Callable[[Mapping[str, Any]], object] | None = None,
    ) -> dict[str, Any]:
        """Ask a fresh player one thing, and end it; *hearing* is told of what it says meanwhile.

        It may take *within_s* seconds, and as long again after everything that is heard.

        Raises:
            PlayerDied: The process died, or did not answer in time.
            UserError: What is wrong with what was asked.
            SystemFault: What the system did wrong.
        """
        lend_models(getattr(what, "ref", ""))
        with self._borrowed(object(), frozenset(keys), "", keep=False) as player:

            def heard(header: Mapping[str, Any]) -> object:
                answer = hearing(header) if hearing is not None else None
                player.until = until()
                return answer

            def until() -> float | None:
                return None if within_s is None else time.monotonic() + within_s

            player.until = until()
            return player.ask(what, heard)[0]

    def close(self) -> None:
        """End every player: those that wait by themselves, those that play at once."""
        with self._lock:
            self._closed = True
            busy, self._busy = self._busy, []
            waiting = [player for players in self._idle.values() for player in players]
            waiting += [self._spare] if self._spare else []
            self._idle.clear()
            self._spare = None
        for player in busy:
            player.kill()
        if self._shut:
            open_memory()
            self._shut = False
        for player in waiting:
            player.hang_up()
        for player in waiting:
            player.end()

    @contextmanager
    def _borrowed(
        self, key: object, keys: frozenset[str], ref: str, *, keep: bool = True
    ) -> Iterator[PlayerProcess]:
        player = self._taken(key, keys, ref)
        with ExitStack() as undo:
            undo.callback(player.kill)
            undo.callback(self._forget, player)
            yield player
            undo.pop_all()
        self._forget(player)
        if keep:
            self._wait(key, player)
        else:
            player.end()

    def _taken(self, key: object, keys: frozenset[str], ref: str) -> PlayerProcess:
        """Take a player that waits for this run, or start one.

        Raises:
            PlayerDied: None can be started.
        """
        reached = self.isolation()
        lend_models(ref)
        with self._lock:
            waiting = self._idle.get(key)
            player = waiting.pop() if waiting else None
            if player is None and not keys & os.environ.keys():
                player, self._spare = self._spare, None
        if player is None:
            before = bubblewrap(self.hidden) if reached.means else []
            player = PlayerProcess.start(before, keyless(keys), (), ref)
        with self._lock:
            if not self._closed:
                self._busy.append(player)
                return player
        player.kill()
        raise PlayerDied("nobody wants it any more")

    def _forget(self, player: PlayerProcess) -> None:
        with self._lock:
            if player in self._busy:
                self._busy.remove(player)

    def _wait(self, key: object, player: PlayerProcess) -> None:
        """Keep a player for the next conversation of its run; of too many that wait, end the oldest."""
        surplus: list[PlayerProcess] = []
        with self._lock:
            if self._closed:
                surplus.append(player)
            else:
                self._idle.setdefault(key, []).append(player)
                self._idle.move_to_end(key)
                while sum(map(len, self._idle.values())) > IDLE:
                    surplus += self._idle.popitem(last=False)[1]
        for each in surplus:
            each.end()


@dataclass
class _Owner:
    """Answers what a player may ask: whether an answer held evidence, once for each question."""

    known: Disclosed
    questions: Sequence[Question] = ()
    stream: Iterator[Event] = field(default_factory=lambda: iter(()))
    """What of a long stream was not handed over yet."""
    _rewarded: set[int] = field(default_factory=set)

    def truth(self) -> dict[str, tuple[str, ...]]:
        """Return the evidence of every question, by its number."""
        return {str(n): tuple(self.known.turns(asked.id)) for n, asked in enumerate(self.questions)}

    def answer(self, header: Mapping[str, Any]) -> object:
        """Hand over the next portion of a stream, or say whether what was returned held evidence."""
        if "lines" in header:
            return True  # they were taken
        return packed(islice(self.stream, _PORTION)) if "more" in header else self.held(header)

    def held(self, header: Mapping[str, Any]) -> bool | None:
        """Say whether what was returned for a question held evidence."""
        number, returned = str(header.get("question")), header.get("returned")
        place = int(number) if number.isdecimal() else -1
        if not 0 <= place < len(self.questions) or place in self._rewarded or not isinstance(returned, list):
            return None
        self._rewarded.add(place)
        return self.known.held(self.questions[place].id, [str(turn) for turn in returned])
