"""One subprocess that serves one memory: started, called against a deadline, killed, and never trusted to live.

A process that dies or does not answer in time makes its call fail, and every call after it, until it is started
again; whoever does that asks for an empty store.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time
import weakref
from collections import deque
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

from memgauge.errors import CallFailed, CallTimeout, ConfigError, ContractBreach
from memgauge.systems.wire import messages
from memgauge.systems.wire.answering import resident
from memgauge.systems.wire.confining import confined
from memgauge.systems.wire.left import MARK, end_left, looking_after
from memgauge.systems.wire.pipes import DeadlinePassed, Pipes
from memgauge.text.scrubbing import Scrubber, keys_in_arguments, keys_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path
    from typing import IO

GRACE_S: Final = 2.0
"""Seconds that a process has to end by itself once it was asked to."""
_TAIL: Final = 64
"""Pieces of stderr that are kept."""
_PIECE: Final = 1024
_TICK_MS: Final = 1000 / os.sysconf("SC_CLK_TCK")
CLOSED: Final = "it was closed"


@dataclass(frozen=True)
class Command:
    """How a process is started."""

    arguments: Sequence[str]
    environment: Mapping[str, str]
    folder: Path
    """Where it runs."""
    handed: Sequence[str] = ()
    """Names of variables that are its user's."""

    walled: bool = False
    """Whether it begins with what makes namespaces, which nobody may who is confined."""

    @cached_property
    def keys(self) -> Scrubber:
        """Know what it was handed and must not say."""
        return Scrubber(keys_of(self.environment, self.handed) | keys_in_arguments(self.arguments))


class Worker:
    """A process that can be started again."""

    def __init__(self, command: Command) -> None:
        self.command = command
        self.lost = CLOSED
        """Why it cannot be called; empty while it can."""
        self._life: ProcessLife | None = None
        self._number = 0
        self._busy = threading.Lock()
        """Held while a call is made; whoever kills the process leaves its pipes to whoever reads them."""

    @property
    def pid(self) -> int | None:
        """Return the id of the running process."""
        return self._life.process.pid if self._life else None

    @property
    def idle(self) -> bool:
        """Whether it runs and performs no call."""
        life = self._life
        return not self.lost and life is not None and not self._busy.locked() and not life.gone()

    def start(self) -> None:
        """Start the process, in place of one that was there.

        Raises:
            ConfigError: The program does not exist or may not be run.
        """
        self.kill()
        try:
            life = self._life = ProcessLife(self.command)
        except OSError as error:
            program = self.command.arguments[0]
            raise ConfigError(
                f"Cannot start {program}: {error.strerror or error}.", "Check the command."
            ) from error
        self.lost = ""
        weakref.finalize(self, life.end)  # at the latest when nobody can call it any more, or Python ends

    def call(self, method: str, params: object, deadline_s: float) -> dict[str, Any]:
        """Send a request and return the answer, a message with a result or an error.

        Raises:
            CallTimeout: There was none within *deadline_s*; the process was killed.
            CallFailed: The process died during this call, or had died before.
            ContractBreach: What came is no answer; the process was killed.
        """
        with self._busy:
            life = self._life
            if self.lost or life is None:
                raise CallFailed(f"not called: {self.lost}")
            self._number += 1
            until = time.monotonic() + deadline_s
            try:
                life.pipes.send(messages.request(self._number, method, params), until)
                return _answer(life.pipes, self._number, until, self.command.keys)
            except DeadlinePassed:
                self._lose(life, f"{method} did not return within {deadline_s:g} s, and its process was killed")
                raise CallTimeout(self.lost) from None
            except EOFError:
                self._lose(life, f"its process {life.ended()} during {method}")
                raise CallFailed(self.lost) from None
            except ContractBreach as breach:
                self._lose(life, f"the answer to {method} cannot be used: {breach}")
                raise ContractBreach(self.lost) from None

    def _lose(self, life: ProcessLife, why: str) -> None:
        """Give up a process during a call, unless somebody else did so already and said why."""
        life.end()
        words = life.last_words(4)[-400:]
        self.lost = self.lost or f"{why}{f'; its last words: {words}' if words else ''}"

    def cancel(self) -> None:
        """Ask the process to give up the call that it performs; it may not know how."""
        life = self._life
        if life is not None:
            with contextlib.suppress(EOFError, DeadlinePassed, ValueError):
                life.pipes.send(messages.notice("cancel", {"id": self._number}), time.monotonic() + 0.1)

    def kill(self, why: str = CLOSED) -> None:
        """End the process and everything that it started; from any thread, as often as one likes."""
        life, self.lost = self._life, self.lost or why
        if life is not None:
            life.kill()
            if self._busy.acquire(timeout=GRACE_S):  # a call that was running fails now, and lets go
                try:
                    life.end()
                    self._life = None
                finally:
                    self._busy.release()

    def stop(self) -> None:
        """Let the process end by itself, a little while, and kill what is left."""
        life = self._life
        if life is not None and self._busy.acquire(blocking=False):
            try:
                life.pipes.end_input()
                life.wait(GRACE_S)
            finally:
                self._busy.release()
        self.kill()

    def used(self) -> dict[str, Any]:
        """Return what the system says that the process used since it was last asked."""
        life = self._life
        if life is None:
            return {}
        cpu = _cpu_ms(life.process.pid)
        spent, life.cpu_ms = cpu - life.cpu_ms, cpu
        return {"cpu_ms": max(spent, 0.0), "rss_bytes": resident(life.process.pid)}


