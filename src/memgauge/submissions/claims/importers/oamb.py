"""Open Agent Memory Benchmark: result files of one provider, an object of judged questions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memgauge.exchange.reading import expect
from memgauge.exchange.trace import FileLocation
from memgauge.submissions.claims.importers.building import ClaimTally, at, built, count_at, figure, slug, text_at
from memgauge.submissions.claims.importers.streaming import pairs_at
from memgauge.submissions.sheets.claim import NOT_STATED

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
        judged = expect(row.get("evaluation"), dict, inner)
        tally.once(text_at(row, "question_id", place), place)
        measures.add(text_at(judged, "metric_id", inner))
        parts += count_at(judged, "numerator", inner)
        whole += count_at(judged, "denominator", inner)
        tally.add("all", _verdict(judged, inner))
    rows = tally.rows(FileLocation(path))
    number = {
        "name": "overall",
        "setting": "longmemeval",
        "measure": ", ".join(sorted(measures)),
        "counts": "judged-answers",
        "value": figure(parts / whole if whole else 0.0, FileLocation(path)),
        "unit": "share",
        "rows": {"kind": "total", "where": origin.where or path.name, "each": rows},
    }
    return (
        built(
            path,
            {
                "product": slug(path.stem),
                "title": path.stem,
                "source": {
                    "by": "Open Agent Memory Benchmark",
                    "relation": NOT_STATED,
                    "where": origin.where or path.name,
                    "on": origin.on,
                    "seen": "source",
                },
                "settings": {"longmemeval": {"dataset": "longmemeval", "questions": max(whole, 1)}},
                "numbers": [number],
            },
        ),
    )


def _verdict(judged: Mapping[str, Any], place: FileLocation) -> bool | None:
    if judged.get("disposition") != "judged":
        return None
    return text_at(judged, "judge_decision", place) == "yes"
