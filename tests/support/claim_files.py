"""A small valid file of every format of published results, and of a claim sheet."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

from memgauge.submissions.claims.importers.building import ClaimOrigin
from memgauge.submissions.claims.importers.catalogue import CLAIM_IMPORTERS
from memgauge.submissions.claims.verdicts import from_rows
from memgauge.submissions.sheets.base import read_sheet
from memgauge.submissions.sheets.claim import ClaimSheet
from memgauge.submissions.sheets.writing import sheet_text
from support.claims import claim_sheet, claimed
from support.fuzz import Reader

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from support.fuzz import Sample

_RUN = {"dataset": "locomo", "split": "a", "mode": "rag", "run_name": "r", "accuracy": 0.5}
_GRADES = {
    "metrics": {"llm_judge_score": 0.5},
    "category_scores": {"1": {"category_name": "multi hop", "llm_judge_score": 0.5, "total": 2}},
}
_JUDGED = {
    "user_0": [{"llm_judgments": {"judgment_1": verdict}, "status": "success"} for verdict in (True, False)]
}
_EVALUATED = {
    "total_questions": 2, "correct": 1, "accuracy": 0.5, "detailed_results": _JUDGED,
    "metadata": {"answer_model": "a", "judge_model": "j", "num_runs": 1},
}  # fmt: skip
_OAMB = {
    "q1": {
        "question_id": "q1",
        "evaluation": {
            "metric_id": "m", "judge_decision": "yes", "numerator": 1, "denominator": 1, "disposition": "judged",
        },
    }
}  # fmt: skip
_REPORT = {
    "provider": "larder", "benchmark": "locomo", "runId": "r", "judge": "j", "answeringModel": "a",
    "summary": {"totalQuestions": 1, "correctCount": 1, "accuracy": 1.0},
    "evaluations": [{"questionId": "q1", "questionType": "single", "label": "correct"}],
}  # fmt: skip
_CHECKPOINT = {"questions": {"q1": {"questionId": "q1"}, "q2": {"questionId": "q2", "questionType": "single"}}}
_TABLES = """## LoCoMo

| Category | Count |
| --- | ---: |
| Single-Hop | 10 |

### Reproduced Results

| Backend | Single-Hop | Overall |
| --- | ---: | ---: |
| Larder | 80.00 | 80.00 |
"""
_TASK = {
    "task_name": "LoCoMo", "dataset_revision": "r", "mteb_version": "2",
    "scores": {"test": [{"hf_subset": "a", "main_score": 0.4}]},
}  # fmt: skip
_OUTPUT = _RUN | {
    "memory_provider": "larder",
    "results": [{"query_id": f"q{n}", "correct": n > 0, "meta": {"sample_id": f"c{n}"}} for n in range(2)],
}


def _json(value: Any) -> bytes:
    return json.dumps(value).encode()


_FILES: dict[str, dict[str, bytes]] = {
    "amb-external": {
        "external_results.json": _json(
            {"locomo": {"a": [{"memory": "L v1 (x)", "accuracy": 0.5, "source_label": "blog", "comment": "b"}]}}
        )
    },
    "amb-manifest": {
        "results-manifest.json": _json([_RUN | {"memory": "larder", "total_queries": 2, "correct": 1}]),
    },
    "amb-output": {"locomo10.json.gz": gzip.compress(_json(_OUTPUT))},
    "evermemos": {"eval_results.json": _json(_EVALUATED)},
    "memorybench-report": {"report.json": _json(_REPORT), "checkpoint.json": _json(_CHECKPOINT)},
    "mteb": {"LoCoMo.json": _json(_TASK), "model_meta.json": _json({"name": "a/b", "revision": "r"})},
    "oamb": {"larder.json": _json(_OAMB)},
    "omnimemeval-grades": {"larder_locomo_grades.json": _json(_GRADES)},
    "omnimemeval-judged": {
        "larder_locomo_judged.json": _json(_JUDGED),
        "larder_locomo_grades.json": _json(_GRADES),
    },
    "omnimemeval-tables": {"benchmark-results.md": _TABLES.encode()},
}
"""By format; the first file is the one that is named."""


def claim_readers() -> Iterator[Reader]:
    """Yield a reader of every format, which says of every number what its rows give."""
    for name in sorted(_FILES):
        yield _reader(name, _FILES[name])
    rows = [{"name": "a", "questions": 10, "share": "70.0"}, {"name": "b", "questions": 5, "right": 3}]
    text = sheet_text(claim_sheet(claimed("66.7", rows), claimed(name="alone"))).encode()
    yield Reader(
        "claim-sheet",
        lambda: {"page.toml": text},
        lambda folder: _judge((read_sheet(ClaimSheet, folder / "page.toml"),)),
    )


def _reader(name: str, files: Sample) -> Reader:
    read, first = CLAIM_IMPORTERS.get(name), next(iter(files))

    def judge(folder: Path) -> None:
        _judge(read(folder / first, ClaimOrigin("a/b@1")))

    return Reader(f"claims-{name}", lambda: dict(files), judge)


def _judge(sheets: tuple[ClaimSheet, ...]) -> None:
    for sheet in sheets:
        for number in sheet.numbers:
            from_rows(number, sheet.setting_of(number).questions)
        sheet_text(sheet)
