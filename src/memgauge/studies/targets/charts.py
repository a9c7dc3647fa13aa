"""The figures of a targets audit: every run under the three targets, and how far questions move (figure 3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memgauge.show.drawing import INK, SERIES, apart, short, specification
from memgauge.show.figures import Drawing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.studies.targets.study import TargetAudit

TARGETS = ("raw", "source", "canonical")
BINS = ("0", "<.1", ".1", ".2", ".3", ".4", ".5", ".6", ".7", ".8", ".9+")
"""What the bins of the distribution of changes are called."""
HEIGHT, PLOT, MARGIN, GAP = 320, 380, 190, 16


def target_chart(audit: TargetAudit) -> Drawing | None:
    """Draw every run from Raw over Source to Canonical; lines that cross are winners that change."""
    lines = [
        [
            {"run": row.label, "x": x, "value": row.means[t]}
            for x, t in enumerate(TARGETS)
            if row.means[t] is not None
        ]
        for row in audit.shifts
    ]
    values = "; ".join(
        f"{row.label}: " + ", ".join(f"{t} {row.means[t]:.3f}" for t in TARGETS if row.means[t] is not None)
        for row in audit.shifts
    )
    return _drawn(
        audit,
        [line for line in lines if line],
        labels=[t.capitalize() for t in TARGETS],
        axis=audit.spec.metrics[0],
        description=f"{values}. Lines that cross are runs that change places.",
    )


def change_chart(audit: TargetAudit) -> Drawing | None:
    """Draw for every run how many questions move how far between Raw and Canonical."""
    rows = [row for row in audit.flips if row.pair == "raw to canonical" and row.n]
    lines = [
        [{"run": row.label, "x": x, "value": count / row.n} for x, count in enumerate(row.distribution)]
        for row in rows
    ]
    shares = "; ".join(f"{row.label}: {row.large or 0:.0%} by 0.1 or more" for row in rows)
    return _drawn(
        audit,
        lines,
        labels=list(BINS),
        axis="share of questions",
        description=f"Absolute change of {audit.spec.metrics[0]}. {shares}.",
    )


def _drawn(
    audit: TargetAudit,
    lines: Sequence[list[dict[str, Any]]],
    *,
    labels: Sequence[str],
    axis: str,
    description: str,
) -> Drawing | None:
    """Draw lines over named places; each is labelled at its right end."""
    import altair as alt

    if not lines:
        return None
    data = [point for line in lines for point in line]
    values = [point["value"] for point in data]
    span = [min(values) - 0.02, max(values) + 0.02]
    ends = [dict(line[-1]) for line in lines]
    wanted = [(span[1] - end["value"]) / (span[1] - span[0]) * HEIGHT for end in ends]
    for end, place in zip(ends, apart(wanted, GAP, 0, HEIGHT), strict=True):
        end["at"] = span[1] - place / HEIGHT * (span[1] - span[0])
        end["label"] = short(end["run"])
    names = [row.label for row in audit.shifts]
    hues = [SERIES[n % len(SERIES)] for n in range(len(names))]
    colour = alt.Color("run:N", scale=alt.Scale(domain=names, range=hues), legend=None)
    naming = " : ".join(f"datum.value == {n} ? '{label}'" for n, label in enumerate(labels)) + " : ''"
    x = alt.X(
        "x:Q",
        title=None,
        scale=alt.Scale(domain=[0, len(labels) - 1], nice=False),
        axis=alt.Axis(values=list(range(len(labels))), labelExpr=naming, grid=False, labelPadding=8),
    )
    scale = alt.Scale(domain=span, nice=False, zero=False)
    y = alt.Y(
        "value:Q",
        title=axis,
        scale=scale,
        axis=alt.Axis(tickCount=6, format=".2f", labelPadding=8, titlePadding=14),
    )
    base = alt.Chart(alt.InlineData(values=data)).encode(color=colour, x=x, y=y)
    last = alt.Chart(alt.InlineData(values=ends)).encode(color=colour)
    drawn = alt.layer(
        base.mark_line(strokeWidth=2.2).encode(detail="run:N"),
        base.mark_point(filled=True, size=36, opacity=1),
        last.mark_rule(strokeWidth=1).encode(
            x=alt.value(PLOT + 6), x2=alt.value(PLOT + 20), y=alt.Y("value:Q", scale=scale), y2="at:Q"
        ),
        last.mark_text(align="left", fontSize=12).encode(
            x=alt.value(PLOT + 25), y=alt.Y("at:Q", scale=scale), text="label:N", color=alt.value(INK)
        ),
    )
    return Drawing(specification(drawn, height=HEIGHT, width=PLOT, left=82, right=MARGIN), description)
