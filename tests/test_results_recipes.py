"""Recipes of the repository of results: what a fork proposes is checked and answered, by the steps of the jobs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import yaml

from chaos.submissions.spoilings import SPOILINGS
from chaos.submissions.world import git, good_registry, site_of, submission_in
from memgauge.submissions.repository import Repository
from memgauge.submissions.sheets.verdicts import VerificationSheet
from memgauge.submissions.sheets.writing import sheet_text
from support.proposals import RECIPES, Hosted
from support.sharing import made_once

if TYPE_CHECKING:
    from pathlib import Path

    from chaos.submissions.kinds import Spoiling

_EVERY_TIME = {"a seed of the plan is left out"}


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the root of a registry with a good submission that is not committed yet."""
    return (
        made_once(tmp_path_factory, "good-results", lambda folder: good_registry(folder / "registry")) / "registry"
    )


@pytest.fixture(scope="module")
def hosted(good: Path, tmp_path_factory: pytest.TempPathFactory) -> Hosted:
    """Host it."""
    return Hosted.at(good, tmp_path_factory.mktemp("hosted"))


def test_a_good_submission_is_let_in_and_answered(hosted: Hosted, good: Path, tmp_path: Path) -> None:
    """Job A leaves a report; job B, which sees nothing else of it, posts level, numbers and what is missing."""
    checkout = hosted.proposed(good, tmp_path)
    build = hosted.check(checkout)
    assert build.code == 0, build.printed
    assert "at level 2, repeated" in build.summary
    commented, body = hosted.comment(checkout / "check-report", tmp_path / "b")
    assert commented.code == 0, commented.printed
    assert "Accepted, at level 2, repeated. For the next level: somebody unrelated" in body
    assert (
        (hosted.programs / "gh.said").read_text("utf-8").startswith("pr comment ann:mine --repo results/results")
    )


