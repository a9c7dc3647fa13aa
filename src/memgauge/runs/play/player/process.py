"""A player as its owner sees it: started behind walls, asked one thing at a time, and never trusted to live."""

from __future__ import annotations

import contextlib
import os
import pickle
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from memgauge.errors import ConfigError, SystemFault, UserError
from memgauge.runs.play.player.frames import receive, send, understood, widened
from memgauge.runs.play.player.sight import sought
from memgauge.systems.wire.confining import confined

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

GRACE_S: Final = 3.0
"""Seconds that a player has to end by itself: what it started ends with it."""
START_S: Final = 60.0
"""Seconds until a player that starts has said so."""
_MEANWHILE: Final = frozenset({"returned", "check", "more", "lines"})
"""What a player says before it is done, and waits for an answer to."""
_BOOT: Final = (
    "import sys; sys.path[:] = sys.argv[3:]; from memgauge.runs.play.player.inside import begin; begin()"
)


class PlayerDied(Exception):  # noqa: N818 - named for what happened
    """The process ended, or said what no player says."""


@dataclass
class PlayerProcess:
    """One process that plays; of one run only, so that no system can reach into another's."""

    process: subprocess.Popen[bytes]
    source: int
    """What it says."""
    target: int
    """What it is asked."""
    scratch: str = ""
    """Its folder for temporary files: what a memory left there goes with the process, however that ended."""
    sight: Mapping[str, Any] = field(default_factory=dict)
    """What it could reach when it started."""
    until: float | None = None
    """When it is given up, by the clock of this process; ``None`` waits as long as it lives."""

    @classmethod
    def start(
        cls, before: Sequence[str], variables: Mapping[str, str], places: Sequence[Path], expected: str = ""
    ) -> PlayerProcess:
        """Start one, with *before* before its command, and wait until it has looked round.

        What it goes on to do by itself is to import the *expected* system.

        Raises:
            PlayerDied: It did not start.
        """
        requests, answers = widened(os.pipe()), widened(os.pipe())
        scratch = tempfile.mkdtemp(prefix="mg-")  # short, for sockets of databases lie below it

        def begun() -> subprocess.Popen[bytes]:
            return subprocess.Popen(  # noqa: S603 - our own command
                [*before, sys.executable, "-c", _BOOT, str(requests[0]), str(answers[1]), *sys.path],
                env={**variables, "TMPDIR": scratch},
                stdin=subprocess.DEVNULL,
                stdout=_errors(),  # what foreign code prints is not what a command prints
                pass_fds=(requests[0], answers[1]),
                start_new_session=True,  # Ctrl-C is its owner's to hear
            )

        try:
            process = begun() if before else confined(begun)
        except OSError as error:
            for fd in (*requests, *answers):
                os.close(fd)
            shutil.rmtree(scratch, ignore_errors=True)
            raise PlayerDied(str(error)) from error
        os.close(requests[0])
        os.close(answers[1])
        player = cls(process, answers[0], requests[1], scratch, until=time.monotonic() + START_S)
        header, _ = player.ask(sought(places, expected))
        player.sight, player.until = header.get("sight") or {}, None
        return player

    def ask(
        self,
        what: object,
        answering: Callable[[Mapping[str, Any]], object] | None = None,
        taking: Callable[[bytes], object] = lambda _: None,
    ) -> tuple[dict[str, Any], bytes]:
        """Hand over one thing and wait for what comes of it.

        *answering* replies to what is asked meanwhile, *taking* takes lines that come before the last ones.

        Raises:
            PlayerDied: The process ended or broke off; it is of no further use.
            UserError: What the player says is wrong with what it was asked.
            SystemFault: What the system did wrong.
        """
        with contextlib.ExitStack() as undo:
            undo.callback(self.kill)
            try:
                send(self.target, pickle.dumps(what, pickle.HIGHEST_PROTOCOL))
                while _MEANWHILE & (reply := understood(receive(self.source, self._lives)))[0].keys():
                    if "lines" in reply[0]:
                        taking(reply[1])
                    answer = answering(reply[0]) if answering is not None else None
                    send(self.target, pickle.dumps(answer))
            except (OSError, EOFError) as error:
                raise PlayerDied(str(error)) from error
            undo.pop_all()
        header, body = reply
        _raise(header)
        return header, body

    def end(self) -> None:
        """Let it end by itself, and what it started with it; nobody asks it anything any more."""
        self._hang_up()
        until = time.monotonic() + GRACE_S
        with contextlib.suppress(EOFError):  # nothing more is said, so that what comes is its end
            receive(self.source, lambda: self.process.poll() is None and time.monotonic() < until)
        self.kill()

    def hang_up(self) -> None:
        """Tell it that no more will come, without waiting for its end."""
        self._hang_up()

    def kill(self) -> None:
        """End it at once, with everything of its session; from any thread, as often as one likes."""
        if self.process.poll() is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        shutil.rmtree(self.scratch, ignore_errors=True)
        self._hang_up()
        source, self.source = self.source, -1
        if source >= 0:
            os.close(source)

    def _hang_up(self) -> None:
        target, self.target = self.target, -1
        if target >= 0:
            os.close(target)

    def _lives(self) -> bool:
        return self.process.poll() is None and (self.until is None or time.monotonic() < self.until)


def _errors() -> int:
    """Return where errors go, or nowhere where a host program replaced them."""
    try:
        return sys.__stderr__.fileno() if sys.__stderr__ is not None else subprocess.DEVNULL
    except (OSError, ValueError):
        return subprocess.DEVNULL


def _raise(header: Mapping[str, Any]) -> None:
    """Raise what a player says was wrong.

    Raises:
        UserError: A mistake of the user's, as the player names it.
        SystemFault: What the system did wrong.
    """
    if "fault" in header:
        raise SystemFault(str(header["fault"]))
    if "error" in header:
        kinds = {kind.__name__: kind for kind in _kinds(UserError)}
        raise kinds.get(str(header["error"]), ConfigError)(str(header.get("what")), str(header.get("remedy", "")))


def _kinds(kind: type[UserError]) -> list[type[UserError]]:
    return [kind, *(below for sub in kind.__subclasses__() for below in _kinds(sub))]