def _answer(pipes: Pipes, number: int, until: float, keys: Scrubber) -> dict[str, Any]:
    while True:
        message = messages.read(pipes.line(until), keys)
        if message.get("id") == number and ("result" in message) != ("error" in message):
            return message
        if "method" not in message or "id" in message:  # a notification says nothing that is waited for
            raise ContractBreach(f"no answer to request {number}: {str(message)[:120]}")


@dataclass
class ProcessLife:
    """A process from its start, which may raise an ``OSError``, to its end."""

    command: Command
    cpu_ms: float = 0.0
    mark: str = field(default_factory=lambda: uuid4().hex)
    _errors: deque[bytes] = field(default_factory=lambda: deque(maxlen=_TAIL))
    _ending: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self.process = self._begun() if self.command.walled else confined(self._begun)
        assert self.process.stdin is not None  # noqa: S101 - all three are pipes
        assert self.process.stdout is not None  # noqa: S101 - as above
        self.pipes = Pipes(self.process.stdin, self.process.stdout, self.gone)
        self._listener = threading.Thread(target=_listen, args=(self.process.stderr, self._errors), daemon=True)
        self._listener.start()

    def _begun(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(  # noqa: S603 - starting what the user names is the purpose
            list(self.command.arguments),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=self.command.folder,
            env={**self.command.environment, MARK: self.mark},
            start_new_session=True,  # so that what it starts can be ended with it
            bufsize=0,
        )

    def gone(self) -> bool:
        """Whether the process ended; it is not taken note of, so that its number stays its own."""
        if self.process.returncode is not None:
            return True
        try:
            return os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
        except ChildProcessError:  # another thread has just taken note of its end
            return True

    def wait(self, seconds: float) -> bool:
        """Wait for the end of the process, and return whether it came."""
        until = time.monotonic() + seconds
        while not self.gone():
            if time.monotonic() > until:
                return False
            time.sleep(0.005)
        return True

    def kill(self) -> None:
        """End the process, its group, and what left the group to live on."""
        with self._ending:
            if self.process.returncode is None:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(self.process.pid, signal.SIGKILL)
                self.process.wait()
            end_left(self.mark)

    def end(self) -> None:
        """End the process, and close its pipes."""
        self.kill()
        self.pipes.close()
        self._listener.join(timeout=1)
        if not self._listener.is_alive() and self.process.stderr:  # who left the group may still hold it
            self.process.stderr.close()

    def ended(self) -> str:
        """Say how the process ended."""
        if not self.wait(GRACE_S):
            return "closed its output"
        with self._ending:
            if self.process.returncode is None:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(self.process.pid, signal.SIGKILL)
            code = self.process.wait()
        return f"was killed by {_signal(-code)}" if code < 0 else f"ended with exit status {code}"

    def last_words(self, lines: int) -> str:
        """Quote the last lines of stderr, without what the process was not to say."""
        written = self.command.keys.error(b"".join(self._errors).decode("utf-8", "replace")).strip().splitlines()
        return " | ".join(line.strip() for line in written[-lines:])


def _listen(stream: IO[bytes], tail: deque[bytes]) -> None:
    with contextlib.suppress(OSError, ValueError):
        while piece := stream.read(_PIECE):
            tail.append(piece)


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _cpu_ms(pid: int) -> float:
    """Return the processor time of a process and of its ended children; 0 where nobody says."""
    try:
        with looking_after(), open(f"/proc/{pid}/stat", "rb") as file:  # noqa: PTH123 - a call: a Path costs more
            fields = file.read().rpartition(b")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, fields[11:15])) * _TICK_MS
