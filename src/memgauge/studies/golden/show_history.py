"""What a history of golden runs says: what changed since the baseline, what slides, what rings an alarm."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.show import Document, Note
from memgauge.show.numbers import plural
from memgauge.show.safety import visible
from memgauge.studies.golden.drift import drift
from memgauge.studies.golden.history import histories
from memgauge.studies.golden.past import past_of
from memgauge.studies.golden.show import past_figures
from memgauge.studies.golden.tables import past_table
from memgauge.studies.golden.words import drift_lines

if TYPE_CHECKING:
    from pathlib import Path


def document(path: Path) -> Document:
    """Show the history of golden runs, memory by memory."""
    known = histories(path)
    pasts = {name: past_of(history) for name, history in known.items()}
    drifts = {name: seen for name, history in known.items() if (seen := drift(history)) is not None}
    alarms = sum(len(seen.alarms) for seen in drifts.values())
    figures = (
        figure
        for place, (name, seen) in enumerate(drifts.items())
        for figure in past_figures(pasts[name], seen, f"m{place}", visible(name))
    )
    runs = plural(sum(map(len, pasts.values())), "run")
    memories = f"{len(known):,} memor{'y' if len(known) == 1 else 'ies'}"
    return Document(
        title="Golden history",
        lead=f"{runs} of {memories}; {plural(alarms, 'alarm') if alarms else 'no alarms'}.",
        blocks=(past_table(pasts), *figures),
        notes=tuple(
            Note(visible(line), visible(name)) for name, seen in drifts.items() for line in drift_lines(seen)
        ),
        noted="What changed, and what slides",
        origin="runs that were kept",
        data=pasts,
    )
