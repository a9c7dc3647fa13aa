"""The measures of the third document over frozen runs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.datasets.catalogue import open_dataset
from memgauge.measures.facts import (
    ANOTHER_TIME,
    NO_ANSWER,
    NO_FACTS,
    NO_VERSIONS,
    NOT_A_SET,
    ONE_VERSION,
)
from memgauge.runs.play.execute import execute
from memgauge.runs.play.executors import Inline
from memgauge.runs.play.plan import plan
from memgauge.runs.record.store import load
from memgauge.scoring.gold import GoldTable
from memgauge.scoring.quality import by_part, quality_columns
from memgauge.scoring.voiced import Truth
from support.handmade import planned, two_questions
from support.own import pin

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.datasets.base import Dataset
    from memgauge.runs.record.store import Run
    from memgauge.scoring.score import MeasureColumn

SAID = {
    "s01:t01": "I live in Porto.",
    "s01:t02": "I read 'Dune'.",
    "s02:t01": "I moved to Braga.",
    "s02:t02": "I read 'Emma'.",
    "s03:t01": "Nice weather.",
}
FACTS = [
    ("f1", "home city", "Porto", True, "2026-01-01T10:00:00", "2026-01-02T10:00:00", ["s01:t01"]),
    ("f2", "home city", "Braga", True, "2026-01-02T10:00:00", None, ["s02:t01"]),
    ("f3", "novels", "Dune", False, "2026-01-01T10:00:00", None, ["s01:t02"]),
    ("f4", "novels", "Emma", False, "2026-01-02T10:00:00", None, ["s02:t02"]),
]
ASKED: list[dict[str, Any]] = [
    {"id": "q1", "text": "Where do I live?", "answers": ["Braga"], "evidence": ["s02:t01"], "stale": ["s01:t01"]},
    {"id": "q2", "text": "Where did I live?", "answers": ["Porto"], "evidence": ["s01:t01"], "stale": ["s02:t01"]},
    {"id": "q3", "text": "What did I read?", "answers": ["Dune"], "evidence": ["s01:t02", "s02:t02"], "stale": []},
    {"id": "q4", "text": "What do I drive?", "abstain": True, "stale": []},
    {"id": "q5", "text": "How was the weather?", "answers": ["nice"], "evidence": ["s03:t01"]},
]


@pytest.fixture
def world(tmp_path: Path) -> Dataset:
    """Write one user who moves and reads."""
    folder = tmp_path / "own"
    folder.mkdir()
    turns = [
        {
            "conversation": "u1",
            "session": turn[:3],
            "id": turn,
            "speaker": "Ada",
            "at": f"2026-01-{turn[1:3]}T10:00:00",
            "text": text,
        }
        for turn, text in SAID.items()
    ]
    names = ("id", "slot", "value", "functional", "valid_from", "valid_to", "turns")
    truth = [{"conversation": "u1", **dict(zip(names, fact, strict=True))} for fact in FACTS]
    questions = [{"conversation": "u1", "asked_at": "2026-01-04T10:00:00", **one} for one in ASKED]
    for name, rows in (("turns", turns), ("truth", truth), ("questions", questions)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    pin(folder)
    return open_dataset(f"own:{folder}")


def made(world: Dataset, out: Path, system: str) -> Run:
    """Run one system."""
    (folder,) = execute(plan([world.identity.ref], [system]), out, executor=Inline(), check=False)
    return load(folder)


def columns(world: Dataset, run: Run) -> dict[str, MeasureColumn]:
    """Value everything."""
    return {one.name: one for one in quality_columns(run, GoldTable.read(world))}


def test_full_context_has_everything_and_contradicts_itself(world: Dataset, tmp_path: Path) -> None:
    """Oldest first: the old city comes before the new one, and both are there."""
    found = columns(world, made(world, tmp_path, "full"))
    assert found["Temporal(lenient)@5"].rows.values.tolist() == [0, 0, 0, 0, 0]
    assert found["Temporal(lenient)@5"].denominator.excluded == {
        ANOTHER_TIME: 1,
        ONE_VERSION: 1,
        NO_ANSWER: 1,
        NO_VERSIONS: 1,
    }
    assert found["Contaminated@5"].rows.values[0] == 1
    assert found["Contradiction@5"].rows.values.tolist() == [1, 1, 1, 1, 1]
    assert found["Unresolved@5"].rows.values[0] == 1
    assert found["SetF1@10"].rows.values[2] == 1
    assert found["SetF1@10"].denominator.excluded == {NOT_A_SET: 4}
    assert found["AsOf@5"].denominator.scored == 1
    assert found["AsOf@5"].rows.values[1] == 0


def test_a_memory_of_facts_resolves_what_it_knows(world: Dataset, tmp_path: Path) -> None:
    """The pipeline returns the new city alone, and the conflict in its store stays there."""
    found = columns(world, made(world, tmp_path, "pipeline:embedder=none"))
    assert found["Temporal(strict)@5"].rows.values[0] == 1
    assert found["Unresolved@5"].rows.values[0] == 0
    assert found["Contradiction@5"].rows.values[0] == 0


def test_silence_is_counted_where_it_is_right_and_where_it_is_wrong(world: Dataset, tmp_path: Path) -> None:
    """A memory that returns nothing is right about one question and wrong about four; it contradicts nothing."""
    found = columns(world, made(world, tmp_path, "none"))
    rightly, wrongly = found["SilentRightly"], found["SilentWrongly"]
    assert (rightly.denominator.scored, rightly.rows.values[3]) == (1, 1)
    assert (wrongly.denominator.scored, wrongly.rows.values.sum()) == (4, 4)
    assert found["Contradiction@5"].denominator.scored == 0
    assert found["StaleShare@5"].denominator.scored == 0


def test_without_facts_nothing_is_made_up(tmp_path: Path) -> None:
    """A dataset that names neither versions nor facts leaves these measures undefined, with the reason."""
    data = two_questions()
    (folder,) = execute(planned(data, "full"), tmp_path, executor=Inline(), check=False)
    found = {one.name: one for one in quality_columns(load(folder), GoldTable.read(data))}
    assert set(found["Contradiction@5"].denominator.excluded) == {NO_FACTS}
    assert set(found["Temporal(strict)@5"].denominator.excluded) <= {NO_VERSIONS, NO_ANSWER}
    assert found["Recall@10"].denominator.scored == 2


def test_failed_searches_are_no_results(world: Dataset, tmp_path: Path) -> None:
    """What raised is excluded everywhere, and never counts as silence."""
    found = columns(world, made(world, tmp_path, "faulty:raises"))
    assert all(column.denominator.scored == 0 for column in found.values())
    assert found["SilentWrongly"].denominator.excluded == {"error": 5}


def test_parts_are_cut_from_the_whole(world: Dataset, tmp_path: Path) -> None:
    """A part has the rows of its questions and a denominator of its own."""
    found = columns(world, made(world, tmp_path, "full"))
    parts = by_part([found["Recall@10"]], {"first": [0], "unanswerable": [3]})
    assert parts["first"][0].denominator.total == 1
    assert parts["unanswerable"][0].denominator.excluded == {"not scored": 1}


def test_a_chunk_says_the_versions_that_its_text_holds(world: Dataset) -> None:
    """A memory of several turns speaks for those whose value it still holds; without a text lineage decides."""
    truth = Truth.of(world)
    rewritten = {"sources": ["s01:t01", "s02:t01"], "text": "Lives in Braga now.", "valid_to": None}
    voiced = truth.voiced(rewritten, "u1", None)
    assert voiced.turns == {"s02:t01"}
    assert [fact.value for fact in voiced.facts] == ["Braga"]
    bare = truth.voiced({**rewritten, "text": None}, "u1", None)
    assert bare.turns == {"s01:t01", "s02:t01"}
