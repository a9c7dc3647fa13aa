"""One call at a time: a lock for memories whose methods share what no two threads may touch."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Concatenate, ParamSpec, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable
    from threading import RLock

P = ParamSpec("P")
T = TypeVar("T")


class _HasLock(Protocol):
    _lock: RLock


Owner = TypeVar("Owner", bound=_HasLock)


def locked(method: Callable[Concatenate[Owner, P], T]) -> Callable[Concatenate[Owner, P], T]:
    """Let a method run while no other locked one of its object does; they may call each other."""

    @wraps(method)
    def run(owner: Owner, /, *args: P.args, **options: P.kwargs) -> T:
        with owner._lock:  # noqa: SLF001 - whose methods these become
            return method(owner, *args, **options)

    return run
