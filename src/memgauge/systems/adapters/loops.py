"""A loop of its own for a product whose calls are asynchronous, behind calls that return when they are done."""

from __future__ import annotations

import asyncio
from functools import wraps
from threading import Thread
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

P = ParamSpec("P")
T = TypeVar("T")


class _HasLoop(Protocol):
    _loop: PrivateLoop


Looped = TypeVar("Looped", bound=_HasLoop)


def on_loop(
    method: Callable[Concatenate[Looped, P], Coroutine[Any, Any, T]],
) -> Callable[Concatenate[Looped, P], T]:
    """Let an asynchronous method be an ordinary one, that waits for it on the loop of its object."""

    @wraps(method)
    def run(looped: Looped, /, *args: P.args, **options: P.kwargs) -> T:
        return looped._loop.run(method(looped, *args, **options))  # noqa: SLF001 - whose methods these become

    return run


class PrivateLoop:
    """Runs coroutines on one private loop, in the order in which they are handed over."""

    def __init__(self, name: str) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._loop.run_forever, name=f"memgauge-{name}", daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, T], timeout_s: float | None = None) -> T:
        """Run *work* and wait for it.

        Raises:
            TimeoutError: It took longer.
        """
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result(timeout_s)
        finally:
            future.cancel()  # does nothing to what is done

    def close(self) -> None:
        """Stop the loop, with whatever is still waiting on it."""
        if self._thread.is_alive():
            self.run(_cancel_others())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)
        if not self._thread.is_alive():
            self._loop.close()


async def _cancel_others() -> None:
    """Cancel every other task of this loop, and wait for them to end."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
