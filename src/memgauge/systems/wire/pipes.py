"""Lines to and from a process, against a deadline."""

from __future__ import annotations

import os
import select
import time
from typing import TYPE_CHECKING, Final

from memgauge.errors import ContractBreach
from memgauge.systems.wire.messages import LIMIT

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import IO

_SLICE_S: Final = 0.25
"""How often the life of a silent process is looked at: others may hold its pipes open when it is gone."""
_CHUNK: Final = 1 << 18


class DeadlinePassed(Exception):  # noqa: N818 - what happened, not whose fault it is
    """A deadline passed."""


class Pipes:
    """Both ends; not for several threads at once."""

    def __init__(self, to: IO[bytes], back: IO[bytes], gone: Callable[[], bool]) -> None:
        self._to, self._back, self._gone = to, back, gone
        self._buffer = bytearray()
        self._writing, self._reading = select.poll(), select.poll()
        for stream, poll, event in ((to, self._writing, select.POLLOUT), (back, self._reading, select.POLLIN)):
            os.set_blocking(stream.fileno(), False)
            poll.register(stream.fileno(), event)

    def send(self, data: bytes, until: float) -> None:
        """Write all of *data*.

        Raises:
            DeadlinePassed: There is still something left at *until*, a time of the monotonic clock.
            EOFError: Nobody reads any more.
        """
        rest = memoryview(data)
        while rest:
            try:
                rest = rest[os.write(self._to.fileno(), rest) :]
            except BlockingIOError:
                self._wait(self._writing, until)
            except OSError as error:
                raise EOFError from error

    def line(self, until: float) -> bytes:
        """Read one line.

        Raises:
            DeadlinePassed: It has not ended at *until*.
            EOFError: It never will.
            ContractBreach: It is longer than any message may be.
        """
        looked = 0
        while (end := self._buffer.find(b"\n", looked)) < 0:
            looked = len(self._buffer)
            if looked > LIMIT:
                raise ContractBreach(f"a message of more than {LIMIT} bytes")
            self._wait(self._reading, until)
            more = os.read(self._back.fileno(), _CHUNK)
            if not more:
                raise EOFError
            self._buffer += more
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        return line

    def _wait(self, poll: select.poll, until: float) -> None:
        while True:
            left = until - time.monotonic()
            if left <= 0:
                raise DeadlinePassed
            if poll.poll(1000 * min(left, _SLICE_S)):
                return
            if self._gone() and not poll.poll(0):
                raise EOFError

    def end_input(self) -> None:
        """Let the process read the end of its input."""
        self._to.close()

    def close(self) -> None:
        """Close both ends."""
        self._to.close()
        self._back.close()
