"""OmniMemEval: aggregates of a run, and its questions one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from memgauge.errors import MalformedDataError
from memgauge.exchange.reading import expect, read_json
from memgauge.exchange.trace import FileLocation
from memgauge.submissions.claims.importers.building import at, claimed, count_at, figure, judged, text_at
from memgauge.submissions.claims.importers.repeated import RepeatedVerdicts
from memgauge.submissions.claims.importers.streaming import pairs_at

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from memgauge.submissions.claims.importers.building import ClaimOrigin
    from memgauge.submissions.sheets.claim import ClaimSheet

_DATASETS: Final = {"locomo": "locomo", "lme": "longmemeval", "hm": "halumem"}


def read_grades(path: Path, origin: ClaimOrigin) -> tuple[ClaimSheet, ...]:
    """Read ``<lib>_<set>_grades.json``: the judge's score, and its categories as rows.

    Raises:
        MalformedDataError: It is no such file; the field is named.
    """
    whole = expect(read_json(path), dict, FileLocation(path))
    place = FileLocation(path, field="category_scores")
    rows = []
    for name, each in expect(whole.get("category_scores"), dict, place).items():
        below = at(place, name)
        row = expect(each, dict, below)
        score = figure(row.get("llm_judge_score"), at(below, "llm_judge_score"))
        total = count_at(row, "total", below)
        rows.append({"name": text_at(row, "category_name", below), "questions": total, "share": score})
    return (_run(path, origin, _score(path, whole), {"kind": "categories", "each": rows}),)


def read_judged(path: Path, origin: ClaimOrigin) -> tuple[ClaimSheet, ...]:
    """Read ``<lib>_<set>_judged.json`` beside its grades: the score, and its questions counted by conversation.

    Skipped and failed questions, which the score leaves out, are kept as questions without a verdict.

    Raises:
        MalformedDataError: It is no such file, or answers were judged in unlike numbers; the field is named.
    """
    counts = RepeatedVerdicts()
    for group, listed in pairs_at(path):
        for number, each in enumerate(expect(listed, list, FileLocation(path, field=group))):
            place = FileLocation(path, field=f"{group}[{number}]")
            counts.add_all(group, expect(each, dict, place), place)
    grades = path.with_name(path.name.replace("_judged", "_grades"))
    if grades == path or not grades.is_file():
        raise MalformedDataError(
            f"{path}: its score is not beside it: there is no file at {grades}.",
            "Put the grades of the run beside it.",
        )
    score = _score(grades, expect(read_json(grades), dict, FileLocation(grades)))
    rows = {"kind": "conversations", "repeats": counts.repeats, "each": counts.rows(FileLocation(path))}
    return (_run(path, origin, score, rows),)


def _score(path: Path, whole: Mapping[str, Any]) -> str:
    place = FileLocation(path, field="metrics")
    metrics = expect(whole.get("metrics"), dict, place)
    return figure(metrics.get("llm_judge_score"), at(place, "llm_judge_score"))


def _run(path: Path, origin: ClaimOrigin, score: str, rows: Mapping[str, Any]) -> ClaimSheet:
    library, _, rest = path.name.partition("_")
    short = rest.partition("_")[0]
    if short not in _DATASETS:
        raise MalformedDataError(
            f"{path}: the name says no dataset.", f"Keep <lib>_<{'|'.join(_DATASETS)}>_….json."
        )
    dataset = _DATASETS[short]
    placed = {**rows, "where": origin.at(path)}
    number = judged("overall", dataset, score, placed, measure="LLM-as-a-judge accuracy")
    settings = {dataset: {"dataset": dataset, "questions": sum(row["questions"] for row in rows["each"])}}
    return claimed(path, origin, library, "OmniMemEval", settings, number)
