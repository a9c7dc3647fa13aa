"""Playing a submission again: what agrees, what does not, and what cannot be run."""

from __future__ import annotations

import json
from datetime import date
from typing import TYPE_CHECKING

import pytest

from memgauge.cli import invoke
from memgauge.runs.record.bundle import unbundled
from memgauge.scoring.verification import Assurance
from memgauge.scoring.verify import VerificationRequest, verify
from memgauge.submissions.packing.pack import pack
from memgauge.submissions.repository import Repository
from memgauge.submissions.reproducing import Repeating, repeat_submission, write_verification
from memgauge.submissions.sheets.base import read_sheet
from memgauge.submissions.sheets.verdicts import VerificationSheet, Verifier
from support.registry import empty_registry, played, submitted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from memgauge.submissions.repository import SubmissionFolder
    from support.cli import Said

BOB = Verifier(github="bob", relation="none")
DATASET = "synthetic:small"


@pytest.fixture(scope="module")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A registry with one submission, of one run in Open."""
    folder = empty_registry(tmp_path_factory.mktemp("registry"))
    runs = played(folder.with_name(f"{folder.name}-runs"), "bm25", [1], DATASET)
    about = submitted(folder.parent, division="open")
    pack(runs, Repository.at(folder), about, folder)
    return folder


def the_submission(registry: Path) -> SubmissionFolder:
    """The only one there."""
    (folder,) = Repository.at(registry).submissions()
    return folder


def in_this_process(arguments: Sequence[str]) -> str:
    """Call the command line here: what is installed makes no difference to a baseline."""
    return "" if invoke(list(arguments)) in {0, 1} else "it failed"


def playing(work: Path, call: Callable[[Sequence[str]], str] = in_this_process) -> Repeating:
    """Bob plays it again."""
    return Repeating(BOB, date(2027, 1, 20), work, call=call)


def test_what_is_deterministic_agrees(registry: Path, tmp_path: Path) -> None:
    """The difference is nothing on every question, and the sheet says so with the rows beside it."""
    submission = the_submission(registry)
    repeated = repeat_submission(submission, Repository.at(registry), playing(tmp_path))
    assert repeated.sheet.outcome == "agrees"
    assert repeated.sheet.paired is not None
    assert repeated.sheet.paired.interval == (0.0, 0.0)
    path = write_verification(repeated, submission, tmp_path / "out")
    sheet = read_sheet(VerificationSheet, path)
    assert (sheet.submission, sheet.level, sheet.by) == (submission.id, 3, BOB)
    with unbundled(path.parent / sheet.bundle) as folder:
        assert verify(folder, VerificationRequest(Assurance.RECOMPUTED)).level is Assurance.RECOMPUTED


def test_rows_of_another_system_differ(registry: Path, tmp_path: Path) -> None:
    """Who seals the rows of one system under the name of another is found by playing it."""

    def other(arguments: Sequence[str]) -> str:
        return in_this_process(["random" if each == "bm25" else each for each in arguments])

    repeated = repeat_submission(the_submission(registry), Repository.at(registry), playing(tmp_path, other))
    assert repeated.sheet.outcome == "differs"
    assert repeated.sheet.paired is not None
    assert not repeated.sheet.paired.equivalent


def test_what_cannot_be_run_is_a_result(registry: Path, tmp_path: Path) -> None:
    """The reason stands in the sheet, and nothing is said of agreement."""
    failing = playing(tmp_path, lambda _: "No wheel for this machine.")
    repeated = repeat_submission(the_submission(registry), Repository.at(registry), failing)
    assert repeated.sheet.outcome == "could-not-run"
    assert repeated.sheet.paired is None
    assert "No wheel" in repeated.sheet.deviations[0]


def test_the_command_installs_plays_and_writes(
    registry: Path, tmp_path: Path, memgauge: Callable[..., Said], monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the command alone, in processes of their own; a second sheet of that day is refused."""
    monkeypatch.chdir(tmp_path)
    place = the_submission(registry).folder
    said = memgauge("results", "reproduce", place, "--as", "carl", "--on", "2027-01-21", "--work", "w", "--json")
    assert said.code == 0, said.err
    assert json.loads(said.out)["outcome"] == "agrees"
    again = memgauge("results", "reproduce", place, "--as", "carl", "--on", "2027-01-21", "--work", "w")
    assert again.code == 2
    assert "add-only" in again.err
