"""Grades are packed for every run and panel, with what binds them to the run, and without a word that was said."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memgauge.errors import ConfigError
from memgauge.runs.layers.layer import LayerManifest, layers, write_layer
from memgauge.runs.record.seal import file_hash
from memgauge.runs.record.store import load
from memgauge.submissions.layout import GRADES
from memgauge.submissions.packing.grades import graded_answers
from memgauge.submissions.sheets.base import read_sheet
from memgauge.submissions.sheets.grades import GradesSheet
from support.graded import ANSWERER, answered, hesitant, judged, submit
from support.registry import empty_registry
from support.sharing import made_once

if TYPE_CHECKING:
    from memgauge.runs.record.rows import Row
    from memgauge.submissions.repository import SubmissionFolder


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two runs that were answered, and judged by somebody who is not always understood."""

    def make(folder: Path) -> None:
        for run in answered(folder, "bm25"):
            judged(run, hesitant)

    made = made_once(tmp_path_factory, "hesitantly-judged", make)
    folder = Path(shutil.copytree(made, tmp_path_factory.mktemp("judged") / "runs"))  # packing writes beside them
    return sorted(path for path in folder.iterdir() if (path / "SEAL").is_file())


@pytest.fixture(scope="module")
def packed(runs: list[Path], tmp_path_factory: pytest.TempPathFactory) -> SubmissionFolder:
    """The submission of both."""
    folder = tmp_path_factory.mktemp("packed")
    return submit(empty_registry(folder / "registry"), runs, folder)


def test_every_run_has_its_grades(packed: SubmissionFolder, runs: list[Path]) -> None:
    """One for every question, and the hashes of layers lead from the run to the verdicts."""
    read = read_sheet(GradesSheet, packed.folder / GRADES)
    assert packed.sheet.grades == file_hash(packed.folder / GRADES)
    by_bundle = {each.bundle: each for each in read.graded}
    assert set(by_bundle) == {run.bundle for run in packed.sheet.runs}
    for run in map(load, runs):
        graded = by_bundle[f"bundles/synthetic-tiny.{run.manifest.seed}.zip"]
        assert list(graded.grades) == run.questions["question"].tolist()
        assert (graded.verdicts.label, graded.answers.maker.answerer) == ("hesitant", ANSWERER)
        assert (graded.answers.base, graded.verdicts.base) == (run.seal.content, graded.answers.sha256)
        assert graded.answers.follows
        assert graded.verdicts.follows


def test_grades_are_those_of_the_verdicts(packed: SubmissionFolder, runs: list[Path]) -> None:
    """What was decided stays as it is, and what could not be read is unscored."""
    read = read_sheet(GradesSheet, packed.folder / GRADES)
    (verdicts,) = layers(load(runs[0]), "verdicts")
    counted = Counter(row["grade"] for row in verdicts.rows())
    graded = next(each for each in read.graded if each.verdicts.sha256 == verdicts.hash)
    assert counted["invalid"] > 0
    given = Counter(graded.grades.values())
    assert (given["unscored"], given["correct"]) == (counted["invalid"], counted["correct"])


def test_no_answer_is_packed(packed: SubmissionFolder, runs: list[Path]) -> None:
    """Nor what a judge replied."""
    text = (packed.folder / GRADES).read_text("utf-8")
    said = {row["text"] for layer in layers(load(runs[0]), "answers") for row in layer.rows() if row["text"]}
    sentences = [answer for answer in said if len(answer) > len("nothing to judge")]
    assert sentences
    assert not any(answer in text for answer in sentences)


def test_without_verdicts_there_are_no_grades(runs: list[Path], tmp_path: Path) -> None:
    """Answers alone leave no file, and the sheet says so."""
    folder = submit(empty_registry(tmp_path / "registry"), answered(tmp_path / "bare", "tfidf", [1]), tmp_path)
    assert not (folder.folder / GRADES).exists()
    assert folder.sheet.grades == ""


def _layered(folder: Path, maker: dict[str, object], rows: dict[str, Row]) -> None:
    """Lay verdicts over the answers to a run."""
    run = load(folder)
    (answers,) = layers(run, "answers")
    manifest = LayerManifest(kind="verdicts", base=answers.hash, label="others", maker=maker)
    write_layer(run, manifest, list(rows), lambda keys: (rows[key] for key in keys))


def test_points_claims_and_orders_are_no_grades(tmp_path: Path) -> None:
    """Who judges pieces of an answer has not judged it as a whole."""
    (folder,) = answered(tmp_path, "bm25", [1])
    question = load(folder).questions["question"].tolist()[0]
    row: Row = {"key": question, "question": question, "rubric": "point", "grade": "full", "votes": []}
    _layered(folder, {"panel": {"judges": ["others"]}, "rules": "official"}, {question: row})
    assert list(graded_answers(load(folder), "bundles/x.zip")) == []


def test_verdicts_of_nobody_are_named(tmp_path: Path) -> None:
    """A layer that does not say who judged is refused with its folder, and a remedy."""
    (folder,) = answered(tmp_path, "bm25", [1])
    question = load(folder).questions["question"].tolist()[0]
    row: Row = {"key": question, "question": question, "rubric": "fact", "grade": "correct", "votes": []}
    _layered(folder, {"rules": "official"}, {question: row})
    with pytest.raises(ConfigError, match=r"verdicts-others-.* verdicts\.maker\.panel"):
        list(graded_answers(load(folder), "bundles/x.zip"))
