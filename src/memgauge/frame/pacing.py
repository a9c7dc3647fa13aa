"""How far a run is, and about how long it still takes: a bar on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from memgauge.frame.streams import put

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import TextIO

    from rich.console import Console

    from memgauge.runs.play.execute import PlanProgress

_PATIENCE: Final = 2.0
"""Seconds after which silence needs an explanation."""
_MINUTES: Final = 90
"""Seconds from which a time is told in minutes."""


@contextmanager
def bar(console: Console) -> Iterator[Callable[[PlanProgress], None]]:
    """Draw a bar that names what was finished last."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (
        TextColumn("{task.description}", style="dim"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[left]}", style="cyan"),
        TextColumn("{task.fields[failed]}", style="red"),
    )
    with Progress(*columns, console=console, transient=True) as drawn:
        task = drawn.add_task("running", total=None, failed="", left="")
        started = time.monotonic()

        def update(progress: PlanProgress) -> None:
            drawn.update(
                task,
                completed=progress.done,
                total=progress.total,
                description=progress.label or "starting",
                left=remaining(progress, time.monotonic() - started),
                failed=f"{progress.failed} failed" if progress.failed else "",
            )

        yield update


def lines(file: TextIO) -> Callable[[PlanProgress], None]:
    """Write lines, none sooner than two seconds after the last; the clock starts with the first news."""
    started = last = 0.0

    def write(progress: PlanProgress) -> None:
        nonlocal started, last
        now = time.monotonic()
        started, last = started or now, last or now
        if now - last < _PATIENCE or not progress.done:
            return
        last = now
        failed = f"{progress.failed} questions failed" if progress.failed else ""
        parts = (f"{progress.done}/{progress.total} conversations", remaining(progress, now - started), failed)
        put(f"{', '.join(filter(None, parts))}\n", file)

    return write


def notes(file: TextIO) -> Callable[[str], None]:
    """Write what is being done as lines, none sooner than two seconds after the last, or after now."""
    last = time.monotonic()

    def write(what: str) -> None:
        nonlocal last
        if time.monotonic() - last >= _PATIENCE:
            last = time.monotonic()
            put(f"{what}\n", file)

    return write


def remaining(progress: PlanProgress, elapsed: float) -> str:
    """Say about how long the rest takes, or nothing where nobody knows."""
    seconds = progress.seconds_left(elapsed)
    if seconds is None:
        return ""
    return f"about {seconds:.0f} s left" if seconds < _MINUTES else f"about {seconds / 60:.0f} min left"
