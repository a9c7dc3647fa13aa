"""What goes into a call and comes out of it, while somebody watches what it uses."""

from __future__ import annotations

import contextlib
import os
import select
import subprocess
import time
from threading import Event
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from typing import BinaryIO

    from memgauge.studies.track.sandbox.watching import TreeWatch

_CHUNK = 1 << 16
STOPPING = Event()
"""Set when this process ends: no call is waited for any more."""


def ended(process: subprocess.Popen[bytes], seconds: float) -> bool:
    """Wait so long for a process to end."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(seconds)
    return process.returncode is not None


class Streams:
    """Hands a process its request and keeps what it prints, neither of which can make the other wait."""

    def __init__(self, process: subprocess.Popen[bytes], request: bytes, limit: int) -> None:
        self.output = bytearray()
        self.dropped = 0
        """Bytes that were printed beyond what is kept."""
        self._process = process
        self._most = limit
        self._reading = cast("BinaryIO", process.stdout)
        self._writing: BinaryIO | None = cast("BinaryIO", process.stdin)
        self._left = memoryview(request)
        os.set_blocking(self._writing.fileno(), False)

    def exchange(self, until: float, watch: TreeWatch) -> bool:
        """Go on until the process has ended; say whether that came before the deadline and within all limits."""
        printing = True
        while (remaining_s := until - time.monotonic()) > 0 and not STOPPING.is_set():
            pause = min(remaining_s, watch.pause)
            if printing:
                writing = [self._writing] if self._writing is not None else []
                readable, writable, _ = select.select([self._reading], writing, [], pause)
                if writable:
                    self._hand_over()
                printing = not readable or self._keep()
            elif ended(self._process, pause):
                return True
            if watch.beyond():
                return False
        return False

    def _hand_over(self) -> None:
        writing = cast("BinaryIO", self._writing)
        sent_bytes = 0
        with contextlib.suppress(BlockingIOError):
            try:
                sent_bytes = os.write(writing.fileno(), self._left[:_CHUNK]) if self._left else 0
            except BrokenPipeError:  # it ended without asking
                self._left = self._left[:0]
        self._left = self._left[sent_bytes:]
        if not self._left:
            writing.close()
            self._writing = None

    def _keep(self) -> bool:
        piece = os.read(self._reading.fileno(), _CHUNK)
        room = self._most - len(self.output)
        self.output += piece[:room]
        self.dropped += max(0, len(piece) - room)
        return bool(piece)
