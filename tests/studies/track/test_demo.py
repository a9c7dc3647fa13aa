"""The instances that come with the package."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from memgauge.studies.track.curation.record import read_record
from memgauge.studies.track.curation.review import HOPS, review, switches
from memgauge.studies.track.curation.signoff import SIGNOFF, Signoff
from memgauge.studies.track.curation.solve import Playing, solve
from memgauge.studies.track.git.host import GitHost
from memgauge.studies.track.git.service import GitService
from memgauge.studies.track.play.plan import digest
from memgauge.studies.track.timeline.files import read_model
from memgauge.studies.track.timeline.lint import lint_together
from memgauge.studies.track.timeline.models import Commit, EvidenceSource, Timeline
from memgauge.studies.track.timeline.opening import demo_folder, find_instances, open_instance

if TYPE_CHECKING:
    from pathlib import Path

NAMES = ["cron-farewell", "double-count", "lantern-release", "new-starter", "slow-checkout", "token-in-logs"]


@pytest.fixture(params=NAMES)
def folder(request: pytest.FixtureRequest) -> Path:
    """Return the folder of one of them."""
    return demo_folder() / str(request.param)


@pytest.fixture
def timeline(folder: Path) -> Timeline:
    """Read it."""
    return open_instance(folder / "timeline.json")


def test_demo_names_all_six() -> None:
    """`demo` is all of them, none shares a history with another, and each answers to its name."""
    found = find_instances(["demo"])
    assert [path.parent.name for path in found] == NAMES
    assert lint_together([open_instance(path) for path in found]) == ()
    assert find_instances(["slow-checkout"]) == (found[4],)


def test_they_are_what_the_document_demands(folder: Path, timeline: Timeline) -> None:
    """25 to 45 events, three platforms, a question of five hops over all of them, follow-ups; nothing to find."""
    record = read_record(folder)
    assert record is not None
    assert review(timeline, record.roles, folder) == ()
    assert timeline.name == folder.name
    assert 25 <= len(timeline.events) <= 45
    assert len({event.platform for event in timeline.events}) == 3
    hard = timeline.questions[0]
    assert (hard.hops or 0) >= HOPS
    assert switches(hard, timeline) >= 3
    assert 3 <= len(timeline.questions) <= 5
    assert all(question.guide and question.evidence and question.hops for question in timeline.questions)
    kinds = Counter(role.kind for role in record.roles.values())
    assert kinds["distractor"] >= 4
    assert kinds["counterfactual"] >= 3


def test_they_are_solved_by_the_oracle_and_not_by_chance(folder: Path, timeline: Timeline) -> None:
    """With every answer known all is right; at random nothing is; a search for words finds a little."""
    found = {one.agent: one.score for one in solve(timeline, folder, Playing(sandbox="off"))}
    assert (found["oracle"], found["random"]) == (1, 0)
    assert 0 < found["search"] < 1


def test_they_are_signed_as_they_are(folder: Path, timeline: Timeline) -> None:
    """Sign-off and record are about these bytes, and say what the solve-check says."""
    signed, record = read_model(folder / SIGNOFF, Signoff), read_record(folder)
    assert record is not None
    assert record.checked is not None
    assert signed.digest == digest(timeline)
    assert record.checked.digest == signed.digest
    assert record.checked.findings == ()
    assert signed.scores == {one.agent: one.score for one in record.checked.solved}


def test_their_repositories_are_made_of_commits(
    folder: Path, timeline: Timeline, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every Git event brings files, twice to the same hashes, and some question is about the code."""
    monkeypatch.setattr(GitHost, "__init__", lambda *_: None)
    monkeypatch.setattr(GitHost, "publish", lambda _: None)
    monkeypatch.setattr(GitHost, "close", lambda _: None)
    hashes = []
    for turn in ("one", "two"):
        (tmp_path / turn).mkdir()
        with GitService(timeline, tmp_path / turn, tmp_path / f"{turn}.sock", beside=folder) as git:
            hashes.append([one.sha for one in git.advance(timeline.events[-1].at)])
    commits = [event.payload for event in timeline.events if isinstance(event.payload, Commit)]
    assert hashes[0] == hashes[1]
    assert len(hashes[0]) == len(commits) >= 4
    assert all(commit.files for commit in commits)
    assert any(question.source is EvidenceSource.REPOSITORY for question in timeline.questions)
