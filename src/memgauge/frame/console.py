"""What commands say: results on standard output, progress on standard error."""

from __future__ import annotations

import shutil
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.segment import Segment

from memgauge.show.exports import data_text
from memgauge.show.safety import clean
from memgauge.show.terminal import WIDTH

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.console import ConsoleOptions, RenderableType
    from rich.progress import Progress as Bar

    from memgauge.runs.play.execute import PlanProgress

_PATIENCE = 2.0
"""Seconds after which silence needs an explanation."""


class SafeConsole(Console):
    """A console on which foreign text says what it says and does nothing."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterator[Segment]:
        """Render; only what this program itself tells the terminal to do is kept."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(clean(segment.text), segment.style)


def output() -> Console:
    """Return the console for results: as wide as the terminal, and plain where there is none."""
    return SafeConsole(highlight=False, soft_wrap=False, width=None if sys.stdout.isatty() else WIDTH)


def program() -> str:
    """Return how this program is called here: by its name where that works, else by its path."""
    path = Path(sys.argv[0])
    if path.name != "memgauge" or shutil.which("memgauge") == str(path):
        return "memgauge"
    return str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)


def say(*what: object) -> None:
    """Print results for people."""
    # What is to be copied must not be broken, however long it is.
    output().print(*what, markup=False, soft_wrap=any(getattr(each, "no_wrap", None) for each in what))


def aside(what: str) -> None:
    """Print what a person has to know beside the results, where programs do not read."""
    SafeConsole(highlight=False, stderr=True).print(what, markup=False)


def emit(data: Any) -> None:
    """Print data for programs; what a terminal would obey is escaped, which means the same."""
    sys.stdout.write(data_text(data))


@contextmanager
def progress(quiet: bool = False) -> Iterator[Callable[[PlanProgress], None]]:
    """Show how far a run is: a bar with the time left on a terminal, a line now and then elsewhere."""
    if quiet:
        yield lambda _: None
    elif sys.stderr.isatty():
        with _bar() as bar:
            task = bar.add_task("running", total=None, failed="")
            yield lambda p: bar.update(
                task,
                completed=p.done,
                total=p.total,
                description=p.label or "starting",
                failed=f"{p.failed} failed" if p.failed else "",
            )
    else:
        yield _Lines()


@contextmanager
def working(what: str) -> Iterator[Callable[[str], None]]:
    """Say on a terminal what is being worked on, for work of unknown length; call what is given to change it."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    with Console(stderr=True).status(what) as status:
        yield status.update


@contextmanager
def downloading(name: str) -> Iterator[Callable[[int, int | None], None]]:
    """Show how far a download is, with the time left where the server tells its size."""
    from rich.progress import DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

    columns = (TextColumn(name), DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn())
    shown = sys.stderr.isatty()
    with Progress(*columns, console=Console(stderr=True), transient=True, disable=not shown) as bar:
        task = bar.add_task("", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _bar() -> Bar:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}", style="dim"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[failed]}", style="red"),
    )
    return Progress(*columns, console=Console(stderr=True), transient=True)


class _Lines:
    """Progress as plain lines, none sooner than two seconds after the last."""

    def __init__(self) -> None:
        self._start = self._last = time.monotonic()

    def __call__(self, p: PlanProgress) -> None:
        now = time.monotonic()
        if now - self._last < _PATIENCE or not p.done:
            return
        self._last = now
        left = (now - self._start) / p.done * (p.total - p.done)
        failed = f", {p.failed} questions failed" if p.failed else ""
        sys.stderr.write(f"{p.done}/{p.total} conversations, about {left:.0f} s left{failed}\n")
