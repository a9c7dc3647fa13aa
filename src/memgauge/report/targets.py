"""A targets audit in the terminal and as one page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.report.page import Drawn, render
from memgauge.report.targets_charts import change_chart, target_chart
from memgauge.report.targets_tables import sheets
from memgauge.report.targets_words import notes, verdict
from memgauge.show.numbers import plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from memgauge.studies.targets.study import Audit


def terminal(audit: Audit, *, everything: bool) -> Iterator[RenderableType]:
    """Yield what the terminal shows: the verdict, the main tables or all of them, and the notes."""
    from rich.table import Table

    yield f"{audit.dataset} (sha256 {audit.sha256[:12]}), {plural(audit.asked, 'question')}"
    yield verdict(audit)
    for sheet in sheets(audit):
        if not (sheet.brief or everything):
            continue
        table = Table(*sheet.heads, box=None, title=sheet.title, title_justify="left")
        for row in sheet.rows:
            table.add_row(*row)
        yield ""
        yield table
        yield sheet.note
    yield ""
    yield from notes(audit)


def render_targets(audit: Audit, *, identity: dict[str, str]) -> str:
    """Render the audit as one self-contained page."""
    return render(
        "targets.html.j2",
        title="What counts as found",
        identity=identity,
        verdict=verdict(audit),
        asked=audit.asked,
        covered=audit.covered,
        contract=audit.contract,
        figures=list(_figures(audit)),
        sheets=sheets(audit),
        notes=list(notes(audit)),
    )


def _figures(audit: Audit) -> Iterator[Drawn]:
    by_target, change = target_chart(audit, "targets-lines"), change_chart(audit, "targets-change")
    if by_target is not None:
        yield Drawn.of(by_target, "Lines that cross are runs that change places.")
    if change is not None:
        yield Drawn.of(change, f"Absolute change of {audit.spec.metrics[0]} between Raw and Canonical.")
