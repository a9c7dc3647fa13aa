"""supermemory's memorybench: a report, and the checkpoint beside it, which knows the questions that failed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from memgauge.exchange.reading import expect
from memgauge.exchange.trace import FileLocation
from memgauge.submissions.claims.importers.building import ClaimTally, at, claimed, figure, judged, slug, text_at
from memgauge.submissions.claims.importers.streaming import items_at, pairs_at, top_values
from memgauge.submissions.sheets.claim import NOT_STATED

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.submissions.claims.importers.building import ClaimOrigin
    from memgauge.submissions.sheets.claim import ClaimSheet

CHECKPOINT: Final = "checkpoint.json"
_LABELS: Final = {"correct": True, "incorrect": False}


def read_report(path: Path, origin: ClaimOrigin) -> tuple[ClaimSheet, ...]:
    """Read ``report.json``: its accuracy, and its evaluations counted again by type of question.

    Its retrieval metrics are not read, for they have no denominator. A question of the checkpoint that has no
    evaluation failed on the way; memorybench leaves it out.

    Raises:
        MalformedDataError: It is no such file; the field is named.
    """
    place, tally = FileLocation(path), ClaimTally()
    head = top_values(path)
    summary = dict(pairs_at(path, "summary"))
    for number, each in enumerate(items_at(path, "evaluations")):
        where = FileLocation(path, field=f"evaluations[{number}]")
        row = expect(each, dict, where)
        tally.once(text_at(row, "questionId", where), where)
        tally.add(text_at(row, "questionType", where), _LABELS.get(text_at(row, "label", where)))
    _left_out(path.with_name(CHECKPOINT), tally)
    accuracy = expect(summary.get("accuracy"), (int, float), FileLocation(path, field="summary.accuracy"))
    dataset = slug(text_at(head, "benchmark", place))
    rows = tally.rows(FileLocation(path, field="evaluations"))
    setting = {
        "dataset": dataset,
        "questions": sum(row["questions"] for row in rows),
        "judge": text_at(head, "judge", place),
        "answerer": text_at(head, "answeringModel", place),
    }
    number_ = judged(
        slug(f"{dataset}-{text_at(head, 'runId', place)}"),
        dataset,
        figure(accuracy, at(FileLocation(path, field="summary"), "accuracy")),
        {"kind": "categories", "where": origin.at(path), "each": rows},
        unit="percent" if accuracy > 1 else "share",
    )
    return (claimed(path, origin, text_at(head, "provider", place), "memorybench", {dataset: setting}, number_),)


def _left_out(path: Path, tally: ClaimTally) -> None:
    """Count the questions of a checkpoint, where one lies beside, that the report has no evaluation of."""
    if not path.is_file():
        return
    for name, each in pairs_at(path, "questions"):
        place = FileLocation(path, field=f"questions.{name}")
        row: dict[str, Any] = expect(each, dict, place)
        asked = text_at(row, "questionId", place)
        if (name if asked == NOT_STATED else asked) not in tally.seen:
            tally.add(text_at(row, "questionType", place), None)
