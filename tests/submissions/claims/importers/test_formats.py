"""Published files of OAMB, mteb, memorybench and OmniMemEval, invented in their shapes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.errors import DataNotFoundError, MalformedDataError
from memgauge.stats.proportion import wilson
from memgauge.submissions.claims.importers.building import ClaimOrigin
from memgauge.submissions.claims.importers.catalogue import CLAIM_IMPORTERS
from memgauge.submissions.claims.importers.evermemos import read_eval_results
from memgauge.submissions.claims.importers.memorybench import read_report
from memgauge.submissions.claims.importers.mteb import read_task
from memgauge.submissions.claims.importers.oamb import read_results
from memgauge.submissions.claims.importers.omnimemeval import read_grades, read_judged
from memgauge.submissions.claims.recounting import recounted
from memgauge.submissions.claims.verdicts import ClaimVerdict, from_rows
from support.claim_files import claim_readers

if TYPE_CHECKING:
    from pathlib import Path

_HERE = ClaimOrigin("ann/bench@1")

_READERS = (read_results, read_task, read_report, read_grades, read_judged, read_eval_results)


def _written(path: Path, value: object) -> Path:
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def _judged(name: str, decision: str, disposition: str = "judged") -> dict[str, Any]:
    right = int(decision == "yes")
    judged = {"metric_id": "lme-1", "judge_decision": decision, "numerator": right, "denominator": 1}
    return {"question_id": name, "evaluation": {**judged, "disposition": disposition}}


def test_oamb_questions_are_counted_again(tmp_path: Path) -> None:
    """Verdicts are counted beside the fractions, with Wilson's interval."""
    rows = {f"q{n}": _judged(f"q{n}", "yes" if n < 9 else "no") for n in range(10)}
    (sheet,) = read_results(_written(tmp_path / "larder.json", rows), _HERE)
    finding = from_rows(sheet.numbers[0])
    assert (sheet.product, finding.verdict, finding.beside) == ("larder", ClaimVerdict.AGREES, wilson(9, 10))


def test_oamb_names_the_field_that_is_wrong(tmp_path: Path) -> None:
    """A fraction that is no number is named by its question."""
    broken = {"q1": {"question_id": "q1", "evaluation": {"numerator": "one", "denominator": 1}}}
    with pytest.raises(MalformedDataError, match=r"q1\.evaluation\.numerator"):
        read_results(_written(tmp_path / "larder.json", broken), _HERE)


def test_mteb_scores_are_claims_without_rows(tmp_path: Path) -> None:
    """Every split and subset is a number of the embedder, which nothing here can compute again."""
    scores = {"test": [{"hf_subset": "single", "main_score": 0.41}, {"hf_subset": "multi", "main_score": 0.5}]}
    task = {"task_name": "LoCoMo", "dataset_revision": "abc", "mteb_version": "2.1", "scores": scores}
    _written(tmp_path / "model_meta.json", {"name": "ann/larder-e", "revision": "r1"})
    (sheet,) = read_task(_written(tmp_path / "LoCoMo.json", task), _HERE)
    assert (sheet.product, sheet.version) == ("ann-larder-e", "r1")
    assert [(number.name, number.value) for number in sheet.numbers] == [
        ("locomo-test-single", "0.41"),
        ("locomo-test-multi", "0.5"),
    ]
    assert {from_rows(number).verdict for number in sheet.numbers} == {ClaimVerdict.NOT_RECOMPUTABLE}


def test_mteb_needs_the_sheet_of_the_model(tmp_path: Path) -> None:
    """Without the model's sheet beside it nobody knows whose numbers they are; a bad score is named."""
    task = {"task_name": "LoCoMo", "scores": {"test": [{"hf_subset": "a", "main_score": True}]}}
    path = _written(tmp_path / "LoCoMo.json", task)
    with pytest.raises(DataNotFoundError, match=r"model_meta\.json"):
        read_task(path, _HERE)
    _written(tmp_path / "model_meta.json", {"name": "ann/larder-e"})
    with pytest.raises(MalformedDataError, match=r"scores\.test\[0\]\.main_score"):
        read_task(path, _HERE)


def test_memorybench_failures_are_counted_both_ways(tmp_path: Path) -> None:
    """Questions of the checkpoint that the report has no evaluation of are counted as wrong beside."""
    rows = [
        {"questionId": f"q{n}", "questionType": "multi" if n % 2 else "single", "label": label}
        for n, label in enumerate(("correct", "correct", "incorrect", "correct"))
    ]
    report = {
        "provider": "larder", "benchmark": "locomo", "runId": "r1", "judge": "j", "answeringModel": "a",
        "summary": {"totalQuestions": 4, "correctCount": 3, "accuracy": 0.75}, "evaluations": rows,
    }  # fmt: skip
    asked = {f"q{n}": {"questionId": f"q{n}", "questionType": "single"} for n in range(6)}
    _written(tmp_path / "checkpoint.json", {"schemaVersion": 4, "questions": asked})
    (sheet,) = read_report(_written(tmp_path / "report.json", report), _HERE)
    recount = recounted(sheet.numbers[0])
    assert recount is not None
    assert (recount.unscored, recount.value.mean, recount.with_failures.mean) == (2, 0.75, 0.5)
    assert from_rows(sheet.numbers[0], sheet.settings["locomo"].questions).verdict is ClaimVerdict.AGREES


