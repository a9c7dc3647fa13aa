"""Processes that seal finished runs while their owner goes on.

A process is asked in lines of JSON: a record, and back comes what was wrong with it, or nothing.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Final

from memgauge.errors import RunError, UserError
from memgauge.runs.play.written import WrittenRecord
from memgauge.text.jsons import json_of

if TYPE_CHECKING:
    from typing import IO

LARGE: Final = 4 << 20
"""Bytes of a journal from which on it is worth the way to another process."""
MOST: Final = 8
"""Processes that seal; each needs some hundred MB."""
_COMMAND: Final = "import sys; sys.path[:] = sys.argv[1:]; from memgauge.runs.play.sealers import serve; serve()"


class Sealers:
    """Seals here what is small or alone, and the rest in processes that start when they are needed."""

    def __init__(self, runs: int, large: int = LARGE) -> None:
        """Be ready for so many runs."""
        jobs = min(runs - 1, MOST, max(1, (os.cpu_count() or 1) - 1))
        self._large = large
        self._jobs = jobs
        self._threads = ThreadPoolExecutor(jobs, "memgauge-sealer") if jobs > 0 else None
        self._idle: SimpleQueue[subprocess.Popen[bytes]] = SimpleQueue()
        self._begun: list[tuple[Future[None], WrittenRecord]] = []

    def begin(self, record: WrittenRecord) -> None:
        """Seal a record, now or soon.

        Raises:
            RunError: It cannot be sealed, and that is known already.
        """
        if self._threads is None or record.size < self._large:
            record.seal()
        else:
            self._begun.append((self._threads.submit(self._seal, record), record))

    def wait(self) -> None:
        """Wait until everything is sealed; meanwhile take what no process has begun, from behind.

        Raises:
            RunError: Something cannot be.
        """
        begun, self._begun = self._begun, []
        for sealing, record in reversed(begun[self._jobs :]):
            if sealing.cancel():
                record.seal()
        for sealing, _ in begun:
            if not sealing.cancelled():
                sealing.result()

    def close(self) -> None:
        """End the processes after what they are at; what nobody began is left for another command."""
        if self._threads is not None:
            self._threads.shutdown(cancel_futures=True)
        while not self._idle.empty():
            _end(self._idle.get_nowait())

    def _seal(self, record: WrittenRecord) -> None:
        try:
            process = self._idle.get_nowait()
        except Empty:
            process = _started()
        try:
            _pipe(process.stdin).write(json.dumps(asdict(record)).encode() + b"\n")
            _pipe(process.stdin).flush()
            answer = json_of(_pipe(process.stdout).readline())
        except (OSError, ValueError):  # it died: memory, or somebody's signal
            process.kill()
            _end(process)
            record.seal()
            return
        self._idle.put(process)
        if answer:
            raise RunError(answer["what"], answer["remedy"])


def _started() -> subprocess.Popen[bytes]:
    words = [sys.executable, "-c", _COMMAND, *sys.path]
    return subprocess.Popen(  # noqa: S603 - our own command
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    )


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ask nothing more of a process, and wait for its end."""
    with suppress(BrokenPipeError):  # what a process that died never read
        _pipe(process.stdin).close()
    process.wait()
    _pipe(process.stdout).close()


def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
    """Return a pipe that was asked for."""
    if stream is None:
        raise OSError("there is no pipe")
    return stream


def serve() -> None:
    """Seal what standard input names, until nobody asks any more."""
    answers, sys.stdout = sys.stdout.buffer, sys.stderr  # nobody else says anything on this way
    for line in sys.stdin.buffer:
        try:
            WrittenRecord(**json_of(line)).seal()
            answer: dict[str, str] = {}
        except UserError as error:
            answer = {"what": error.what, "remedy": error.remedy}
        answers.write(json.dumps(answer).encode() + b"\n")
        answers.flush()
