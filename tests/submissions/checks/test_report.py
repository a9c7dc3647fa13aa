"""A report is what one build leaves for another: whole, bounded, read as a stranger's, and drawn harmlessly."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from chaos.submissions.world import submission_in
from memgauge.errors import MalformedDataError, RunError
from memgauge.show.markdown import markdown
from memgauge.submissions.checks import beside
from memgauge.submissions.checks.checking import check_submission
from memgauge.submissions.checks.comment import comment
from memgauge.submissions.checks.report import CheckReport, read_report, report_of
from memgauge.submissions.checks.subject import subject_of
from memgauge.submissions.repository import Repository

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def report(good: Path) -> CheckReport:
    """Return the report of the good submission, of which no base was named."""
    with subject_of(Repository.at(good), submission_in(good)) as subject:
        return report_of(check_submission(subject), subject)


def _written(path: Path, report: CheckReport, **changed: Any) -> Path:
    data = report.model_dump(mode="json", by_alias=True) | changed
    path.write_text(json.dumps(data), "utf-8")
    return path


def test_a_report_says_what_stands_beside_the_submission(report: CheckReport, tmp_path: Path) -> None:
    """Measures with intervals and costs of every run; it reads back as it was written."""
    assert {each.who for each in report.measures} == {"this"}
    assert {each.measure for each in report.measures} >= {"Recall@250tok", "MRR@60"}
    assert len(report.costs) == 3
    assert read_report(_written(tmp_path / "check.json", report)) == report


def test_a_cost_that_cannot_be_read_is_left_out(good: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A check names it; a report is written all the same."""

    def spoilt(_folder: Path) -> None:
        raise RunError("cost.json: schema: it is another.")

    with subject_of(Repository.at(good), submission_in(good)) as subject:
        checked = check_submission(subject)
        monkeypatch.setattr("memgauge.runs.record.cost.CostRecord.read", spoilt)
        assert report_of(checked, subject).costs == ()


def test_a_comment_says_level_numbers_costs_and_how_to_see_the_same(report: CheckReport) -> None:
    """In the order in which somebody reads who decides."""
    text = markdown(comment(report))
    order = [
        "at level 2, repeated",
        "Recall@250tok",
        "What it cost",
        "was not looked at",
        "memgauge results check",
        "origin not verified",
    ]
    places = [text.index(words) for words in order]
    assert places == sorted(places)


def test_a_comment_says_where_lists_end_before_a_budget(report: CheckReport, tmp_path: Path) -> None:
    """A value is then the least that it can be; a score file without the key says nothing of it."""
    ends = beside._ends({"ends_at_k": {"Recall@250tok": {"k": 5, "before": 250, "enough": 18}}}, "Recall@250tok")
    assert ends == "lists end at k=5 before 250 tokens"
    assert beside._ends({}, "Recall@250tok") == beside._ends({"ends_at_k": {}}, "Recall@250tok") == ""
    cut = [each.model_copy(update={"ends": ends}) for each in report.measures]
    changed = [each.model_dump(mode="json") for each in cut]
    text = markdown(comment(read_report(_written(tmp_path / "check.json", report, measures=changed))))
    assert "(or more: lists end at k=5 before 250 tokens)" in text


def test_what_a_report_quotes_calls_nobody_and_links_nothing(report: CheckReport, tmp_path: Path) -> None:
    """Names, issues, addresses, markup, and commands in the name of a folder stay letters."""
    finding = {
        "check": "S12",
        "ruling": "ask",
        "file": "a|b",
        "field": "",
        "what": "@ann see #1 at https://example.org <img src=x onerror=alert(1)> [x](y)\n# Head",
        "remedy": "",
    }
    written = _written(tmp_path / "check.json", report, findings=[finding], place="submissions/$(id)/1/x````\nx")
    text = markdown(comment(read_report(written)))
    for active in ("@ann", "#1", "https://", "<img", "[x](y)", "\n# Head", " $(id)", "x````\n"):
        assert active not in text
    assert "'submissions/$(id)" in text


@pytest.mark.parametrize(
    "changed",
    [
        {"schema": "memgauge.check/2"},
        {"stranger": 1},
        {"accepted": False},
        {"refused": ["S1"]},
        {"id": "x" * 301},
        {"level": {"level": 5, "name": "repeated", "marks": [], "missing": "", "caution": ""}},
        {"measures": [{"dataset": "x"}]},
        {"golden": ["x"] * 201},
    ],
    ids=lambda changed: next(iter(changed)),
)
def test_a_report_that_is_none_is_not_drawn(report: CheckReport, tmp_path: Path, changed: dict[str, Any]) -> None:
    """Another version, unknown keys, contradictions, and more than there can be."""
    with pytest.raises(MalformedDataError):
        read_report(_written(tmp_path / "check.json", report, **changed))


def test_a_report_that_is_too_large_is_not_read(report: CheckReport, tmp_path: Path) -> None:
    """Whatever is in it."""
    path = _written(tmp_path / "check.json", report)
    path.write_text(path.read_text("utf-8") + " " * (2 << 20), "utf-8")
    with pytest.raises(MalformedDataError, match="larger"):
        read_report(path)
