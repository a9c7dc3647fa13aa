"""What a row is called follows from its runs."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from chaos.submissions.hands import set_field
from chaos.submissions.world import submission_in
from memgauge.submissions.checks.labels import label_of_its_runs
from memgauge.submissions.checks.settings import settings_as_run
from memgauge.submissions.checks.subject import subject_of
from memgauge.submissions.packing.pack import pack
from memgauge.submissions.repository import Repository, SubmissionFolder
from support.registry import empty_registry, played, submitted

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.submissions.checks.rulings import CheckFinding


def found(good: Path, root: Path, label: str) -> list[CheckFinding]:
    """Give the good submission a label, and return what is found."""
    shutil.copytree(good, root, symlinks=True)
    submission = submission_in(root)
    set_field(submission.folder, label=label)
    with subject_of(Repository.at(root), submission) as subject:
        findings = list(label_of_its_runs(subject))
        assert set(findings) <= set(settings_as_run(subject))
    return findings


@pytest.mark.parametrize("label", ["bm25", "bm25, lexical", "bm25, scripted", "BM25", "BM25, lexical"])
def test_what_the_runs_bear_out_is_a_label(label: str, good: Path, tmp_path: Path) -> None:
    """Their own, or the product by name or title, with the lane behind a comma."""
    assert found(good, tmp_path / "registry", label) == []


@pytest.mark.parametrize(
    "label",
    [
        "BEST <script>",
        "bm25, the best",
        "bm25:k1=9",
        "bm25:",
        "bm25:best",
        "bm25, local-e5",
        "my bm25",
        "bm25 2.0",
    ],
)
def test_free_words_are_none(label: str, good: Path, tmp_path: Path) -> None:
    """Nor are options that were not run; the finding says what the runs are called."""
    (finding,) = found(good, tmp_path / "registry", label)
    assert finding.field == "label"
    assert "its runs are of 'bm25'" in finding.what


def test_a_label_may_leave_options_out(tmp_path: Path) -> None:
    """Those that it has were run: a folder on somebody's machine need not stand on a board."""
    root = empty_registry(tmp_path / "registry")
    about = submitted(tmp_path, division="open")
    runs = played(tmp_path / "runs", "bm25:k1=1.5,b=0.5", [1])
    submission = pack(runs, Repository.at(root), about, root).folder
    for label, findings in (("bm25:b=0.5", 0), ("bm25:b=0.5,k1=1.5", 0), ("bm25:b=0.6", 1), ("BM25", 0)):
        set_field(submission.folder, label=label)
        placed = SubmissionFolder(root, submission.folder)
        with subject_of(Repository.at(root), placed) as subject:
            assert len(list(label_of_its_runs(subject))) == findings, label
