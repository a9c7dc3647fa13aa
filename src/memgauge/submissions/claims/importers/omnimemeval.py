"""OmniMemEval: aggregates of a run, and its questions one by one."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from memgauge.errors import MalformedDataError
from memgauge.exchange.reading import REMEDY, expect, read_json
from memgauge.exchange.trace import FileLocation
from memgauge.submissions.claims.importers.building import at, built, figure, slug, text_at
from memgauge.submissions.claims.importers.streaming import pairs_at
from memgauge.submissions.sheets.claim import NOT_STATED

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from memgauge.submissions.claims.importers.building import ClaimOrigin
    from memgauge.submissions.sheets.claim import ClaimSheet

_DATASETS: Final = {"locomo": "locomo", "lme": "longmemeval", "hm": "halumem"}
_BY: Final = "OmniMemEval"


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
        total = expect(row.get("total"), int, at(below, "total"))
        rows.append({"name": text_at(row, "category_name", below), "questions": total, "share": score})
    return (_run(path, origin, _score(path, whole), {"kind": "categories", "each": rows}),)


def read_judged(path: Path, origin: ClaimOrigin) -> tuple[ClaimSheet, ...]:
    """Read ``<lib>_<set>_judged.json`` beside its grades: the score, and its questions counted by conversation.

    Skipped and failed questions, which the score leaves out, are kept as questions without a verdict.

    Raises:
        MalformedDataError: It is no such file, or answers were judged in unlike numbers; the field is named.
    """
    counts = _Judged()
    for group, listed in pairs_at(path):
        for number, each in enumerate(expect(listed, list, FileLocation(path, field=group))):
            place = FileLocation(path, field=f"{group}[{number}]")
            counts.add(group, expect(each, dict, place), place)
    grades = path.with_name(path.name.replace("_judged", "_grades"))
    if grades == path or not grades.is_file():
        raise MalformedDataError(
            f"{path}: its score is not beside it: there is no file at {grades}.",
            "Put the grades of the run beside it.",
        )
    score = _score(grades, expect(read_json(grades), dict, FileLocation(grades)))
    rows = {"kind": "conversations", "repeats": counts.repeats, "each": counts.rows(FileLocation(path))}
    return (_run(path, origin, score, rows),)


@dataclass
class _Judged:
    """Verdicts by conversation; each answer has as many as there were runs of the judge."""

    repeats: int = 0
    asked: Counter[str] = field(default_factory=Counter)
    right: Counter[str] = field(default_factory=Counter)
    unscored: Counter[str] = field(default_factory=Counter)

    def add(self, group: str, row: Mapping[str, Any], place: FileLocation) -> None:
        """Count a question.

        Raises:
            MalformedDataError: It was judged more or less often than the one before.
        """
        verdicts = row.get("llm_judgments") or {}
        inner = at(place, "llm_judgments")
        if row.get("status", "success") != "success" or not expect(verdicts, dict, inner):
            self.unscored[group] += 1
            return
        self.repeats = self.repeats or len(verdicts)
        if len(verdicts) != self.repeats:
            raise MalformedDataError(
                f"{inner}: {len(verdicts)} verdicts where others have {self.repeats}.", REMEDY
            )
        self.asked[group] += 1
        self.right[group] += sum(expect(each, bool, at(inner, name)) for name, each in verdicts.items())

    def rows(self, place: FileLocation) -> list[dict[str, Any]]:
        """Return rows of a sheet.

        Raises:
            MalformedDataError: Nothing was judged.
        """
        if not self.asked:
            raise MalformedDataError(f"{place}: no question has a verdict.", REMEDY)
        first = min(self.asked)
        spare = sum(count for group, count in self.unscored.items() if group not in self.asked)
        return [
            {
                "name": group,
                "questions": asked,
                "share": f"{self.right[group] / (asked * self.repeats):.15f}",
                "unscored": self.unscored[group] + (spare if group == first else 0),
            }
            for group, asked in sorted(self.asked.items())
        ]


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
    where = origin.where or path.name
    number = {
        "name": "overall",
        "setting": dataset,
        "measure": "LLM-as-a-judge accuracy",
        "counts": "judged-answers",
        "value": score,
        "unit": "share",
        "rows": {**rows, "where": where},
    }
    return built(
        path,
        {
            "product": slug(library),
            "title": library,
            "source": {"by": _BY, "relation": NOT_STATED, "where": where, "on": origin.on, "seen": "source"},
            "settings": {
                dataset: {"dataset": dataset, "questions": sum(row["questions"] for row in rows["each"])},
            },
            "numbers": [number],
        },
    )
