"""What a run stored, in HaluMem's numbers: integrity, accuracy, resistance to traps, updates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memgauge.llm.judges.rubrics import OPEN
from memgauge.measures.answers import halumem
from memgauge.measures.answers.halumem import HaluMemLabel, UpdatePoint

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memgauge.runs.layers.layer import Layer
    from memgauge.runs.record.rows import Row
    from memgauge.runs.record.store import Run

POINTS: Mapping[str, int] = {"whole": 2, "part": 1, "absent": 0, "true": 2, "partly": 1, "false": 0}
"""HaluMem's scores of a grade."""


@dataclass(frozen=True)
class WrittenEntry:
    """The store of one system as one panel sees it; ``None`` where nothing can be said."""

    run: str
    system: str
    panel: str
    integrity: float | None
    """Share of points that were stored whole."""
    weighted: float | None
    """The same, points weighed by their importance."""
    accuracy: float | None
    """Share of stored memories that are wholly true."""
    f1: float | None
    resistance: float | None
    """Share of traps that were not stored; undefined where nothing was stored at all."""
    updates: Mapping[str, float | None]
    updates_as_published: Mapping[str, float | None]
    """Without the updates for which nothing was found: the denominator depends on the system."""
    counts: Mapping[str, int]
    """What was decided, by kind."""
    open: int
    """What no majority decided."""


def written_entry(run: Run, layer: Layer) -> WrittenEntry:
    """Score one layer of judged writes."""
    rows = layer.rows()
    decided = [row for row in rows if row["grade"] not in OPEN]
    points = [row for row in decided if row["what"] == "point"]
    memories = [POINTS[row["grade"]] for row in decided if row["what"] == "memory"]
    traps = [POINTS[row["grade"]] for row in decided if row["what"] == "trap"]
    scores = [POINTS[row["grade"]] for row in points]
    updates = [_update(row) for row in rows if row["what"] == "update"]
    recall = halumem.integrity(scores)
    accuracy = halumem.accuracy(memories)
    return WrittenEntry(
        run=str(run.folder),
        system=run.label,
        panel=layer.manifest.label,
        integrity=recall,
        weighted=halumem.integrity(scores, [row["importance"] for row in points]),
        accuracy=accuracy,
        f1=halumem.extraction_f1(recall, accuracy),
        resistance=halumem.interference_resistance(traps, len(memories)),
        updates=_rates(halumem.updates(updates).rates),
        updates_as_published=_rates(halumem.updates_as_published(updates).rates),
        counts={
            what: sum(row["what"] == what for row in decided) for what in ("point", "trap", "memory", "update")
        },
        open=len(rows) - len(decided),
    )


def _update(row: Row) -> UpdatePoint:
    label = row["grade"] if row["grade"] in set(HaluMemLabel) else None
    return UpdatePoint(row["returned"], None if label is None else HaluMemLabel(label))


def _rates(rates: Mapping[HaluMemLabel, float | None]) -> dict[str, float | None]:
    return {str(label): rate for label, rate in rates.items()}
