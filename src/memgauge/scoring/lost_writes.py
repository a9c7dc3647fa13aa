"""What of a run's writing was lost: a memory that was not told everything returns something else."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from memgauge.runs.record.store import Run
from memgauge.scoring.apart import names_apart

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.scoring.accepted import AcceptedRun


def incomplete_runs(a: Run | AcceptedRun, b: Run) -> Iterator[str]:
    """Say of either side of a comparison that lost writes who it is, and what it lost; no such run is accepted."""
    for run, name in zip((a, b), names_apart(a, b), strict=True):
        if isinstance(run, Run) and (lost := lost_writes(run)):
            yield f"{name} is incomplete: {lost}."


def lost_writes(run: Run) -> str:
    """Say how many writes failed, with the commonest reason; one rule for every cause."""
    writes = run.counted_writes
    lost = writes["outcome"] != "ok"
    if not lost.any():
        return ""
    reasons = Counter(str(reason) for reason in writes["reason"][lost].tolist())
    commonest, _ = reasons.most_common(1)[0]
    return f"{int(lost.sum()):,} of {len(lost):,} writes and flushes failed or timed out (commonest: {commonest})"
