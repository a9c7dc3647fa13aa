"""Cards of systems beside each other as one self-contained page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.report.page import render
from memgauge.report.systems import LEGEND, sheets
from memgauge.systems.conformance.known import failures

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memgauge.systems.conformance.card import SystemCard

TEMPLATE = "systems.html.j2"


def render_systems(cards: Sequence[SystemCard], *, identity: Mapping[str, str]) -> str:
    """Render a matrix as one page."""
    found = sum(bool(one.found) for one in failures(cards))
    return render(
        TEMPLATE,
        title="Memory systems beside each other",
        identity=identity,
        counts=f"{len(cards)} systems; {found} known failures found",
        legend=LEGEND,
        sheets=sheets(cards),
    )
