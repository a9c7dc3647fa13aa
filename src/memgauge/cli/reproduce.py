"""`memgauge reproduce`: the figures that the project and its documents claim, computed again."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

from memgauge.frame.console import emit, say, working
from memgauge.frame.exits import FAILED, OK
from memgauge.frame.options import AsData, Flag


def reproduce(*section: str, quick: Annotated[bool, Flag] = False, json: AsData = False) -> int:
    """Recompute claimed figures, and say OK, OKish, DIFFERS (from what was published, as known), FAIL or SKIP.

    Parameters
    ----------
    section
        Which figures; all when none is named.
    quick
        Only sections that take less than a second.
    json
        Print rows as data.
    """
    from rich.table import Table

    from memgauge.reproduce import Status
    from memgauge.reproduce import reproduce as recompute

    with working("recomputing"):
        rows = recompute(section, quick_only=quick)
    good = all(row.status is not Status.FAIL for row in rows)
    if json:
        emit([asdict(row) for row in rows])
        return OK if good else FAILED
    table = Table("section", "figure", "expected", "measured", "status", "why", box=None)
    for row in rows:
        measured = "" if row.measured is None else f"{row.measured:.6g}"
        table.add_row(row.section, row.name, row.claim, measured, str(row.status), row.reason)
    say(table)
    return OK if good else FAILED
