"""Serve a memory system on stdin and stdout: ``python -m memgauge.systems.wire.serve REF``.

Requests are performed one after the other on the main thread, where native libraries and event loops are at home.
A thread of its own reads them, so that the end of the input ends the process even while a call hangs.
"""

from __future__ import annotations

import os
import queue
import signal
import sys
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from memgauge.errors import ContractBreach
from memgauge.systems.wire import messages
from memgauge.systems.wire.answering import Cancelled, WireServer

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import BinaryIO

    from memgauge.systems.wire.answering import Opening
    from memgauge.systems.wire.guard import AuditGuard

LINGER_S = 3.0
"""Seconds that a process may take to finish once its input has ended."""


@dataclass
class _Desk:
    """What the reading thread and the main thread share."""

    arrived: queue.SimpleQueue[bytes | None] = field(default_factory=queue.SimpleQueue)
    finished: threading.Event = field(default_factory=threading.Event)
    running: object = None
    """The id of the request that is being performed."""
    cancelled: object = None
    """The id of the request that was cancelled last."""

    def read(self, lines: BinaryIO) -> None:
        """Take requests until there are no more; what was asked for is then finished soon, or never."""
        for line in lines:
            if b'"cancel"' in line and self._cancels(line):
                continue
            self.arrived.put(line)
        self.arrived.put(None)
        if not self.finished.wait(LINGER_S):
            os._exit(0)  # whoever asked is gone, and the call that still runs may never return

    def _cancels(self, line: bytes) -> bool:
        try:
            message = messages.read(line)
        except ContractBreach:
            return False
        if message.get("method") != "cancel":
            return False
        params = message.get("params")
        self.cancelled = params.get("id") if isinstance(params, dict) else None
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        return True

    def interrupted(self, *_: object) -> None:
        """End the running call if it is the one that was cancelled."""
        if self.running is not None and self.running == self.cancelled:
            raise Cancelled


def serve(opening: Opening, lines: BinaryIO, answers: BinaryIO, guard: AuditGuard | None = None) -> None:
    """Answer requests until the input ends or ``close`` was answered."""
    desk, answering = _Desk(), WireServer(opening, guard)
    signal.signal(signal.SIGINT, desk.interrupted)
    threading.Thread(target=desk.read, args=(lines,), name="wire", daemon=True).start()
    method = ""
    while method != "close" and (line := desk.arrived.get()) is not None:
        message = _request(line, answers)
        if message is None:
            continue
        number, method = message.get("id"), str(message.get("method"))
        desk.running = number
        good, value = answering.answer(method, message.get("params"))
        desk.running = None
        _say(answers, messages.result(number, value) if good else messages.failure(number, value))
    answering.close()
    desk.finished.set()


def _request(line: bytes, answers: BinaryIO) -> dict[str, Any] | None:
    """Read a request; what is none is answered with an error, and notifications are not answered."""
    try:
        message = messages.read(line)
    except ContractBreach as breach:
        _say(answers, messages.failure(None, messages.fault(messages.UNREADABLE, str(breach))))
        return None
    if "method" not in message:
        _say(answers, messages.failure(None, messages.fault(messages.NO_REQUEST, "this is no request")))
        return None
    return message if "id" in message else None


def _say(answers: BinaryIO, line: bytes) -> None:
    answers.write(line)
    answers.flush()


def own_streams() -> tuple[BinaryIO, BinaryIO]:
    """Take stdin and stdout for the wire: what a product prints goes to stderr, and it reads nothing."""
    lines, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    os.close(nothing)
    return lines, answers


def main(arguments: Sequence[str]) -> int:
    """Serve the system that the one argument names."""
    from memgauge.systems.catalogue import open_here

    if len(arguments) != 1:
        sys.stderr.write("usage: python -m memgauge.systems.wire.serve SYSTEM\n")
        return 2
    lines, answers = own_streams()
    serve(lambda seed: open_here(arguments[0], seed=seed), lines, answers)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
