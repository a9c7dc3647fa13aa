"""Grades that were edited, or that are of something else, are refused by the check that is meant."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.runs.record.seal import file_hash
from memgauge.submissions.checks.checking import check_submission
from memgauge.submissions.checks.rulings import Ruling
from memgauge.submissions.checks.subject import subject_of
from memgauge.submissions.layout import GRADES, SHEET
from memgauge.submissions.repository import Repository
from memgauge.submissions.sheets.registry import DatasetSheet
from support.graded import answered, exact, judged, submit
from support.small_registry import copied, rewrite

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from memgauge.submissions.checks.checking import CheckedSubmission


@pytest.fixture
def mine(graded_registry: Path, tmp_path: Path) -> Path:
    """Copy the registry."""
    return copied(graded_registry, tmp_path / "registry")


def checked(root: Path) -> CheckedSubmission:
    """Check the submission of bm25."""
    repository = Repository.at(root)
    submission = next(each for each in repository.submissions() if "bm25" in each.place)
    with subject_of(repository, submission) as subject:
        return check_submission(subject)


def edit(root: Path, change: Callable[[dict[str, Any]], object], *, named: bool = True) -> None:
    """Change the grades, and, where *named*, the digest in the sheet with them."""
    (path,) = root.glob(f"submissions/bm25/*/*/{GRADES}")
    data, before = json.loads(path.read_text("utf-8")), file_hash(path)
    change(data)
    path.write_text(json.dumps(data), "utf-8")
    if named:
        sheet = path.with_name(SHEET)
        sheet.write_text(sheet.read_text("utf-8").replace(before, file_hash(path)), "utf-8")


def first_grade(data: dict[str, Any]) -> dict[str, str]:
    """Return the grades of the first run."""
    grades: dict[str, str] = data["graded"][0]["grades"]
    return grades


def test_grades_as_they_were_packed_are_accepted(graded_registry: Path) -> None:
    """No check has a word to say of them."""
    checks = checked(graded_registry)
    assert checks.accepted
    assert not any(each.file == GRADES for found in checks.findings.values() for each in found)


def test_an_edited_grade_is_refused(mine: Path) -> None:
    """The file is not the one that the sheet names."""
    edit(mine, lambda data: first_grade(data).update(dict.fromkeys(first_grade(data), "correct")), named=False)
    checks = checked(mine)
    assert checks.refused == ("S3",)
    (finding,) = checks.findings["S3"]
    assert (finding.file, finding.field) == (SHEET, "grades")
    assert "grades.json" in finding.what
    assert finding.remedy


def _all_right_but_unjudged(data: dict[str, Any]) -> None:
    name = next(iter(first_grade(data)))
    first_grade(data)[name] = "nothing to judge"


def _text_in_maker(data: dict[str, Any]) -> None:
    words = "she said that she would move to the sea in spring"
    data["graded"][0]["answers"]["maker"]["details"] = {"note": words}


def _text_as_key(data: dict[str, Any]) -> None:
    data["graded"][0]["verdicts"]["maker"]["panel"]["she said that she would move to the sea"] = 1


@pytest.mark.parametrize(
    ("change", "check", "field"),
    [
        (lambda data: data["graded"][0].update(reason="because"), "S3", "graded.0.reason"),
        (lambda data: first_grade(data).update(u000000_q01="splendid"), "S3", "graded.0.grades.u000000_q01"),
        (lambda data: data["graded"][0]["verdicts"].update(label="better"), "S5", "graded.0.verdicts.sha256"),
        (
            lambda data: data["graded"][0]["verdicts"]["maker"]["panel"].update(judges=["better"]),
            "S5",
            "graded.0.verdicts.sha256",
        ),
        (
            lambda data: data["graded"][0]["answers"]["maker"].update(answerer="better"),
            "S5",
            "graded.0.answers.sha256",
        ),
        (lambda data: data["graded"][0]["answers"].update(base="0" * 64), "S5", "graded.0.answers.base"),
        (lambda data: data["graded"][0]["verdicts"].update(base="0" * 64), "S5", "graded.0.verdicts.base"),
        (lambda data: data["graded"][0].update(bundle="bundles/other.zip"), "S5", "graded.0.bundle"),
        (lambda data: first_grade(data).pop("u000000_q01"), "S6", "graded.0.grades"),
        (lambda data: first_grade(data).update(invented="correct"), "S6", "graded.0.grades"),
        (_all_right_but_unjudged, "S6", "graded.0.grades.u000000_q01"),
        (lambda data: data["graded"].append(data["graded"][0]), "S6", "graded"),
        (lambda data: data["graded"].pop(), "S6", "graded"),
        (_text_in_maker, "S11", "graded"),
        (_text_as_key, "S11", "graded"),
    ],
)
def test_what_is_edited_with_its_digest_is_refused_where_it_shows(
    mine: Path, change: Callable[[dict[str, Any]], object], check: str, field: str
) -> None:
    """File, field and remedy, by the check that is meant."""
    edit(mine, change)
    checks = checked(mine)
    findings = [each for each in checks.findings[check] if each.ruling is Ruling.REFUSE]
    assert any((each.file, each.field) == (GRADES, field) and each.remedy for each in findings), checks.findings


def test_a_question_that_stands_twice_is_refused(mine: Path) -> None:
    """Readers differ in which of both they would take."""
    (path,) = mine.glob(f"submissions/bm25/*/*/{GRADES}")
    text = path.read_text("utf-8").replace('"u000000_q01":', '"u000000_q01": "correct",\n"u000000_q01":', 1)
    path.write_text(text, "utf-8")
    assert any("twice" in each.what for each in checked(mine).findings["S3"])


def test_grades_are_named_where_they_are_and_are_where_they_are_named(mine: Path) -> None:
    """One without the other is refused."""
    (path,) = mine.glob(f"submissions/bm25/*/*/{GRADES}")
    path.rename(mine / "elsewhere")
    assert any((each.file, "missing" in each.what) == (GRADES, True) for each in checked(mine).findings["S3"])
    sheet = path.with_name(SHEET)
    sheet.write_text(sheet.read_text("utf-8").replace(file_hash(mine / "elsewhere"), ""), "utf-8")
    assert checked(mine).accepted
    (mine / "elsewhere").rename(path)
    assert [each.field for each in checked(mine).findings["S3"]] == ["grades"]


def test_no_answer_follows_a_search_that_failed(mine: Path, tmp_path: Path) -> None:
    """A grade for an answer from nothing contradicts the bundle."""
    (run,) = answered(tmp_path / "runs", "faulty:raises", [1])
    judged(run, exact)
    folder = submit(mine, [run], tmp_path, product="bm25", slug="faulty")
    path = folder.folder / GRADES
    read = json.loads(path.read_text("utf-8"))
    failed = [name for name, grade in first_grade(read).items() if grade == "failed"]
    assert failed
    repository = Repository.at(mine)
    path.write_text(path.read_text("utf-8").replace('"failed"', '"correct"'), "utf-8")
    with subject_of(repository, folder) as subject:
        findings = check_submission(subject).findings["S5"]
    assert any((each.file, each.field) == (GRADES, f"graded.0.grades.{min(failed)}") for each in findings)


def test_grades_are_held_against_verdicts_that_are_there(mine: Path, tmp_path: Path) -> None:
    """Where the licence lets texts stand in bundles, layers do too, and grades follow from them."""
    rewrite(mine, "registry/datasets/tiny.toml", DatasetSheet, texts_public=True)
    (run,) = answered(tmp_path / "runs", "bm25", [1])
    judged(run, exact)
    folder = submit(mine, [run], tmp_path, form="whole", slug="whole")
    with subject_of(Repository.at(mine), folder) as subject:
        assert check_submission(subject).accepted
    path = folder.folder / GRADES
    path.write_text(path.read_text("utf-8").replace('"incorrect"', '"correct"'), "utf-8")
    with subject_of(Repository.at(mine), folder) as subject:
        findings = check_submission(subject).findings["S5"]
    assert [(each.file, each.field) for each in findings] == [(GRADES, "graded.0.grades")]
