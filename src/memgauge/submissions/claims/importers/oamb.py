"""Open Agent Memory Benchmark: result files of one provider, an object of judged questions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memgauge.exchange.reading import expect
from memgauge.exchange.trace import FileLocation
from memgauge.submissions.claims.importers.building import (
    ClaimTally,
    at,
    claimed,
    count_at,
    figure,
    judged,
    text_at,
)
from memgauge.submissions.claims.importers.streaming import pairs_at

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from memgauge.submissions.claims.importers.building import ClaimOrigin
    from memgauge.submissions.sheets.claim import ClaimSheet


def read_results(path: Path, origin: ClaimOrigin) -> tuple[ClaimSheet, ...]:
    """Read ``results/<provider>.json``; its own fractions are the number, its verdicts the rows.

    Raises:
        MalformedDataError: It is no such file; the field is named.
    """
    tally, measures = ClaimTally(), set()
    whole = parts = 0
    for name, each in pairs_at(path):
        place = FileLocation(path, field=name)
        row = expect(each, dict, place)
        inner = at(place, "evaluation")
        verdict = expect(row.get("evaluation"), dict, inner)
        tally.once(text_at(row, "question_id", place), place)
        measures.add(text_at(verdict, "metric_id", inner))
        parts += count_at(verdict, "numerator", inner)
        whole += count_at(verdict, "denominator", inner)
        tally.add("all", _verdict(verdict, inner))
    rows = tally.rows(FileLocation(path))
    number = judged(
        "overall",
        "longmemeval",
        figure(parts / whole if whole else 0.0, FileLocation(path)),
        {"kind": "total", "where": origin.at(path), "each": rows},
        measure=", ".join(sorted(measures)),
    )
    settings = {"longmemeval": {"dataset": "longmemeval", "questions": max(whole, 1)}}
    return (claimed(path, origin, path.stem, "Open Agent Memory Benchmark", settings, number),)


def _verdict(judged: Mapping[str, Any], place: FileLocation) -> bool | None:
    if judged.get("disposition") != "judged":
        return None
    return text_at(judged, "judge_decision", place) == "yes"
