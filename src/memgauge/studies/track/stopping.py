"""Ending when asked to: no room is left behind, whichever signal asks."""

from __future__ import annotations

import os
import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

_PATIENCE_S = 3.0
_LAST: list[threading.Timer] = []
_ASKED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def tidied() -> Iterator[None]:
    """Remove every room at once when a signal asks this process to end, and then end, whatever it waits for.

    What still runs in a sandbox is killed.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    from memgauge.studies.track.sandbox.streams import STOPPING

    STOPPING.clear()
    previous_handlers = {number: signal.signal(number, _end) for number in _ASKED}
    try:
        yield
    finally:
        while _LAST:
            _LAST.pop().cancel()  # it came to an end by itself
        for number, handler in previous_handlers.items():
            signal.signal(number, handler)


def _leave(code: int) -> None:
    from memgauge.studies.track.sandbox.room import close_all

    close_all()  # what began meanwhile
    os._exit(code)


def _end(number: int, _: FrameType | None) -> None:
    from memgauge.studies.track.sandbox.room import close_all
    from memgauge.studies.track.sandbox.streams import STOPPING

    STOPPING.set()
    close_all()
    last_resort = threading.Timer(
        _PATIENCE_S, _leave, (128 + number,)
    )  # a thread may wait for input, or for a model
    last_resort.daemon = True
    _LAST.append(last_resort)
    last_resort.start()
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    raise SystemExit(128 + number)
