"""Processes that work for this one: they end with it, however it ends, and Ctrl-C is its to hear."""

from __future__ import annotations

import os
import signal
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import connection, get_context, parent_process
from threading import Thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def worker_pool(workers: int) -> Iterator[ProcessPoolExecutor]:
    """Yield processes that work; where the work is broken off, they end at once, and say nothing of it."""
    # Spawn, not fork: a forked child would inherit threads, locks and random state.
    pool, whole = ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=_begin), False
    try:
        yield pool
        whole = True
    finally:
        if not whole:
            for process in list((pool._processes or {}).values()):  # noqa: SLF001 - public from Python 3.14 on
                process.terminate()
        pool.shutdown(cancel_futures=not whole)


def _begin() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent()


def end_with_parent() -> None:
    """End this process as soon as the one that started it is gone, however that ended."""
    parent = parent_process()
    assert parent is not None  # noqa: S101 - only processes that were started call this

    def watch() -> None:
        connection.wait([parent.sentinel])
        os._exit(1)

    Thread(target=watch, daemon=True).start()
