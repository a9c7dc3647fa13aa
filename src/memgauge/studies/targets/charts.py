"""The figures of a targets audit: every run under the three targets, and how far questions move (figure 3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memgauge.show.curves import Axis, curves
from memgauge.show.drawing import shorts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.show.figures import Drawing
    from memgauge.studies.targets.study import TargetAudit

TARGETS = ("raw", "source", "canonical")
BINS = ("0", "<.1", ".1", ".2", ".3", ".4", ".5", ".6", ".7", ".8", ".9+")
"""What the bins of the distribution of changes are called."""


def target_chart(audit: TargetAudit) -> Drawing | None:
    """Draw every run from Raw over Source to Canonical; lines that cross are winners that change."""
    lines = [_line(row.label, [row.means[target] for target in TARGETS]) for row in audit.shifts]
    values = "; ".join(
        f"{row.label}: " + ", ".join(f"{t} {row.means[t]:.3f}" for t in TARGETS if row.means[t] is not None)
        for row in audit.shifts
    )
    description = f"{values}. Lines that cross are runs that change places."
    return _drawn(lines, [target.capitalize() for target in TARGETS], audit.spec.metrics[0], description)


def change_chart(audit: TargetAudit) -> Drawing | None:
    """Draw for every run how many questions move how far between Raw and Canonical."""
    rows = [row for row in audit.flips if row.pair == "raw to canonical" and row.n]
    lines = [_line(row.label, [count / row.n for count in row.distribution]) for row in rows]
    shares = "; ".join(f"{row.label}: {row.large or 0:.0%} by 0.1 or more" for row in rows)
    description = f"Absolute change of {audit.spec.metrics[0]}. {shares}."
    return _drawn(lines, BINS, "share of questions", description)


def _line(label: str, values: Sequence[float | None]) -> list[dict[str, Any]]:
    return [{"name": label, "x": x, "value": value} for x, value in enumerate(values) if value is not None]


def _drawn(
    lines: Sequence[list[dict[str, Any]]], names: Sequence[str], title: str, description: str
) -> Drawing | None:
    """Draw lines over named places."""
    short_names = shorts(line[0]["name"] for line in lines if line)
    lines = [[point | {"label": short_names[point["name"]]} for point in line] for line in lines if line]
    values = [point["value"] for line in lines for point in line] or [0.0]
    across = Axis(None, (0, len(names) - 1), range(len(names)), names)
    up = Axis(title, (min(values) - 0.02, max(values) + 0.02), 6, format=".2f")
    return curves(lines, across, up, description, height=320, width=380, left=82)
