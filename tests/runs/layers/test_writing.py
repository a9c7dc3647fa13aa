"""What a run stored, beside what it should have."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.datasets.catalogue import open_dataset
from memgauge.errors import ConfigError
from memgauge.llm.judges.panel import Judge, Panel
from memgauge.llm.scripted import Scripted
from memgauge.report.memories import writes_document
from memgauge.runs.layers.writing import judge_writes, written
from memgauge.runs.play.execute import execute
from memgauge.runs.play.executors import Inline
from memgauge.runs.play.plan import plan
from memgauge.runs.record.store import load
from memgauge.scoring.verify import passed, verify
from memgauge.scoring.written import written_entry

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.datasets.base import Dataset
    from memgauge.llm.messages import Request
    from memgauge.runs.record.store import Run

AT = "Jan {:02d}, 2026, 10:00:00"


def point(text: str, source: str = "primary", *before: str) -> dict[str, Any]:
    """Spell one memory point."""
    return {
        "memory_content": text,
        "memory_type": "Event Memory",
        "memory_source": source,
        "is_update": str(bool(before)),
        "original_memories": list(before),
        "timestamp": AT.format(1),
        "importance": 0.75,
    }


def session(day: int, text: str, *points: dict[str, Any]) -> dict[str, Any]:
    """Spell one session of one turn."""
    said = {"role": "user", "content": text, "timestamp": AT.format(day)}
    asked = {"question": "Which pet?", "answer": "a cat", "evidence": [], "question_type": "Basic Fact Recall"}
    return {
        "start_time": AT.format(day),
        "end_time": AT.format(day),
        "dialogue": [said],
        "memory_points": list(points),
        "questions": [asked],
    }


@pytest.fixture
def world(tmp_path: Path) -> Dataset:
    """Write a user who adopts a cat, and then lives elsewhere than before."""
    sessions = [
        session(
            1, "I adopted a grey cat.", point("Ada adopted a cat"), point("Ada adopted a dog", "interference")
        ),
        session(2, "I moved to Porto.", point("Ada lives in Porto", "primary", "Ada lives in Rome")),
    ]
    path = tmp_path / "halumem.jsonl"
    path.write_text(
        json.dumps({"uuid": "u1", "persona_info": "Name: Ada; Gender: f", "sessions": sessions}) + "\n"
    )
    return open_dataset(f"halumem:{path}", allow_unpinned=True)


def made(world: Dataset, tmp_path: Path, system: str = "bm25") -> Run:
    """Run a system on it."""
    (folder,) = execute(
        plan([world.identity.ref], [system], allow_unpinned=True), tmp_path / "out", executor=Inline(), check=False
    )
    return load(folder)


def reads(request: Request) -> str:
    """Say whether the memories share a word with what is asked about."""
    text = request.messages[1].text.lower()
    if "<now-" in text:
        return "CORRECT" if "moved to porto" in text else "OMISSION"
    if "<dialogue-" in text:
        return "TRUE"
    return "WHOLE" if "cat" in text.split("</point-")[0] else "ABSENT"


def test_points_memories_and_updates_are_judged(world: Dataset, tmp_path: Path) -> None:
    """One point of two is whole, every turn is true, the trap was not stored, the update was."""
    run = made(world, tmp_path)
    panel = Panel((Judge(Scripted(reads, name="m")),))
    layer = judge_writes(run, world, panel, workers=2)
    entry = written_entry(run, layer)
    assert entry.counts == {"point": 2, "trap": 1, "memory": 2, "update": 1}
    assert (entry.integrity, entry.weighted, entry.accuracy, entry.resistance) == (0.5, 0.5, 1.0, 1.0)
    assert entry.f1 == pytest.approx(2 / 3)
    assert entry.updates["correct"] == entry.updates_as_published["correct"] == 1
    assert entry.open == 0
    (table,) = writes_document([entry]).tables
    assert [cell.text for cell in table.rows[0]][1:6] == ["0.500", "0.500", "1.000", "0.667", "1.000"]
    assert passed(verify(run.folder))
    silent = Panel((Judge(Scripted([], name="m")),))
    assert judge_writes(run, world, silent).hash == layer.hash


def test_a_memory_that_keeps_nothing_is_not_asked_about(
    world: Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its points are absent without any call, its update is an omission, and it resists nothing."""
    run = made(world, tmp_path)
    bare = load(run.folder)
    monkeypatch.setattr(type(bare), "stored_texts", lambda _: [])
    asked = list(written(bare, world))
    assert {one.what for one in asked} == {"point", "trap", "update"}
    assert all(one.returned == 0 for one in asked)
    panel = Panel((Judge(Scripted([], name="nobody")),))
    entry = written_entry(bare, judge_writes(bare, world, panel))
    assert (entry.integrity, entry.accuracy, entry.f1, entry.resistance) == (0.0, None, None, None)
    assert entry.updates["omission"] == 1
    assert entry.updates_as_published["omission"] is None


def test_points_that_nobody_decided_are_counted(world: Dataset, tmp_path: Path) -> None:
    """A judge that says nothing readable leaves everything open."""
    run = made(world, tmp_path)
    entry = written_entry(run, judge_writes(run, world, Panel((Judge(Scripted(lambda _: "hm", name="m")),))))
    assert (entry.integrity, entry.open) == (None, 6)


def test_other_datasets_do_not_say_what_should_be_stored(tmp_path: Path) -> None:
    """Which is refused with the one that does."""
    (folder,) = execute(plan(["synthetic:tiny"], ["bm25"]), tmp_path, executor=Inline(), check=False)
    with pytest.raises(ConfigError, match="does not say what should be stored"):
        list(written(load(folder), open_dataset("synthetic:tiny")))
