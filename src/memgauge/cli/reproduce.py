"""`memgauge reproduce`: the figures that the project and its documents claim, computed again."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

from memgauge.frame.console import working
from memgauge.frame.exits import FAILED, OK
from memgauge.frame.options import Flag
from memgauge.frame.output import SHOWN, Output, present

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.reproduce import RecomputedFigure
    from memgauge.show import Document


def reproduce(*section: str, quick: Annotated[bool, Flag] = False, output: Output = SHOWN) -> int:
    """Recompute claimed figures, and say OK, OKish, DIFFERS (from what was published, as known), FAIL or SKIP.

    Example: memgauge reproduce targets locomo --json

    Parameters
    ----------
    section
        Which figures; all when none is named.
    quick
        Only sections that take less than a second.
    """
    from memgauge.reproduce import Status
    from memgauge.reproduce import reproduce as recompute

    with working("recomputing"):
        rows = recompute(section, quick_only=quick)
    failed = any(row.status is Status.FAIL for row in rows)
    return present(document(rows), output, name="figures", code=FAILED if failed else OK)


def document(rows: Sequence[RecomputedFigure]) -> Document:
    """Put what was claimed beside what was measured."""
    from collections import Counter

    from memgauge.results import ReadyData
    from memgauge.show import Cell, Column, Document, Kind, Table
    from memgauge.version import __version__

    counts = Counter(str(row.status) for row in rows)
    columns = (
        Column("section", Kind.TEXT),
        *Column.each(Kind.PROSE, "figure", "expected"),
        Column("measured", Kind.NUMBER),
        Column("status", Kind.TEXT),
        Column("why", Kind.PROSE),
    )
    figures = [
        (
            row.section,
            row.name,
            Cell(row.claim, value=row.expected),
            Cell("" if row.measured is None else f"{row.measured:.6g}", value=row.measured),
            str(row.status),
            row.reason,
        )
        for row in rows
    ]
    return Document(
        title="Claimed figures, computed again",
        lead=f"{len(rows)} figures: {', '.join(f'{n} {status}' for status, n in sorted(counts.items()))}.",
        blocks=(Table.of("figures", "Figures", columns, figures),),
        origin="the data at hand",
        identity={"memgauge": __version__},
        data=ReadyData([asdict(row) for row in rows]),
    )
