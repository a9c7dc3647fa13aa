"""A command in a process of its own, watched by this one: foreign code can end it, and not in silence.

What opens a memory runs the code of others in the process of the command. That process is believed only where its
exit status is the one that it named before, over a pipe of its own; and what foreign code prints goes another way
than what the command says (:mod:`memgauge.frame.streams`).
"""

from __future__ import annotations

import codecs
import contextlib
import fcntl
import io
import os
import select
import shlex
import signal
import sys
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from memgauge.frame.exits import FAILED
from memgauge.frame.streams import asides, keep_apart, put, results

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TextIO

_PASSED_ON: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_CHUNK: Final = 1 << 16
_MARK: Final = 16
"""Bytes that nobody guesses."""
_SHOWN: Final = 200
"""Characters of a command that a sentence shows."""


def watched(work: Callable[[], int], command: Sequence[str]) -> int:
    """Do *work* in a child, and end with its code where the child named it; else say how it ended, and fail.

    The child alone comes back from here, with what *work* returned. Call it while there is one thread.
    """
    _open_what_is_closed()
    pipes = _Pipes(os.pipe(), os.pipe(), os.pipe(), os.urandom(_MARK))
    unblocked = signal.pthread_sigmask(signal.SIG_BLOCK, _PASSED_ON)
    child = os.fork()
    pipes.keep(child == 0)
    if child == 0:
        signal.pthread_sigmask(signal.SIG_SETMASK, unblocked)
        return _done(work, pipes)
    watch = _Watch(child, pipes)
    watch.hear_signals()
    signal.pthread_sigmask(signal.SIG_SETMASK, unblocked)
    watch.until_the_end()
    os._exit(watch.code(command))  # nothing was opened here that would have to be closed


@dataclass(frozen=True)
class _Pipes:
    """What lies between the two processes, each pipe with the end that is read from first."""

    life: tuple[int, int]
    """Says nothing; it ends with the one who watches."""
    word: tuple[int, int]
    printed: tuple[int, int]
    """What foreign code prints."""
    mark: bytes

    def keep(self, is_child: bool) -> None:
        """Close the ends of the other process."""
        for read, written, is_written_by_child in (
            (*self.life, False),
            (*self.word, True),
            (*self.printed, True),
        ):
            os.close(read if is_child is is_written_by_child else written)

    def named(self, code: int) -> bytes:
        """Return the word for a code."""
        return self.mark + bytes([code & 0xFF])


def _done(work: Callable[[], int], pipes: _Pipes) -> int:
    """Do the work, here, and name its code: whoever ends this process before has named none."""
    _end_with(pipes.life[0])
    _speak_apart(pipes.printed[1])
    try:
        code = work()
        put("", results())
    except Exception:
        os.write(pipes.word[1], pipes.named(FAILED))  # Python tells what it was
        raise
    os.write(pipes.word[1], pipes.named(code))
    return code


