"""The pipeline, from a seed to a checked instance."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from memgauge.errors import ConfigError, DataNotFoundError, MalformedDataError
from memgauge.studies.track.curation import bench
from memgauge.studies.track.curation.candidates import branch_of, candidates, choose
from memgauge.studies.track.curation.dump import read_dump
from memgauge.studies.track.curation.record import read_record
from memgauge.studies.track.curation.seed import Approach, IssueOrigin, Seed, write_seed
from memgauge.studies.track.curation.solve import Playing
from memgauge.studies.track.git.repository import import_cut
from support.track.curation import TASK, git, put_shipped

if TYPE_CHECKING:
    from pathlib import Path


def bottom_up(folder: Path, clone: Path, dump: Path) -> Path:
    """Write the seed of the issue that can be used."""
    chosen = choose(candidates(clone, read_dump(dump)))
    assert chosen.change is not None
    origin = IssueOrigin(
        repository="slugs", branch=branch_of(clone), clone=str(clone), issue=chosen.issue, change=chosen.change
    )
    write_seed(folder, Seed(name="slugs-1", approach=Approach.BOTTOM_UP, origin=origin))
    return folder


def test_from_an_issue_to_a_checked_instance(tmp_path: Path, cloned: tuple[Path, Path, dict[str, str]]) -> None:
    """Drafted, misled and checked by rules: solvable, not guessable, with every step on record."""
    folder = bottom_up(tmp_path / "slugs-1", *cloned[:2])
    bench.draft(folder)
    bench.distract(folder, 18, 1)
    work = bench.check(folder, Playing(sandbox="off"))
    assert work.record.checked is not None
    assert [one.code for one in work.record.checked.findings] == []
    assert [(one.agent, one.score) for one in work.record.checked.solved][:2] == [("oracle", 1), ("random", 0)]
    assert [(step.kind, step.by, step.seed) for step in work.record.steps] == [
        ("draft", "rules-1", None), ("distract", "rules-1", 1),
    ]  # fmt: skip
    assert read_record(folder) == work.record
    guide = (folder / "guide.md").read_text("utf-8")
    assert "## q1: " in guide
    assert "counterfactual, superseded by" in guide


def test_the_code_base_ends_before_the_change(tmp_path: Path, cloned: tuple[Path, Path, dict[str, str]]) -> None:
    """The bundle beside the timeline has the parent of the change, and nothing that came later."""
    clone, dump, commits = cloned
    folder = bottom_up(tmp_path / "slugs-1", clone, dump)
    timeline = bench.draft(folder).timeline
    assert timeline.repository is not None
    cached, sha = import_cut(folder / timeline.repository.path, timeline.repository.commit)
    assert sha == commits["base"]
    assert git(cached, "show", f"{sha}:slugs/cut.py") == "LIMIT = 20\n"
    known = git(cached, "rev-list", "--all").split()
    assert known == [commits["base"]]


def test_the_same_seed_makes_the_same_instance(tmp_path: Path, cloned: tuple[Path, Path, dict[str, str]]) -> None:
    """Rules have no clock and no dice of their own."""
    made = []
    for name in ("one", "two"):
        folder = bottom_up(tmp_path / name, *cloned[:2])
        bench.draft(folder)
        bench.distract(folder, 5, 7)
        made.append((folder / "timeline.json").read_bytes())
    assert made[0] == made[1]


def test_a_draft_is_not_drafted_over(tmp_path: Path) -> None:
    """What is there is changed, or removed by whoever made it."""
    write_seed(tmp_path, Seed(name="one", approach=Approach.TOP_DOWN, task=TASK))
    work = bench.draft(tmp_path)
    assert (work.record.approach, work.record.steps[0].told) == (Approach.TOP_DOWN, TASK)
    with pytest.raises(ConfigError, match="is there already"):
        bench.draft(tmp_path)
    found = bench.check(tmp_path, Playing(sandbox="off")).record.checked
    assert found is not None
    assert found.solved == ()
    assert {"no-questions", "hops"} <= {one.code for one in found.findings}


def test_an_instance_written_by_hand_needs_no_seed(tmp_path: Path) -> None:
    """The first step sees it as an edit; a second look sees nothing new."""
    folder = put_shipped(tmp_path / "one", signed=False)
    work = bench.open_work(folder)
    assert [(step.kind, step.by) for step in work.record.steps] == [("edit", "by hand")]
    assert work.record.approach is Approach.TOP_DOWN
    bench.check(folder, Playing(sandbox="off"))
    assert len(bench.open_work(folder).record.steps) == 1


def test_a_step_undoes_a_sign_off(tmp_path: Path) -> None:
    """Whoever signed did not sign what came later."""
    folder = put_shipped(tmp_path / "one")
    work = bench.distract(folder, 1)
    assert not (folder / "signoff.json").exists()
    assert work.record.checked is None


def test_what_is_removed_loses_its_role(tmp_path: Path) -> None:
    """Marks of events that are gone go with them."""
    folder = put_shipped(tmp_path / "one")
    data = json.loads((folder / "timeline.json").read_text("utf-8"))
    data["events"] = [event for event in data["events"] if event["id"] != "e05"]
    (folder / "timeline.json").write_text(json.dumps(data), encoding="utf-8")
    record = bench.open_work(folder).record
    assert record.steps[-1].removed == ("e05",)
    assert "e05" not in record.roles


def test_what_is_missing_is_named(tmp_path: Path, cloned: tuple[Path, Path, dict[str, str]]) -> None:
    """No timeline, a clone that is gone, a record that cannot be read."""
    with pytest.raises(DataNotFoundError, match="curate draft"):
        bench.open_work(tmp_path)
    folder = bottom_up(tmp_path / "gone", *cloned[:2])
    told = (folder / "seed.json").read_text("utf-8").replace(str(cloned[0]), str(tmp_path / "nowhere"))
    (folder / "seed.json").write_text(told, encoding="utf-8")
    with pytest.raises(DataNotFoundError, match="not there any more"):
        bench.draft(folder)
    broken = put_shipped(tmp_path / "broken")
    (broken / "curation.json").write_text('{"name": "one"}', encoding="utf-8")
    with pytest.raises(MalformedDataError, match=r"curation\.json, line 1: \$\.approach"):
        bench.open_work(broken)
