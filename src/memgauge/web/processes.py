"""Several processes that accept from one socket: each that ends is replaced, none outlives the one that began."""

from __future__ import annotations

import signal
import socket
import time
from contextlib import contextmanager
from multiprocessing import connection, get_context
from typing import TYPE_CHECKING, Final

from memgauge.frame.threads import usable_cores
from memgauge.workers import end_with_parent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from multiprocessing.context import SpawnProcess

    Work = Callable[[socket.socket], None]

PATIENCE_S: Final = 5.0
"""Seconds that a process has to end when it is told to."""
SOON_S: Final = 5.0
"""Seconds before which a process should not end by itself; the next one waits a second."""
_ENDING: Final = (signal.SIGINT, signal.SIGTERM)


def usual_jobs() -> int:
    """Return how many processes make pages unless told: one a core that we may use, four at most."""
    return min(4, usable_cores())


def share(bound: socket.socket, jobs: int, work: Work, begun: Callable[[], None]) -> None:
    """Have several processes do *work* with a listening socket, until this one is told to end.

    Raises:
        KeyboardInterrupt: It was, from the keyboard; at another signal it ends as that signal does.
    """
    with _signals() as signalled:
        crew = [_Crewed(bound, work) for _ in range(jobs)]
        try:
            begun()
            while signalled not in (signals := connection.wait([signalled, *_sentinels(crew)])):
                dead = [worker for worker in crew if worker.process.sentinel in signals]
                for worker in dead:
                    worker.join()
                if any(worker.soon for worker in dead) and connection.wait([signalled], timeout=1.0):
                    break
                crew = [_Crewed(bound, work) if worker in dead else worker for worker in crew]
        finally:
            for worker in crew:
                worker.process.terminate()
            for worker in crew:
                worker.join()
        number = signalled.recv(1)[0]
    signal.raise_signal(number)


def _sentinels(crew: list[_Crewed]) -> Iterator[int]:
    return (worker.process.sentinel for worker in crew)


class _Crewed:
    """One process of them."""

    def __init__(self, bound: socket.socket, work: Work) -> None:
        self._began = time.monotonic()
        self.process: SpawnProcess = get_context("spawn").Process(target=_serve, args=(bound, work))
        # Ctrl+C reaches every process of a terminal; this one hears of it from us.
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
        try:
            self.process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])

    @property
    def soon(self) -> bool:
        """Whether it has hardly begun."""
        return time.monotonic() - self._began < SOON_S

    def join(self) -> None:
        """Wait until it has ended."""
        self.process.join(PATIENCE_S)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()


def _serve(bound: socket.socket, work: Work) -> None:
    end_with_parent()
    work(bound)


@contextmanager
def _signals() -> Iterator[socket.socket]:
    """Yield what can be read from once this process is told to end: the number of the signal."""
    signalled, sender = socket.socketpair()
    with signalled, sender:
        sender.settimeout(0)
        handlers = {number: signal.signal(number, lambda *_: None) for number in _ENDING}
        wakeup_fd = signal.set_wakeup_fd(sender.fileno())
        try:
            yield signalled
        finally:
            signal.set_wakeup_fd(wakeup_fd)
            for number, handler in handlers.items():
                signal.signal(number, handler)