@pytest.mark.parametrize(
    "spoiling",
    [
        pytest.param(each, id=each.slug, marks=() if each.kind in _EVERY_TIME else pytest.mark.slow)
        for each in SPOILINGS
        if not each.only_asked and "its folder" not in each.kind
    ],
)
def test_what_is_spoilt_in_a_fork_is_refused_with_its_message(
    spoiling: Spoiling, hosted: Hosted, good: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The job fails, and what it prints names the check and the file or the field; built boards are taken."""
    monkeypatch.setenv("SITE", str(site_of(good)))
    build = hosted.check(hosted.proposed(good, tmp_path, spoiling.spoil))
    assert build.code == 1, build.printed
    assert spoiling.check in build.printed
    assert spoiling.names.replace("_", "\\_") in build.printed


def test_who_removes_or_strays_is_refused_without_a_submission(hosted: Hosted, good: Path, tmp_path: Path) -> None:
    """A whole submission that is gone, and a file that lies in none, are refused by name."""
    checkout = hosted.proposed(good, tmp_path)
    git(checkout, "checkout", "--quiet", "-B", "other", hosted.main)
    other = next((checkout / "submissions").glob("*/*/*"))
    git(checkout, "rm", "--quiet", "-r", str(other))
    (checkout / "submissions").mkdir(exist_ok=True)
    (checkout / "submissions" / "stray.txt").touch()
    git(checkout, "add", "--all")
    git(checkout, "commit", "--quiet", "-m", "Clean up")
    build = hosted.check(checkout)
    assert build.code == 1
    assert f"{other.relative_to(checkout)}: is removed: submissions are add-only" in build.printed
    assert "submissions/stray.txt: lies in no submission" in build.printed


def test_a_verification_is_checked_where_it_is_proposed(hosted: Hosted, good: Path, tmp_path: Path) -> None:
    """A sheet that nothing shows is refused, and so is what lies beside none."""
    checkout = hosted.proposed(good, tmp_path)
    git(checkout, "checkout", "--quiet", "-B", "other", hosted.main)
    (submission,) = Repository.at(checkout).submissions()
    place = checkout / "verifications" / submission.sheet.place
    place.mkdir(parents=True)
    paired = {"measure": "Recall@10", "difference": 0.0, "interval": [0.0, 0.0], "margin": 0.02, "questions": 9}
    sheet = VerificationSheet.model_validate(
        {
            "schema": VerificationSheet.SCHEMA,
            "submission": submission.id,
            "level": 4,
            "by": {"github": "carl", "relation": "none"},
            "on": "2027-01-20",
            "command": "memgauge results reproduce",
            "same_lock": True,
            "outcome": "agrees",
            "paired": paired,
        }
    )
    (place / "20270120-carl.toml").write_text(sheet_text(sheet), "utf-8")
    (place.parent / "stray.txt").touch()
    git(checkout, "add", "--all")
    git(checkout, "commit", "--quiet", "-m", "Verify")
    build = hosted.check(checkout)
    assert build.code == 1, build.printed
    assert "does not count: it names no bundle of a repetition" in build.printed
    assert "stray.txt: lies in no verification" in build.printed


def test_a_change_of_something_else_is_nothing_to_check(hosted: Hosted, good: Path, tmp_path: Path) -> None:
    """And job B, which finds no report then, posts nothing."""
    checkout = hosted.proposed(good, tmp_path)
    git(checkout, "checkout", "--quiet", "-B", "other", hosted.main)
    (checkout / "NOTES.md").touch()
    git(checkout, "add", "--all")
    git(checkout, "commit", "--quiet", "-m", "Note")
    build = hosted.check(checkout)
    assert (build.code, build.summary) == (0, "")
    commented, body = hosted.comment(checkout / "check-report", tmp_path / "b")
    assert (commented.code, body) == (0, "")


@pytest.mark.parametrize("report", ["large", "no report", "a link"])
def test_a_report_that_is_none_is_not_posted(report: str, hosted: Hosted, tmp_path: Path) -> None:
    """Whatever job A was made to leave: too much, something else, or a link to what job B can read."""
    folder = tmp_path / "check-report"
    folder.mkdir()
    path = folder / "check.json"
    if report == "a link":
        (tmp_path / "secret.json").write_text('{"schema": "memgauge.check/1"}', "utf-8")
        path.symlink_to(tmp_path / "secret.json")
    else:
        path.write_text(" " * (2 << 20) if report == "large" else '{"schema": "x"}', "utf-8")
    build, body = hosted.comment(folder, tmp_path / "b")
    assert body == ""
    assert "Traceback" not in build.printed
    assert bool(build.code) == (report != "a link")


def test_the_job_that_reads_strangers_has_no_right_and_the_other_runs_nothing_of_theirs() -> None:
    """Job A may read and has no secret; job B checks out the default branch; no step spells what others wrote."""
    check, comment = (
        yaml.safe_load((RECIPES / f"{name}.yml").read_text("utf-8")) for name in ("check", "comment")
    )
    assert check["permissions"] == {"contents": "read"}
    assert "pull_request_target" not in str(check)
    assert "secrets" not in (RECIPES / "check.yml").read_text("utf-8")
    assert "token" not in (RECIPES / "check.yml").read_text("utf-8")
    checkouts = [
        step["with"]["ref"] for step in comment["jobs"]["comment"]["steps"] if "checkout" in step.get("uses", "")
    ]
    assert checkouts == ["${{ github.event.repository.default_branch }}"]
    for workflow in RECIPES.glob("*.yml"):
        for job in yaml.safe_load(workflow.read_text("utf-8"))["jobs"].values():
            assert not [step for step in job["steps"] if "${{" in step.get("run", "")], (
                "only env holds what others wrote"
            )


@pytest.mark.slow  # pip makes environments
def test_a_lock_that_no_longer_installs_opens_an_issue(
    hosted: Hosted, good: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only of what was run in CI; pip itself says why."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    checkout = hosted.proposed(good, tmp_path)
    place = submission_in(checkout).place.removeprefix("submissions/")
    sheet = checkout / "verifications" / place / "20270120-bob.toml"
    sheet.parent.mkdir(parents=True)
    sheet.write_text("level = 3\n", "utf-8")
    (hosted.programs / "gh.said").unlink(missing_ok=True)
    assert hosted.scheduled("weekly", checkout, {}).code == 0
    sheet.write_text("level = 4\n", "utf-8")
    build = hosted.scheduled("weekly", checkout, {})
    assert build.code == 1
    assert "No matching distribution found for bm25==2" in build.printed
    assert f"The lock of {place} no longer installs" in (hosted.programs / "gh.said").read_text("utf-8")


@pytest.mark.parametrize("newest", ["0.5", "0.6", ""])
def test_a_digit_that_the_newest_scorer_changes_opens_an_issue(
    newest: str, hosted: Hosted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Boards of the pinned scorer beside those of another, which counts the same, otherwise, or not at all."""
    checkout = tmp_path / "checkout"
    git(tmp_path, "clone", "--quiet", hosted.upstream.as_uri(), str(checkout))
    write = "import pathlib, sys\nto = pathlib.Path(sys.argv[-1]) / 'boards'\nto.mkdir(parents=True)\n"
    for name, value in (("pinned", "0.5"), ("newest", newest)):
        package = checkout / name / "memgauge"
        package.mkdir(parents=True)
        (package / "__init__.py").touch()
        scored = f"(to / 'a.json').write_text('{value}')\n" if value else "sys.exit('no such board')\n"
        (package / "__main__.py").write_text(write + scored, "utf-8")
    pinned = hosted.programs / "pinned"
    pinned.write_text(f'#!/bin/sh\nPYTHONPATH={checkout / "pinned"} exec python -m memgauge "$@"\n', "utf-8")
    pinned.chmod(0o755)
    monkeypatch.setenv("PINNED", str(pinned))
    for name in ("gh.said", "gh.body"):
        (hosted.programs / name).unlink(missing_ok=True)
    build = hosted.scheduled("nightly", checkout, {})
    assert build.code == (0 if newest == "0.5" else 1), build.printed
    posted = hosted.programs / "gh.body"
    assert (posted.read_text("utf-8") if posted.exists() else "").count("0.6") == (newest == "0.6")
    assert posted.exists() == (newest != "0.5")
