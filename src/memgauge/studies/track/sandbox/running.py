"""One call in a sandbox: what it may use; start it, keep what it prints up to a limit, and end it in time."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import tempfile
import time
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, cast

from memgauge.studies.track.sandbox.groups import ControlGroup
from memgauge.studies.track.sandbox.streams import Streams, ended
from memgauge.studies.track.sandbox.watching import TreeWatch

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path
    from typing import BinaryIO

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
    """Bytes of address space of one process, and of memory of everything that the call started."""
    file_size: int = 256 * _MIB
    """Bytes of one file that is written."""
    processes: int = 128
    """Processes and threads at a time."""
    output: int = 64 * 1024
    """Bytes of output that are kept."""
    scratch: int = 64 * _MIB
    """Bytes of `/tmp`, which lies in memory."""
    stored: int = 1024 * _MIB
    """Bytes of the agent's folder."""
    files: int = 200_000
    """Files and folders in the agent's folder, and in that of temporary files."""

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
    exceeded: str = ""
    """Which limit of the whole call was met, where it was killed for one."""


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
    filter: bytes = b""
    """The same, behind ``{filter}``: a program against system calls."""
    stores: Mapping[Path, int] = field(default_factory=dict)
    """Folders that no kernel bounds, and how many bytes each may hold."""


def drive(launch: Launch, request: bytes, limits: SandboxLimits, *, merged: bool = True) -> Finished:
    """Start *launch*, hand it *request*, and return how it ended; errors are left out unless *merged*."""
    started_at = time.monotonic()
    with _file(launch.arguments) as arguments, _file(launch.filter) as filter_, ControlGroup.made(limits) as group:
        process = _started(launch, arguments, filter_, merged=merged)
        try:
            group.take(process.pid)
            watch = TreeWatch(process.pid, limits, launch.stores, group)
            streams = Streams(process, request, limits.output)
            in_time = streams.exchange(started_at + limits.wall_s, watch)
        finally:
            end(process)
            for stream in (process.stdin, process.stdout):
                with contextlib.suppress(OSError):
                    cast("BinaryIO", stream).close()
    code = process.returncode if process.returncode >= 0 else 128 - process.returncode
    seconds = time.monotonic() - started_at
    reason = watch.exceeded or group.exceeded()
    text = streams.output.decode("utf-8", "replace")
    return Finished(text, code, seconds, not in_time and not reason, streams.dropped, reason)


def _started(launch: Launch, arguments: int, filter_: int, *, merged: bool) -> subprocess.Popen[bytes]:
    places = {"{arguments}": str(arguments), "{filter}": str(filter_)}
    return subprocess.Popen(  # noqa: S603 - the sandbox; what the agent wants is in the request
        [places.get(part, part) for part in launch.command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT if merged else subprocess.DEVNULL,
        bufsize=0,
        env=dict(launch.environment),
        cwd=launch.folder,
        pass_fds=[arguments, filter_],
        user=launch.user,
        group=launch.user,
        extra_groups=[] if launch.user is not None else None,
        start_new_session=True,
        umask=0o022,
    )


def end(process: subprocess.Popen[bytes]) -> None:
    """End a process: ask, so that a supervisor can clean up, then insist."""
    if process.poll() is not None:
        return
    for how in (signal.SIGTERM, signal.SIGKILL):
        process.send_signal(how)
        if ended(process, _GRACE_S):
            return
    process.wait()


@contextlib.contextmanager
def _file(content: bytes) -> Iterator[int]:
    """Give a nameless file that holds *content*; unlike a pipe it takes any amount at once."""
    with tempfile.TemporaryFile() as file:
        file.write(content)
        file.seek(0)
        yield file.fileno()
