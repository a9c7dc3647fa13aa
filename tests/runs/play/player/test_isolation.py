"""A memory that searches its whole process and machine for the gold does not find it, and would where it is."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING
from uuid import uuid4

import pytest

from memgauge.runs.play.execute import execute
from memgauge.runs.play.executors import executor
from memgauge.runs.play.plan import plan
from memgauge.runs.play.player import troupe
from memgauge.runs.record.manifest import Limits
from memgauge.runs.record.store import load
from support.own import pin
from support.thief import START

if TYPE_CHECKING:
    from pathlib import Path

walled = pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed here")


def treasure(folder: Path) -> tuple[str, str]:
    """Write a folder of data with an answer that stands nowhere else, and return its reference and the answer."""
    folder.mkdir()
    gold = f"treasure-{uuid4().hex}"
    turns = [
        {"conversation": "c", "session": "s", "id": f"t{n}", "speaker": "Ada", "text": f"Note {n}."}
        for n in range(4)
    ]
    asked = [
        {"id": f"q{n}", "conversation": "c", "text": "Which note?", "answers": [gold], "evidence": ["t1"]}
        for n in range(2)
    ]
    for name, entries in (("turns", turns), ("questions", asked)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(entry) + "\n" for entry in entries), "utf-8")
    pin(folder)
    return f"own:{folder}", gold


def stolen(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> tuple[dict[str, str], Path]:
    """Let the thief play, and return the gold that it found, by where, and the run."""
    ref, gold = treasure(tmp_path / "data")
    monkeypatch.setenv(START, str(tmp_path))
    monkeypatch.setenv("OPENAI_API_KEY", gold)
    dataset = plan([ref], ["support.thief:Thief"])
    held = {question.question: question.answers for question in next(iter(dataset.datasets.values())).gold()}
    (folder,) = execute(dataset, tmp_path / "runs", executor=executor(name), check=False)
    assert set(held.values()) == {(gold,)}  # and so it is in this process while the thief looks for it
    loot = load(folder).hits_of(["q0", "q1"], 60)
    hits = [hit for found in loot.values() for hit in found if hit["text"] == gold]  # others hide theirs beside it
    return {hit["memory"].partition("-")[0]: hit["text"] for hit in hits}, folder


def test_the_thief_finds_gold_where_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the harness's process it has the gold from live objects and from the disk, and the run says so."""
    found, folder = stolen(tmp_path, "inline", monkeypatch)
    assert {"objects", "disk"} <= found.keys()
    isolation = load(folder).manifest.isolation
    assert (isolation.process, isolation.whole) == ("harness", False)
    assert "in the harness's process" in isolation.sentence


@walled
@pytest.mark.parametrize("name", ["processes:1", "processes:2"])
def test_the_thief_finds_nothing_in_a_player(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """No live object, open file, process or file within reach of a player holds the gold, and the run says so."""
    found, folder = stolen(tmp_path, name, monkeypatch)
    assert found == {}
    isolation = load(folder).manifest.isolation
    assert isolation.whole
    assert (isolation.means, isolation.keys) == ("bubblewrap", True)


def test_a_plain_process_holds_no_gold_and_says_what_it_could_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where nothing else works the gold is in no live object and no open file; the run does not claim more."""
    monkeypatch.setattr(troupe, "bubblewrap", lambda _: [])
    found, folder = stolen(tmp_path, "processes:1", monkeypatch)
    assert not found.keys() & {"objects", "files"}
    assert "disk" in found
    isolation = load(folder).manifest.isolation
    assert (isolation.process, isolation.means, isolation.files, isolation.whole) == ("own", "", False, False)
    assert "within its reach: datasets and runs" in isolation.sentence


@walled
def test_children_make_no_world_and_change_nothing_installed(tmp_path: Path) -> None:
    """A process that a memory starts finds no module that makes worlds, nor can it write beside the package."""
    (folder,) = execute(plan(["synthetic:tiny"], ["support.systems:Parent"], limits=Limits(retries=0)), tmp_path)
    reasons = load(folder).questions["reason"].tolist()
    assert all("child 1, read-only" in reason for reason in reasons)


@walled
def test_children_do_not_write_into_the_process_that_plays(tmp_path: Path) -> None:
    """A program that a memory starts has no right to the memory of its player, also where all of it is root's."""
    (folder,) = execute(plan(["synthetic:tiny"], ["support.systems:Meddler"], limits=Limits(retries=0)), tmp_path)
    reasons = load(folder).questions["reason"].tolist()
    assert all("child 1, memory as it was" in reason for reason in reasons)
