"""A model's word on what was returned bears of what it is said to descend from."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from memgauge.datasets.catalogue import open_dataset
from memgauge.errors import RunError
from memgauge.llm.judges.panel import Judge, Panel
from memgauge.llm.messages import Finish
from memgauge.llm.scripted import Scripted, scripted_reply
from memgauge.runs.layers.layer import load_layer
from memgauge.runs.layers.witnessing import KIND, model_witness, witness_layer, witness_pairs
from memgauge.runs.play.execute import execute
from memgauge.runs.play.executors import Inline
from memgauge.runs.play.plan import plan
from memgauge.runs.record.store import load

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.llm.messages import Reply, Request
    from memgauge.runs.record.store import Run

TINY = open_dataset("synthetic:tiny")
TURNS = {
    (case.conversation.id, turn.id): turn
    for case in TINY.cases()
    for session in case.conversation.sessions
    for turn in session.turns
}


def played(tmp_path: Path, system: str) -> Run:
    """Run a system on the tiny world."""
    (folder,) = execute(plan(["synthetic:tiny"], [system]), tmp_path, executor=Inline(), check=False)
    return load(folder)


def part(request: Request, name: str) -> str:
    """Cut one fenced part out of a prompt."""
    fenced = re.search(rf"<{name}-(\w+)>\n(.*?)\n</{name}-\1>", request.messages[1].text, re.DOTALL)
    assert fenced is not None
    return fenced[2]


def repeats(request: Request) -> str:
    """Say that a memory bears a turn that it repeats."""
    return "BEARS" if part(request, "memory") in part(request, "turn") else "LACKS"


def panel(*scripts: Scripted) -> Panel:
    """Make a panel of scripted models."""
    return Panel(tuple(map(Judge, scripts)))


def test_what_is_the_turn_itself_needs_no_model(tmp_path: Path) -> None:
    """Turns that are returned word for word are borne, and nobody is asked."""
    run = played(tmp_path, "bm25")
    layer = witness_layer(run, TINY, panel(Scripted([], name="nobody")))
    assert {row["rule"] for row in layer.rows()} == {"word for word"}
    assert set(model_witness(run).values()) == {True}
    assert load_layer(layer.folder).hash == layer.hash


def test_a_memory_that_claims_what_it_does_not_hold_is_not_borne_out(tmp_path: Path) -> None:
    """A session's first turn stands for all its turns: only that one is borne, whatever was claimed."""
    run = played(tmp_path, "crafted:session")
    layer = witness_layer(run, TINY, panel(Scripted(repeats, name="m")), workers=2)
    said = model_witness(run)
    assert set(said.values()) == {True, False}
    rows = layer.rows()
    assert len({row["key"] for row in rows}) == len(rows) == len(said)
    evidence = {turn for gold in TINY.gold() for turn in gold.anchors()}
    assert {turn for _, turn in said} <= evidence
    for row in rows:
        assert row["borne"] == float(said[row["memory"], row["turn"]] or 0)
    silent = panel(Scripted([], name="m"))
    assert witness_layer(run, TINY, silent).hash == layer.hash


def test_only_pairs_that_can_earn_anything_are_asked_about(tmp_path: Path) -> None:
    """Every pair was returned for a question whose evidence the turn is, and claimed."""
    run = played(tmp_path, "crafted:session")
    evidence = {gold.question: set(gold.anchors()) for gold in TINY.gold()}
    claims = {
        (hit["memory_row"], turn)
        for question, hits in run.hits_of(list(evidence), run.manifest.limits.k).items()
        for hit in hits
        for turn in hit["sources"]
        if turn in evidence[question]
    }
    assert {(pair.memory, pair.turn) for pair in witness_pairs(run, TINY)} == claims
    assert claims


def test_what_nobody_decided_is_neither_borne_nor_not(tmp_path: Path) -> None:
    """A tie, prose and a cut reply leave the pair open, and it earns nothing."""
    run = played(tmp_path, "crafted:session")

    def cut(request: Request) -> Reply:
        return scripted_reply(request, "BEARS", finish=Finish.LENGTH)

    layer = witness_layer(run, TINY, panel(Scripted(cut, name="short")))
    asked = [row for row in layer.rows() if not row["rule"]]
    assert {(row["grade"], row["borne"]) for row in asked} == {("cut off", 0.0)}
    said = model_witness(run)
    assert all(said[row["memory"], row["turn"]] is None for row in asked)


def test_without_a_layer_the_command_is_named(tmp_path: Path) -> None:
    """Nothing is guessed where no model was asked."""
    run = played(tmp_path, "bm25")
    with pytest.raises(RunError, match=re.escape(f"memgauge models witness {run.folder} --panel")):
        model_witness(run)


def test_a_model_sees_the_turn_in_its_dialogue_and_no_system(tmp_path: Path) -> None:
    """What was said just before stands beside the turn; nothing names the memory under test."""
    run = played(tmp_path, "crafted:session")
    model = Scripted(repeats, name="m")
    witness_layer(run, TINY, panel(model))
    assert model.asked
    for request in model.asked:
        assert part(request, "before")
        assert "crafted" not in json.dumps([message.text for message in request.messages])
    assert KIND == "witness"
