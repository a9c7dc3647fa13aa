"""`memgauge results board`: a registry becomes its site, and what moved since the last one is named."""

from __future__ import annotations

import os
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from memgauge.frame.console import aside, working
from memgauge.frame.exits import FAILED, OK
from memgauge.frame.numbers import NUMBER
from memgauge.frame.output import PLAIN, Printing, present, told
from memgauge.show.numbers import plural


def board(
    registry: Path,
    *,
    out: Path,
    against: Path | None = None,
    day: str = "",
    cache: Path | None = None,
    jobs: Annotated[int, Parameter(show_default=False), NUMBER] = 0,
    shown: Printing = PLAIN,
) -> int:
    """Build the boards and the site of a registry from its bundles, and from nothing else.

    The same registry gives the same bytes. With --against, rows that vanished or moved since an earlier build, and
    that nothing new explains, are named, and the exit code is 1; the site is written all the same.

    Example: memgauge results board results --out site

    Parameters
    ----------
    registry
        Folder of a registry, such as `results` in a checkout of memgauge.
    out
        Folder of the site; a new one, or that of an earlier build, which is replaced.
    against
        Folder of an earlier build, with which rows are compared.
    day
        Day from which ages are counted (YYYY-MM-DD); by default, that of the newest entry.
    cache
        Folder of rows that were derived and pages that were drawn before; by default, beside the site.
    jobs
        Processes that read bundles and draw pages; by default, one a core. How many changes nothing.
    """
    from memgauge.collecting import uncollected
    from memgauge.submissions.repository import Repository
    from memgauge.submissions.site.build import unexplained, view_of, write_site
    from memgauge.submissions.site.drawers import Drawers

    repository, workers = Repository.at(registry), jobs or os.cpu_count() or 1
    drawing = Drawers(workers, sum(1 for _ in repository.submissions()))
    with working(f"deriving the rows of {registry}"), uncollected(), drawing as drawers:
        view = view_of(repository, rows := cache or _beside(out), jobs=workers, day=_day(day))
        moved = unexplained(view, against) if against is not None else ()
        built = write_site(view, out, rows, drawers)
    for each in moved:
        aside(str(each))
    data = {
        "submissions": len(view.entrants),
        "boards": len(view.boards),
        "pages": built.pages,
        "files": built.files,
        "bytes": built.bytes,
        "as_of": view.day,
        "moved": [asdict(each) for each in moved],
    }
    lines = [
        f"{out}: {plural(built.pages, 'page')} of {plural(len(view.entrants), 'submission')}, as of {view.day}.",
        *(f"{len(moved)} rows moved and nothing new explains it." for _ in moved[:1]),
        f"Next: open {out / 'index.html'}",
    ]
    return present(told(data, *lines), shown, name="board", code=FAILED if moved else OK)


def _beside(out: Path) -> Path:
    """Return where rows are kept: beside the site, so that no build finds them in what it publishes."""
    return out.with_name(f".{out.resolve().name}.rows")


def _day(text: str) -> str:
    """Check a day.

    Raises:
        ConfigError: It is none.
    """
    from datetime import date

    from memgauge.errors import ConfigError

    try:
        return date.fromisoformat(text).isoformat() if text else ""
    except ValueError as error:
        raise ConfigError(f"--day {text} is no day: {error}.", "Write it as 2027-01-31.") from error
