"""What commands say: results on standard output, progress on standard error."""

from __future__ import annotations

import os
import shutil
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.segment import Segment
from rich.text import Text

from memgauge.frame.plainness import plain_wanted
from memgauge.frame.streams import asides, hang_up, put, results
from memgauge.show.exports import data_text
from memgauge.show.fitting import WIDTH
from memgauge.show.safety import clean
from memgauge.show.terminal import NARROWEST, WIDEST, put_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import TextIO

    from rich.console import ConsoleOptions, RenderableType

    from memgauge.runs.play.execute import PlanProgress


class SafeConsole(Console):
    """A console on which foreign text says what it says and does nothing."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterator[Segment]:
        """Render; only what this program itself tells the terminal to do is kept."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(clean(segment.text), segment.style)

    def on_broken_pipe(self) -> None:
        """Go on without a reader; rich would end the process."""
        hang_up(self.file)


def _drawing(file: TextIO) -> bool:
    """Whether colour and drawn lines are wanted on *file*: on a terminal, unless something else was said."""
    if plain_wanted():
        return False
    return os.environ.get("FORCE_COLOR", "") not in {"", "0"} or file.isatty()


def _console(file: TextIO) -> SafeConsole:
    """Return a console as wide as its terminal, within what can be read; plain where there is none."""
    return SafeConsole(
        file=file,
        highlight=False,
        emoji=False,  # of `mine:Key: …` it would make a picture
        force_terminal=_drawing(file),
        color_system=None if os.environ.get("NO_COLOR") else "auto",
        width=width_of(file),
    )


def width_of(file: TextIO) -> int:
    """Return the columns to write in, within what can be read: of COLUMNS, of the terminal, or 80."""
    named = os.environ.get("COLUMNS", "")
    columns = int(named) if named.isdigit() else _terminal_columns(file)
    return min(max(columns, NARROWEST), WIDEST) if columns else WIDTH


def _terminal_columns(file: TextIO) -> int:
    try:
        return os.get_terminal_size(file.fileno()).columns if file.isatty() else 0
    except (OSError, ValueError):
        return 0  # it claims to be one


def output() -> Console:
    """Return the console for results."""
    return _console(results())


def program() -> str:
    """Return how this program is called here: by its name where that works, else by its path."""
    path = Path(sys.argv[0])
    if path.name != "memgauge" or shutil.which("memgauge") == str(path):
        return "memgauge"
    return str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)


def say(what: object) -> None:
    """Print results for people."""
    put_line(output(), Text(what) if isinstance(what, str) else what)


def aside(what: str) -> None:
    """Print what a person has to know beside the results, where programs do not read."""
    _console(asides()).print(what, markup=False)


def emit(data: Any) -> None:
    """Print data for programs; what a terminal would obey is escaped, which means the same."""
    put(data_text(data), results())


@contextmanager
def progress(quiet: bool = False) -> Iterator[Callable[[PlanProgress], None]]:
    """Show how far a run is: a bar with the time left on a terminal, a line now and then elsewhere."""
    from memgauge.frame.pacing import bar, lines

    if quiet:
        yield lambda _: None
    elif _drawing(asides()):
        with bar(_console(asides())) as update:
            yield update
    else:
        yield lines(asides())


@contextmanager
def working(what: str, *, minutes: bool = False) -> Iterator[Callable[[str], None]]:
    """Say on a terminal what is being worked on, for work of unknown length; call what is given to change it.

    Of what may take *minutes* a change is a line now and then where there is no terminal.
    """
    if not _drawing(asides()):
        from memgauge.frame.pacing import notes

        yield notes(asides()) if minutes else lambda _: None
        return
    with _console(asides()).status(what) as status:
        yield status.update


@contextmanager
def downloading(name: str) -> Iterator[Callable[[int, int | None], None]]:
    """Show how far a download is, with the time left where the server tells its size."""
    from rich.progress import DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

    columns = (TextColumn(name), DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn())
    shown = _drawing(asides())
    with Progress(*columns, console=_console(asides()), transient=True, disable=not shown) as bar:
        task = bar.add_task("", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
