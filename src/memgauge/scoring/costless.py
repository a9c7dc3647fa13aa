"""Why a run has no record of what it cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memgauge.runs.record.store import Run


def without_costs(run: Run) -> str:
    """Say why, as it follows the name of a run and a colon."""
    from memgauge.runs.play.executors.base import DIED  # nearly every run has costs

    if run.manifest.system.ref.startswith("imported:"):
        return "it was played elsewhere, and no costs came with it"
    if all(reason.endswith(DIED) for reason in run.questions["reason"].tolist()):
        return "its process died in every conversation, so that nobody could count its costs"
    return "an earlier version made its run, and recorded no costs"
