"""Grades of a submission: what the sealed verdicts on its runs decided, without a word of what was judged."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import TYPE_CHECKING, Final

from pydantic import ValidationError

from memgauge.errors import ConfigError
from memgauge.llm.judges.rubrics import DECLINING, FACT, OPEN, OUTCOME
from memgauge.measures.answers.verdicts import WORTH
from memgauge.misfits import first_misfit
from memgauge.records import Outcome
from memgauge.runs.layers.layer import ROWS, layers
from memgauge.runs.record.files import write_atomically
from memgauge.runs.record.seal import file_hash
from memgauge.scoring.verdicts import earned
from memgauge.submissions.layout import GRADES
from memgauge.submissions.sheets.grades import NOTHING, GradedAnswers, GradesSheet

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path
    from typing import Any

    from memgauge.runs.layers.layer import Layer
    from memgauge.runs.record.rows import Row
    from memgauge.runs.record.store import Run
    from memgauge.submissions.sheets.submission import SubmittedRun

WHOLE: Final = frozenset({FACT.name, DECLINING.name, OUTCOME.name})
"""Rubrics by which an answer is judged once and as a whole; of points, orders and claims no grade is made."""


def write_grades(runs: Sequence[Run], packed: Sequence[SubmittedRun], folder: Path) -> str:
    """Write the grades of every run by bundle and panel, and return the digest of the file.

    Empty, and no file, where no answers were judged as a whole.
    """
    graded = [each for run, named in zip(runs, packed, strict=True) for each in graded_answers(run, named.bundle)]
    if not graded:
        return ""
    sheet = GradesSheet(schema=GradesSheet.SCHEMA, graded=tuple(graded))
    data = sheet.model_dump(mode="json", by_alias=True, exclude_unset=True)
    write_atomically(folder / GRADES, json.dumps(data, indent=1, ensure_ascii=False) + "\n")
    return file_hash(folder / GRADES)


def graded_answers(run: Run, bundle: str) -> Iterator[GradedAnswers]:
    """Yield what each panel decided of the answers to one run.

    Raises:
        ConfigError: A layer does not say who judged, as one that was imported may.
    """
    answers = {layer.hash: layer for layer in layers(run, "answers")}
    for verdicts in layers(run, "verdicts"):
        answered, rows = answers.get(verdicts.manifest.base), verdicts.rows()
        rubrics = sorted({row["rubric"] for row in rows})
        of_claims = verdicts.manifest.maker.get("rules") == "consistency"
        if answered is None or of_claims or not WHOLE.issuperset(rubrics):
            continue
        graded = {"bundle": bundle, "rubrics": rubrics, "grades": dict(_grades(answered.rows(), rows))}
        try:
            yield GradedAnswers.model_validate(
                graded | {"answers": _layer(answered), "verdicts": _layer(verdicts)}
            )
        except ValidationError as error:
            raise ConfigError(
                f"{verdicts.folder} does not say what grades need: {first_misfit(error)}.",
                "Judge the answers again with `memgauge models judge`, or take the layer out of the run.",
            ) from error


def _layer(layer: Layer) -> dict[str, Any]:
    manifest = layer.manifest
    named = {"base": manifest.base, "label": manifest.label, "maker": manifest.maker}
    return named | {"rows": file_hash(layer.folder / ROWS), "sha256": layer.hash}


def _grades(answers: Sequence[Row], verdicts: Sequence[Row]) -> Iterator[tuple[str, str]]:
    decided = defaultdict[str, list[str]](list)
    for row in map(earned, verdicts):
        decided[row["question"]].append(_grade(row))
    for answer in answers:
        failed = not Outcome(answer["outcome"]).valid
        grades = decided.get(answer["question"], [NOTHING])
        yield answer["question"], "failed" if failed else grades[0]


def _grade(verdict: Row) -> str:
    if verdict["grade"] in OPEN:
        return "unscored"
    return "correct" if WORTH[verdict["rubric"]].get(verdict["grade"]) == 1 else "incorrect"
