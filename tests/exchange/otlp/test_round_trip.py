"""A run leaves as spans and comes back as what it was."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from memgauge.datasets.catalogue import open_dataset
from memgauge.exchange.freeze import import_trace
from memgauge.exchange.otlp.evaluations import FILE, read_evaluations
from memgauge.exchange.otlp.exporting import START_NS, span_of, write_spans
from memgauge.exchange.otlp.importing import import_otlp
from memgauge.exchange.otlp.round_trip import round_trip_figures
from memgauge.exchange.traffic.freezing import freeze_traffic
from memgauge.measures import parse
from memgauge.records import Contract
from memgauge.runs.play.execute import execute
from memgauge.runs.play.executors import Inline
from memgauge.runs.play.plan import plan
from memgauge.runs.record.manifest import Limits
from memgauge.runs.record.store import load
from memgauge.scoring.align import align
from memgauge.scoring.gold import GoldTable
from memgauge.text.jsons import json_of
from support.otlp import KEPT, imported, line, memory, rows, span

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.runs.record.store import Run

TINY = open_dataset("synthetic:tiny")
GOLD = GoldTable.read(TINY)


@pytest.fixture(scope="module", params=["bm25:store=facts-5", "faulty"])
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Play a system on a small world: one that derives memories, one that fails."""
    folder = tmp_path_factory.mktemp("runs")
    planned = plan(["synthetic:tiny"], [request.param], limits=Limits(k=5))
    return load(execute(planned, folder, executor=Inline(), check=False)[0])


def test_a_run_that_left_and_came_back_is_the_same(run: Run) -> None:
    """Every question, every hit, every version, and no span is lost."""
    figures = round_trip_figures(run)
    assert figures.questions_equal == figures.questions > 0
    assert figures.versions_equal == figures.rows_equal == figures.rows
    assert figures.spans_lost == 0


def test_joined_to_its_dataset_it_has_the_same_scores(run: Run, tmp_path: Path) -> None:
    """Sources and forms travel with the records."""
    write_spans(run, tmp_path / "run.jsonl", {})
    folder, report = import_trace("otlp", tmp_path / "run.jsonl", TINY, tmp_path / "in", label="again")
    assert (report.missing, report.by_id, report.dropped) == (0, len(run.questions["question"]), {})
    ours, theirs = (align(each, GOLD, Contract(), 5).judged for each in (run, load(folder)))
    for name in ("nDCG@5", "Recall@5"):
        np.testing.assert_array_equal(parse(name).rows(ours).values, parse(name).rows(theirs).values)


def test_spans_say_what_was_measured_and_that_their_clock_is_invented(run: Run, tmp_path: Path) -> None:
    """Values of measures are events of the convention on the span that they are about."""
    question = str(run.questions["question"][0])
    number = write_spans(run, tmp_path / "run.jsonl", {question: {"nDCG@5": 0.5, "undefined": None}})
    requests = [json_of(text) for text in (tmp_path / "run.jsonl").read_text("utf-8").splitlines()]
    spans = [each for request in requests for each in request["resourceSpans"][0]["scopeSpans"][0]["spans"]]
    assert len(spans) == number
    events = [event for each in spans for event in each.get("events", ())]
    values = [{pair["key"]: pair["value"] for pair in event["attributes"]} for event in events]
    assert [event["name"] for event in events] == ["gen_ai.evaluation.result"] * 2
    assert values[0]["gen_ai.evaluation.score.value"] == {"doubleValue": 0.5}
    assert set(values[1]) == {"gen_ai.evaluation.name"}
    whose = {pair["key"] for pair in requests[0]["resourceSpans"][0]["resource"]["attributes"]}
    assert "memgauge.clock" in whose
    assert min(int(each["startTimeUnixNano"]) for each in spans) == START_NS


def test_evaluations_come_back_on_the_search_that_they_are_about(run: Run, tmp_path: Path) -> None:
    """By question, with their values and with us as their judge; what is undefined has no value."""
    question = str(run.questions["question"][0])
    write_spans(run, tmp_path / "run.jsonl", {question: {"nDCG@5": 0.25, "undefined": None}})
    traffic = import_otlp([tmp_path / "run.jsonl"], tmp_path / "traffic", KEPT)
    name = "/".join(span_of(str(run.questions["conversation"][0]), question))
    rows = [(span, said.judge, said.name, said.value) for span, said in read_evaluations(traffic.folder / FILE)]
    assert rows == [(name, "memgauge", "nDCG@5", 0.25), (name, "memgauge", "undefined", None)]


def test_traffic_that_left_and_came_back_has_the_same_operations(tmp_path: Path) -> None:
    """Updates, deletions, failures and lists that were not captured, under their own names."""
    old, new = {"id": "m", "content": "a"}, {"id": "m", "content": "b", "score": 0.25}
    values = [
        memory("create_memory", records=[old]),
        memory("search_memory", records=[old]),
        memory("update_memory", records=[new]),
        memory("search_memory", records=[new, old]),
        memory("delete_memory", **{"record.id": "m"}),
        memory("create_memory", records=[old]),
        memory("search_memory", records=[old]),
        memory("search_memory", **{"record.count": 2}),
        memory("search_memory") | {"error.type": "timeout"},
        memory("search_memory", **{"record.count": 0}),
        memory("delete_memory"),
    ]
    values = [each | {"user.id": "ada", "gen_ai.memory.store.id": "s"} for each in values]
    first = imported(tmp_path, [line(*(span(number, each) for number, each in enumerate(values, 1)))])
    run = load(freeze_traffic(first, tmp_path / "runs", "day").run)
    assert run.questions["outcome"].tolist() == ["ok", "ok", "ok", "excluded", "timeout", "empty"]
    figures = round_trip_figures(run)
    assert figures.questions_equal == figures.questions == 6
    assert figures.versions_equal == figures.rows == 4
    write_spans(run, tmp_path / "again.jsonl", {})
    second = import_otlp([tmp_path / "again.jsonl"], tmp_path / "again", KEPT)
    whole = [[(row["operation"], row["outcome"]) for row in rows(each)] for each in (first, second)]
    removed = [("delete", "ok"), ("wipe", "ok")]
    assert (
        [each for each in whole[0] if each in removed] == [each for each in whole[1] if each in removed] == removed
    )