def _end_with(life: int) -> None:
    """End this process with the one that watches it, however that ends: nobody is left who wants the result.

    Linux does it by itself and at once. Elsewhere a thread does, which may have to wait for native code.
    """
    if not hasattr(fcntl, "F_SETSIG"):
        threading.Thread(target=_killed_after, args=(life,), name="memgauge-watched", daemon=True).start()
        return
    fcntl.fcntl(life, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(life, fcntl.F_SETSIG, signal.SIGKILL)
    fcntl.fcntl(life, fcntl.F_SETFL, fcntl.fcntl(life, fcntl.F_GETFL) | os.O_ASYNC)
    if select.select([life], [], [], 0)[0]:  # it has ended already
        _killed_after(life)


def _killed_after(life: int) -> None:
    os.read(life, 1)
    os.kill(os.getpid(), signal.SIGKILL)


def _speak_apart(printed: int) -> None:
    """Leave 1 and 2, and what Python makes of them, to foreign code, and speak on duplicates."""
    keep_apart(_duplicate(1, sys.stdout), _duplicate(2, sys.stderr))
    os.dup2(printed, 1)
    os.dup2(printed, 2)
    os.close(printed)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(line_buffering=True)


def _duplicate(fd: int, stream: TextIO) -> TextIO:
    apart = os.dup(fd)  # no program that is started from here inherits it
    is_prompt = stream is sys.stderr or os.isatty(apart)
    return os.fdopen(apart, "w", 1 if is_prompt else -1, stream.encoding, stream.errors)


def _open_what_is_closed() -> None:
    """Let 0, 1 and 2 lead nowhere where nobody opened them: a pipe must not take their place."""
    for fd in range(3):
        try:
            os.fstat(fd)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest that is free
    sys.stdout = sys.stdout or open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 - as above
    sys.stderr = sys.stderr or open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 - as above


@dataclass
class _Watch:
    """Waits for the end of a child, passes signals on, and prints what foreign code prints in it."""

    child: int
    pipes: _Pipes
    status: int | None = None
    heard: list[int] = field(default_factory=list)
    """Signals that asked for the end."""

    def hear_signals(self) -> None:
        """Wake up when something happens, and pass on what asks for the end, unless that is ignored here."""
        self._woken, waking = os.pipe()
        os.set_blocking(waking, False)
        signal.set_wakeup_fd(waking, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        for number in _PASSED_ON:
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, lambda number, _: self._pass_on(number))

    def until_the_end(self) -> None:
        """Print until the child has ended; what outlives it is not waited for."""
        from_child = _Harmless(self.pipes.printed[0])
        while not self._ended():
            ready, _, _ = select.select([self._woken, *from_child.open], [], [])
            if self._woken in ready:
                os.read(self._woken, _CHUNK)
            else:
                from_child.pass_on()
        os.set_blocking(self.pipes.printed[0], False)
        while from_child.open:
            from_child.pass_on()

    def code(self, command: Sequence[str]) -> int:
        """Return the exit code: the child's own where it can be believed."""
        ended = os.waitstatus_to_exitcode(self.status or 0)
        os.set_blocking(self.pipes.word[0], False)
        with contextlib.suppress(BlockingIOError):
            if os.read(self.pipes.word[0], _CHUNK) == self.pipes.named(ended) and ended >= 0:
                return ended
        if self.heard and ended:
            return _end_alike(ended)
        put(f"memgauge: {_unbelieved(command, ended)}\n", asides())
        return FAILED

    def _ended(self) -> bool:
        if self.status is None:
            pid, status = os.waitpid(self.child, os.WNOHANG)
            self.status = status if pid else None
        return self.status is not None

    def _pass_on(self, number: int) -> None:
        self.heard.append(number)
        if self.status is None and not (number == signal.SIGINT and _in_front_of_a_terminal()):
            os.kill(self.child, number)


@dataclass
class _Harmless:
    """Prints as a complaint what comes from foreign code: a terminal shows it and does nothing for it."""

    source: int

    def __post_init__(self) -> None:
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._decoder = io.IncrementalNewlineDecoder(decoder, translate=True)  # a lone return hides a line
        self.open = [self.source]

    def pass_on(self) -> None:
        """Print what is there; nothing there is its end where nothing is waited for."""
        try:
            chunk = os.read(self.source, _CHUNK)
        except BlockingIOError:
            chunk = b""
        if not chunk:
            self.open = []
        if printed := self._decoder.decode(chunk, final=not chunk):
            from memgauge.show.safety import clean  # half as long as this process lives, and mostly for nothing

            with contextlib.suppress(OSError):  # a full disk, say, is no reason to stop the command
                put(clean(printed), asides())


def _in_front_of_a_terminal() -> bool:
    """Whether Ctrl-C is heard by the child too: a terminal tells the whole group in front of it."""
    try:
        terminal = os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY)
    except OSError:
        return False
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    except OSError:
        return False
    finally:
        os.close(terminal)


def _end_alike(ended: int) -> int:
    """End by the signal that the child ended by, or return its code."""
    if ended >= 0:
        return ended
    signal.signal(-ended, signal.SIG_DFL)
    os.kill(os.getpid(), -ended)
    return 128 - ended


def _unbelieved(command: Sequence[str], ended: int) -> str:
    """Say which command ended without a word, how, and what to do."""
    from memgauge.show.safety import clean

    line = shlex.join(["memgauge", *command])
    shown = clean(line if len(line) <= _SHOWN else f"{line[:_SHOWN]}…")
    how = f"exit status {ended}" if ended >= 0 else _name_of(-ended)
    return (
        f"`{shown}` was ended from within ({how}) before it had a result; nothing of what it wrote counts. "
        "A memory did that (exit, os._exit, native code), or the system did for want of RAM: "
        "look at the memory alone with `memgauge systems check MEMORY`."
    )


def _name_of(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