def test_memorybench_without_a_summary_is_refused(tmp_path: Path) -> None:
    """A report without its own number is no claim."""
    with pytest.raises(MalformedDataError, match=r"summary\.accuracy"):
        read_report(_written(tmp_path / "report.json", {"provider": "larder", "evaluations": []}), _HERE)


def _grades(path: Path, score: float, **categories: tuple[int, float]) -> Path:
    below = {
        name: {"category_name": name, "total": n, "llm_judge_score": share}
        for name, (n, share) in categories.items()
    }
    return _written(path, {"metrics": {"llm_judge_score": score}, "category_scores": below})


def test_omnimemeval_grades_are_added_up(tmp_path: Path) -> None:
    """The score of a run is computed again from its categories."""
    path = _grades(tmp_path / "larder_locomo_grades.json", 0.775, single=(300, 0.8), multi=(100, 0.7))
    (sheet,) = read_grades(path, _HERE)
    assert (sheet.product, from_rows(sheet.numbers[0]).verdict) == ("larder", ClaimVerdict.AGREES)


def test_omnimemeval_questions_are_counted_by_conversation(tmp_path: Path) -> None:
    """Each run of the judge counts, and what was skipped is kept as being without a verdict."""
    judged = {
        f"locomo_exp_user_{home}": [
            {
                "question": "?",
                "llm_judgments": {"judgment_1": True, "judgment_2": bool(n % 2)},
                "status": "success",
            }
            for n in range(4)
        ]
        + [{"question": "?", "status": "skipped"}]
        for home in range(2)
    }
    path = _written(tmp_path / "larder_locomo_judged.json", judged)
    with pytest.raises(MalformedDataError, match="grades"):
        read_judged(path, _HERE)
    _grades(tmp_path / "larder_locomo_grades.json", 0.75, single=(8, 0.75))
    (sheet,) = read_judged(path, _HERE)
    recount = recounted(sheet.numbers[0])
    assert recount is not None
    assert (recount.value.mean, recount.unscored) == (0.75, 2)
    assert recount.with_failures.mean == pytest.approx(0.6)
    assert from_rows(sheet.numbers[0]).verdict is ClaimVerdict.AGREES


def test_evermemos_answers_are_counted_by_conversation(tmp_path: Path) -> None:
    """Runs of the judge over ten conversations give an interval over conversations; the folder says whose."""
    answers = {
        f"locomo_exp_user_{home}": [
            {"llm_judgments": {f"judgment_{run}": home % 5 < 3 or run == n % 3 for run in range(3)}}
            for n in range(9)
        ]
        for home in range(10)
    }
    (tmp_path / "larder").mkdir()
    whole = {"total_questions": 90, "accuracy": (6 * 27 + 4 * 9) / 270, "detailed_results": answers}
    meta = {"metadata": {"answer_model": "reader-1", "judge_model": "judge-1"}}
    (sheet,) = read_eval_results(_written(tmp_path / "larder/eval_results.json", whole | meta), _HERE)
    finding = from_rows(sheet.numbers[0], sheet.settings["locomo"].questions)
    assert (sheet.product, sheet.settings["locomo"].judge) == ("larder", "judge-1")
    assert finding.verdict is ClaimVerdict.AGREES
    assert finding.reason == "total from 10 conversations, 90 questions, interval over conversations"


def test_omnimemeval_verdicts_must_be_yes_or_no(tmp_path: Path) -> None:
    """A verdict of another kind is named by conversation, question and run."""
    rows = {"user_0": [{"llm_judgments": {"judgment_1": "yes"}, "status": "success"}]}
    with pytest.raises(MalformedDataError, match=r"user_0\[0\]\.llm_judgments\.judgment_1"):
        read_judged(_written(tmp_path / "larder_locomo_judged.json", rows), _HERE)


@pytest.mark.parametrize("count", [-1, 10**400, True, "3"])
def test_counts_are_counts(tmp_path: Path, count: object) -> None:
    """A count that is negative, beyond all questions of the world, or none is named by its field."""
    judged = _judged("q1", "yes")
    judged["evaluation"]["denominator"] = count
    with pytest.raises(MalformedDataError, match=r"q1\.evaluation\.denominator|read"):
        read_results(_written(tmp_path / "larder.json", {"q1": judged}), _HERE)


@pytest.mark.parametrize("text", ["", "{", "[]", "7", '{"a": NaN}', "[" * 3000])
@pytest.mark.parametrize("reader", _READERS)
def test_what_is_no_such_file_is_refused_by_name(tmp_path: Path, reader: Any, text: str) -> None:
    """Every reader names the file that is none of its own, and never fails otherwise."""
    path = tmp_path / "larder_locomo_judged.json"
    path.write_text(text)
    with pytest.raises((MalformedDataError, DataNotFoundError), match=r"larder_locomo|model_meta"):
        reader(path, _HERE)


def test_every_format_has_a_sample_that_is_spoilt() -> None:
    """A format that is added gets a sample, which `make fuzz` spoils."""
    names = {reader.name.removeprefix("claims-") for reader in claim_readers()}
    assert set(CLAIM_IMPORTERS.names()) <= names
