"""A row of work whose sides say themselves what they took, so that figures are known."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bench.agree import Values
from bench.row import CannotRunError, Job, Role, Row, Side, floor, ours

if TYPE_CHECKING:
    from pathlib import Path


def taking(ms: float, *values: float) -> Any:
    """Prepare a job that took so long and found these."""
    return lambda _: Job(lambda: ms, check=lambda _: np.array(values), spent=float)


def lacking(_: Path) -> Job:
    """Lack something."""
    raise CannotRunError("a licence is missing")


def failing(_: Path) -> Job:
    """Fail with what nobody expected."""
    raise RuntimeError("out of luck")


def absent(_: Path) -> Job:
    """Need a library that is not there."""
    import no_such_library  # type: ignore[import-not-found]  # noqa: F401 - absence is the point

    return Job(lambda: None)


def ending(_: Path) -> Job:
    """End the process without a word."""
    raise SystemExit(3)


def beside(name: str, prepare: Any, **more: Any) -> Side:
    """Name a peer that lives in our environment."""
    return Side(name, prepare, Role.PEER, here=True, **more)


ROW = Row(
    "made work",
    limit=3,
    agreement=Values(0.01),
    sides=(
        ours(taking(2.0, 1.0, 5.0)),
        beside("slow", taking(6.0, 1.0, 5.0), at_least=2),
        beside("fast", taking(1.0, 1.0, 5.001), repeats=1, why="It does less."),
        beside("wrong", taking(4.0, 1.0, 7.0)),
        beside("shorter", taking(4.0, 1.0)),
        beside("lacking", lacking),
        beside("failing", failing),
        beside("absent", absent),
        beside("ending", ending),
        floor("half", taking(1.0), times=0.5),
    ),
)
