"""One call in a sandbox: what it may use; start it, keep what it prints up to a limit, and end it in time."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import tempfile
import time
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import BinaryIO

_CHUNK = 1 << 16
_GRACE_S = 2.0
_MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class SandboxLimits:
    """Bounds of one call."""

    wall_s: float = 60.0
    """Seconds until everything that the call started is killed."""
    cpu_s: int = 60
    """Processor seconds of one process."""
    memory: int = 2048 * _MIB
    """Bytes of address space of one process."""
    file_size: int = 256 * _MIB
    """Bytes of one file that is written."""
    processes: int = 128
    """Processes and threads at a time."""
    output: int = 64 * 1024
    """Bytes of output that are kept."""
    scratch: int = 64 * _MIB
    """Bytes of `/tmp`, which lies in memory."""

    def inside(self) -> dict[str, float]:
        """Return them as the script that runs inside takes them."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Finished:
    """How a command ended."""

    output: str
    """Standard output and standard error in the order they came, decoded; cut to the limit."""
    code: int
    """The exit code, as a shell counts: 128 + signal for one that was killed."""
    seconds: float
    timed_out: bool = False
    dropped: int = 0
    """Bytes of output beyond the limit."""


@dataclass(frozen=True, slots=True)
class Launch:
    """How a sandbox is entered; what is started there reads its request from standard input."""

    command: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict)
    """All of it: nothing is inherited."""
    user: int | None = None
    folder: str = "/"
    arguments: bytes = b""
    """A file behind the descriptor that ``{arguments}`` in *command* names: others can read a command line."""


def drive(launch: Launch, request: bytes, limits: SandboxLimits, *, merged: bool = True) -> Finished:
    """Start *launch*, hand it *request*, and return how it ended; errors are left out unless *merged*."""
    started = time.monotonic()
    with _file(request) as stdin, _file(launch.arguments) as arguments:
        command = [part.replace("{arguments}", str(arguments)) for part in launch.command]
        process = subprocess.Popen(  # noqa: S603 - the sandbox; what the agent wants is in the request
            command,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT if merged else subprocess.DEVNULL,
            env=dict(launch.environment),
            cwd=launch.folder,
            pass_fds=[arguments],
            user=launch.user,
            group=launch.user,
            extra_groups=[] if launch.user is not None else None,
            start_new_session=True,
            umask=0o022,
        )
    try:
        output, dropped, in_time = _read(cast("BinaryIO", process.stdout), started + limits.wall_s, limits.output)
        if in_time:
            in_time = _ended(process, max(0.0, started + limits.wall_s - time.monotonic()))
    finally:
        end(process)
        cast("BinaryIO", process.stdout).close()
    code = process.returncode if process.returncode >= 0 else 128 - process.returncode
    seconds = time.monotonic() - started
    return Finished(output.decode("utf-8", "replace"), code, seconds, timed_out=not in_time, dropped=dropped)


def end(process: subprocess.Popen[bytes]) -> None:
    """End a process: ask, so that a supervisor can clean up, then insist."""
    if process.poll() is not None:
        return
    for how in (signal.SIGTERM, signal.SIGKILL):
        process.send_signal(how)
        if _ended(process, _GRACE_S):
            return
    process.wait()


def _ended(process: subprocess.Popen[bytes], seconds: float) -> bool:
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(seconds)
    return process.returncode is not None


def _read(stream: BinaryIO, until: float, most: int) -> tuple[bytes, int, bool]:
    """Read to the end or the deadline; return what is kept, how much is not, and whether the end was reached."""
    output = bytearray()
    dropped = 0
    while (left := until - time.monotonic()) > 0:
        if not select.select([stream], [], [], left)[0]:
            break
        piece = os.read(stream.fileno(), _CHUNK)
        if not piece:
            return bytes(output), dropped, True
        room = most - len(output)
        output += piece[:room]
        dropped += max(0, len(piece) - room)
    return bytes(output), dropped, False


@contextlib.contextmanager
def _file(content: bytes) -> Iterator[int]:
    """Give a nameless file that holds *content*; unlike a pipe it takes any amount at once."""
    with tempfile.TemporaryFile() as file:
        file.write(content)
        file.seek(0)
        yield file.fileno()
