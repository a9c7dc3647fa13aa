"""What one call in a sandbox may use, and what came of it."""

from __future__ import annotations

from dataclasses import asdict, dataclass

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
