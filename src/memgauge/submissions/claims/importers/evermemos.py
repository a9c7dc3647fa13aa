"""EverMemOS's evaluation: a file of judged answers by conversation, which its auditors write too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.exchange.reading import expect
from memgauge.exchange.trace import FileLocation
from memgauge.submissions.claims.importers.building import at, claimed, count_at, figure, judged, slug, text_at
from memgauge.submissions.claims.importers.repeated import RepeatedVerdicts
from memgauge.submissions.claims.importers.streaming import pairs_at, top_values
from memgauge.submissions.sheets.claim import NOT_STATED

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.submissions.claims.importers.building import ClaimOrigin
    from memgauge.submissions.sheets.claim import ClaimSheet


def read_eval_results(path: Path, origin: ClaimOrigin) -> tuple[ClaimSheet, ...]:
    """Read ``<system>/eval_results.json``; the system is what the folder is called.

    Raises:
        MalformedDataError: It is no such file; the field is named.
    """
    head, place = top_values(path), FileLocation(path)
    meta = dict(pairs_at(path, "metadata"))
    verdicts = RepeatedVerdicts()
    for group, listed in pairs_at(path, "detailed_results"):
        below = FileLocation(path, field=f"detailed_results.{group}")
        for number, each in enumerate(expect(listed, list, below)):
            row_place = FileLocation(path, field=f"{below.field}[{number}]")
            verdicts.add_all(group, expect(each, dict, row_place), row_place)
    rows = verdicts.rows(FileLocation(path, field="detailed_results"))
    system, named = path.absolute().parent.name, FileLocation(path, field="metadata")
    number_ = judged(
        slug(f"locomo-{system}"),
        "locomo",
        figure(head.get("accuracy"), at(place, "accuracy")),
        {"kind": "conversations", "where": origin.at(path), "repeats": verdicts.repeats, "each": rows},
    )
    setting = {
        "dataset": "locomo",
        "questions": count_at(head, "total_questions", place),
        "judge": text_at(meta, "judge_model", named),
        "answerer": text_at(meta, "answer_model", named),
    }
    return (claimed(path, origin, system, NOT_STATED, {"locomo": setting}, number_),)
