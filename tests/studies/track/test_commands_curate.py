"""`memgauge study track curate`."""

from __future__ import annotations

import json
from datetime import date
from typing import TYPE_CHECKING

import pytest

from memgauge.llm.access import Access
from memgauge.llm.scripted import Scripted
from memgauge.studies.track.curation import bench
from memgauge.studies.track.curation.solve import Playing
from support.track.curation import TASK, drafted, make_clone, put_shipped, write_dump

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support.cli import Said

MODEL = "openai:made-up"
OFF = ("--sandbox", "off")


@pytest.fixture(scope="module")
def cloned(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Return a clone and a dump of its issues."""
    folder = tmp_path_factory.mktemp("cloned")
    commits = make_clone(folder / "slugs")
    return folder / "slugs", write_dump(folder / "dump.json", commits)


@pytest.fixture
def task(tmp_path: Path) -> Path:
    """Write a task."""
    path = tmp_path / "task.md"
    path.write_text(TASK, encoding="utf-8")
    return path


@pytest.mark.parametrize("command", ["", "seed", "draft", "distract", "check", "sign"])
def test_every_command_explains_itself(memgauge: Callable[..., Said], command: str) -> None:
    """Help fits the terminal and says what is done."""
    said = memgauge("study", "track", "curate", *([command] if command else []), "--help")
    assert said.code == 0
    assert "Usage: memgauge study track curate" in said.out


def test_bottom_up_from_the_list_to_the_signature(
    memgauge: Callable[..., Said], tmp_path: Path, cloned: tuple[Path, Path]
) -> None:
    """Five commands; the last one leaves a file that says who stands for what."""
    folder, where = tmp_path / "slugs-1", ("--clone", cloned[0], "--issues", cloned[1])
    listed = memgauge("study", "track", "curate", "seed", folder, *where, "--list")
    assert "1 of 7 closed issues can be used." in listed.out
    rows = memgauge("study", "track", "curate", "seed", folder, *where, "--list", "--json").data
    assert (rows[0]["issue"], rows[0]["pull"], rows[0]["files"]) == (1, 11, ["old.txt", "slugs/cut.py"])
    assert all(row["why_not"] for row in rows[1:])
    seeded = " ".join(memgauge("study", "track", "curate", "seed", folder, *where).out.split())
    assert "bottom-up, from issue #1 and PR #11" in seeded
    said = memgauge("study", "track", "curate", "draft", folder)
    assert "draft by rules-1: 13 added" in said.out
    assert "10 events, 3 questions" in said.out
    told = memgauge("study", "track", "curate", "distract", folder, "--count", "18", "--json").data
    assert (told["step"]["kind"], told["step"]["seed"]) == ("distract", 0)
    checked = memgauge("study", "track", "curate", "check", folder, *OFF)
    assert (checked.code, "0 errors, 0 warnings; filtered by search." in checked.out) == (0, True)
    signed = memgauge("study", "track", "curate", "sign", folder, "--by", "Ada", "--comment", "Read.")
    assert "Ada stands for slugs-1" in " ".join(signed.out.split())
    kept = json.loads((folder / "signoff.json").read_text("utf-8"))
    assert (kept["on"], kept["note"]) == (date.today().isoformat(), "Read.")  # noqa: DTZ011 - as the command does


def test_hybrid_from_an_issue_and_a_wish(
    memgauge: Callable[..., Said], tmp_path: Path, task: Path, cloned: tuple[Path, Path]
) -> None:
    """An issue with a task is hybrid from the start."""
    where = ("--clone", cloned[0], "--issues", cloned[1], "--task", task, "--issue", "1", "--json")
    made = memgauge("study", "track", "curate", "seed", tmp_path / "one", *where).data
    assert (made["approach"], made["origin"]["branch"]) == ("hybrid", "trunk")


def test_top_down_by_a_model_replays_offline(memgauge: Callable[..., Said], tmp_path: Path, task: Path) -> None:
    """With the record of what a model said, every step is made again without key and network."""
    folder, cassette = tmp_path / "one", tmp_path / "replies.sqlite"
    by = ("--model", MODEL, "--cassette", cassette)
    assert "top-down, from a task" in memgauge("study", "track", "curate", "seed", folder, "--task", task).out
    planned = memgauge("study", "track", "curate", "draft", folder, *by, "--plan")
    assert planned.out.startswith("1 calls (0 more are in the record)")
    bench.draft(folder, Access(Scripted([drafted()], name=MODEL), cassette=cassette))
    (folder / "timeline.json").unlink()
    said = memgauge("study", "track", "curate", "draft", folder, *by, "--mode", "replay", "--json").data
    assert said["step"]["by"].startswith(f"{MODEL}, track-draft-1 (")
    assert (
        "1 calls"
        in memgauge("study", "track", "curate", "draft", folder, "--revise", "Shorter.", *by, "--plan").out
    )
    bench.revise(folder, "Shorter.", Access(Scripted([drafted()], name=MODEL), cassette=cassette))
    again = memgauge("study", "track", "curate", "draft", folder, "--revise", "Shorter.", *by, "--mode", "replay")
    assert (again.code, again.out.startswith(f"revise by {MODEL}, track-revise-1 (")) == (0, True)
    other = memgauge("study", "track", "curate", "draft", folder, "--revise", "Longer.", *by, "--mode", "replay")
    assert (other.code, "Traceback" in other.err) == (1, False)


def test_a_model_can_filter_and_is_named(memgauge: Callable[..., Said], tmp_path: Path) -> None:
    """Whoever filtered is on record, with a warning; what it solves is too easy for it."""
    folder, cassette = put_shipped(tmp_path / "one"), tmp_path / "replies.sqlite"
    right = ["POOL_LIMIT", "40, 48", "212", "wen, 2025-03-28"]
    access = Access(Scripted(right, name=MODEL), cassette=cassette)
    bench.check(folder, Playing(MODEL, access, sandbox="off"))
    asked = ("--model", MODEL, "--cassette", cassette, "--mode", "replay", *OFF)
    said = memgauge("study", "track", "curate", "check", folder, *asked)
    assert said.code == 1
    assert "too-easy" in said.out
    assert f"filtered by {MODEL}; scores of {MODEL} on it are biased." in said.out
    assert memgauge("study", "track", "curate", "check", folder, *asked, "--json").data["filtered_by"] == MODEL
    assert memgauge("study", "track", "curate", "check", folder, *OFF, "--json").code == 0


def test_distraction_by_a_model_is_planned_first(memgauge: Callable[..., Said], tmp_path: Path) -> None:
    """Its price can be asked for, and what it cannot do is no traceback."""
    folder, cassette = put_shipped(tmp_path / "one"), tmp_path / "replies.sqlite"
    by = ("--model", MODEL, "--cassette", cassette)
    assert "1 calls" in memgauge("study", "track", "curate", "distract", folder, *by, "--plan").out
    said = memgauge("study", "track", "curate", "distract", folder, "--count", "1")
    assert said.out.startswith("distract by rules-1: 2 added, 0 changed, 0 removed.")
    assert "34 events, 4 questions" in said.out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("seed", "X"), "Give --task FILE, or --clone DIR and --issues FILE"),
        (("seed", "X", "--clone", "."), "Give --task FILE"),
        (("draft", "X", "--revise", "shorter"), "A wish in words needs a model"),
        (("draft", "X"), "curate seed"),
        (("distract", "X", "--count", "0"), "Give a whole number from 1"),
        (("check", "X"), "curate draft"),
        (("check", "X", "--plan"), "not known before it plays"),
        (("sign", "X", "--by", "Ada", "--on", "soon"), "Write it as YYYY-MM-DD"),
    ],
)
def test_mistakes_are_told_with_a_remedy(
    memgauge: Callable[..., Said],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    said: str,
) -> None:
    """Wrong use exits with 2 and says what to do."""
    monkeypatch.chdir(tmp_path)
    told = memgauge("study", "track", "curate", *arguments)
    assert told.code == 2
    assert said in " ".join(told.err.split())
