"""Work that takes much memory, done in a process of its own which gives all of it back."""

from __future__ import annotations

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
    from concurrent.futures import BrokenExecutor

    from memgauge.workers import worker_pool

    with worker_pool(1) as pool:
        try:
            return pool.submit(function, *arguments, **named).result()
        except BrokenExecutor as error:
            raise UserError(
                "The process that scores these runs ended before it was done.",
                "Make room in memory, and load the page again.",
            ) from error
