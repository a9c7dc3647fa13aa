"""How long values were seen: by surface and by file, from the request to the first look that did not see them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memgauge.studies.erasure.record import Moment, ResidueSpot, SurfaceAnswer, Whose
from memgauge.studies.erasure.verdict import AGAIN

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from memgauge.studies.erasure.record import ErasureReport


@dataclass(frozen=True)
class SeenOver:
    """One surface or file, and how many values were seen there at each look that was made."""

    where: str
    kind: str
    """``surface``, or of place."""
    seen: Mapping[Moment, int | None]
    """``None`` where a surface failed, so that nobody knows."""
    gone_s: float | None
    """Seconds from the request to the first look that saw none, and none after; ``None`` where there is none."""

    @property
    def stays(self) -> bool:
        """Whether the last look at it still saw something."""
        return bool(list(self.seen.values())[-1])


def seen_over(report: ErasureReport) -> tuple[SeenOver, ...]:
    """Follow every surface that was asked for the subject or returned its values, and every file with any."""
    files = [(row.file, row.kind) for row in report.residue]
    moments = [look.moment for look in report.looks]
    asked = list(dict.fromkeys(row.moment for row in report.surfaces))
    shown = [row for row in report.surfaces if row.surface != AGAIN and (row.whose is Whose.OWN or row.values)]
    rows = [
        _followed(
            report,
            f"{surface} ({whose})",
            "surface",
            asked,
            [row for row in shown if (row.surface, row.whose) == key],
        )
        for key in dict.fromkeys((row.surface, row.whose) for row in shown)
        for surface, whose in [key]
    ]
    for file, kind in dict.fromkeys(files):
        rows.append(_followed(report, file, kind, moments, [row for row in report.residue if row.file == file]))
    return tuple(rows)


def _followed(
    report: ErasureReport,
    where: str,
    kind: str,
    moments: Iterable[Moment],
    rows: Sequence[ResidueSpot | SurfaceAnswer],
) -> SeenOver:
    labels: dict[Moment, set[str]] = {moment: set() for moment in moments}
    for row in rows:
        labels.setdefault(row.moment, set()).update(row.values)
    failed = {row.moment for row in rows if isinstance(row, SurfaceAnswer) and row.problem}
    seen = {moment: None if moment in failed and not values else len(values) for moment, values in labels.items()}
    return SeenOver(where, kind, seen, _gone(report, seen))


def _gone(report: ErasureReport, seen: Mapping[Moment, int | None]) -> float | None:
    after = {look.moment: look.after_s for look in report.looks}
    first: float | None = None
    for moment, count in seen.items():
        if after.get(moment) is None:
            continue
        first = None if count != 0 else after[moment] if first is None else first
    return first if seen and any(seen.values()) else None
