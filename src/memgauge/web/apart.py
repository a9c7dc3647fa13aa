"""Work that takes much memory, done in a process of its own which gives all of it back."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from memgauge.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Callable

P = ParamSpec("P")
T = TypeVar("T")


def apart(function: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
    """Call a function of a module in a new process, and return or raise what it does.

    Raises:
        UserError: The process ended before it was done.
    """
    from concurrent.futures import BrokenExecutor, ProcessPoolExecutor
    from multiprocessing import get_context

    spawning = get_context("spawn")
    with ProcessPoolExecutor(max_workers=1, mp_context=spawning, initializer=end_with_parent) as pool:
        try:
            return pool.submit(function, *arguments, **named).result()
        except BrokenExecutor as error:
            raise UserError(
                "The process that scores these runs ended before it was done.",
                "Make room in memory, and load the page again.",
            ) from error


def end_with_parent() -> None:
    """End this process as soon as the one that started it is gone, however that ended."""
    from multiprocessing import connection, parent_process
    from threading import Thread

    parent = parent_process()
    assert parent is not None  # noqa: S101 - only processes that were started call this

    def watch() -> None:
        connection.wait([parent.sentinel])
        os._exit(1)

    Thread(target=watch, daemon=True).start()
