"""S10: costs are those that the bundles carry, and follow from their journals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.metering import CostSource
from memgauge.runs.record.cost import CostRecord
from memgauge.submissions.checks.files import costs_of
from memgauge.submissions.checks.rulings import cannot, refuse
from memgauge.submissions.layout import COST, SHEET

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.runs.record.store import Run
    from memgauge.submissions.checks.rulings import CheckFinding
    from memgauge.submissions.checks.subject import Subject


def _asked(cost: CostRecord, run: Run) -> int | None:
    """Return the calls of a model for one question, rounded up; ``None`` where nobody counted."""
    calls = cost.query.model_calls
    if calls.source is not CostSource.COUNTED or calls.value is None:
        return None
    return -(-int(calls.value) // max(1, len(run.questions["question"])))


def costs_as_recorded(subject: Subject) -> Iterator[CheckFinding]:
    """S10: every run has its cost, which is that of its bundle, and the bundle's is the sum of its journal."""
    records = costs_of(subject.submission.file(COST))
    if strangers := sorted(records.keys() - {run.bundle for run in subject.sheet.runs}):
        yield refuse(COST, f"names {strangers[0]}, which the sheet does not.", "Pack again.", "runs")
    for bundle, run in subject.runs:
        place, name = bundle.file, bundle.named.bundle
        if name not in records:
            yield refuse(COST, f"has nothing of {name}.", "Pack again.", "runs")
            continue
        stated, carried, summed = records[name], CostRecord.read(run.folder), CostRecord.of(run.folder)
        if stated != carried:
            yield refuse(COST, f"is not the cost that {place} carries.", "Pack again; nobody edits costs.", name)
        elif carried is None:
            yield cannot(
                COST,
                f"{place} was made before runs recorded their cost.",
                "Nothing to do; a new run has it.",
                name,
            )
        elif (asked := _asked(carried, run)) is not None and asked != subject.sheet.calls_per_question.model:
            yield refuse(
                SHEET,
                f"says {subject.sheet.calls_per_question.model}, and {place} counted {asked} for each question.",
                "Say what was counted, rounded up (--model-calls).",
                "calls_per_question.model",
            )
        elif carried != summed:
            yield refuse(
                COST, f"is not the sum of the journal in {place}.", "Pack the run as it was sealed.", name
            )
