"""`memgauge runs why`: of runs, of traffic, and of what somebody expects who has no gold."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from memgauge.exchange.traffic.freezing import freeze_traffic
from memgauge.exchange.traffic.identity import TrafficIdentity, TrafficLedger
from memgauge.exchange.traffic.reading import Traffic
from memgauge.exchange.traffic.rows import TrafficKind, TrafficOperation, TrafficRecord
from memgauge.exchange.traffic.writer import TrafficWriter

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support.cli import Said

STALE = """
SELECT s.trace || '/' || s.span AS name, r.memory, last(w.trace || '/' || w.span ORDER BY w.ended_ns) AS newer
FROM {operations} s JOIN {records} r ON r.operation = s.row
JOIN {records} n ON n.memory = r.memory JOIN {operations} w ON w.row = n.operation
WHERE s.operation = 'search' AND w.operation IN ('add', 'update') AND w.ended_ns <= s.began_ns AND r.version > 0
GROUP BY s.row, s.trace, s.span, r.memory, r.version HAVING max(n.version) > r.version ORDER BY s.row LIMIT 3
"""
"""Returns of a version that was replaced before, each with the write that replaced it last."""
SHOES = TrafficRecord("m1", "h1", 26, "Ada wears shoes of size 42")
RAIN = TrafficRecord("m2", "h2", 23, "It rained on the shoes.", 0.4)


@pytest.fixture(scope="module")
def traffic(tmp_path_factory: pytest.TempPathFactory) -> Traffic:
    """Record two writes and a search of Ada, and a write of Bob."""
    folder = tmp_path_factory.mktemp("traffic") / "day"
    at = {"trace": "t", "store": "notes"}
    with TrafficWriter(folder) as writer:
        writer.add(TrafficOperation(TrafficKind.ADD, 1, 2, "ada", span="1", **at), [SHOES])  # type: ignore[arg-type]
        writer.add(TrafficOperation(TrafficKind.ADD, 3, 4, "ada", span="2", **at), [RAIN])  # type: ignore[arg-type]
        bobs = TrafficOperation(TrafficKind.ADD, 5, 6, "bob", span="3", **at)  # type: ignore[arg-type]
        writer.add(bobs, [TrafficRecord("m3", "h3", 4, "Hats")])
        search = {"span": "9", "asked": 1, "query": "shoes of which size?", **at}
        writer.add(TrafficOperation(TrafficKind.SEARCH, 8, 9, "ada", **search), [RAIN])  # type: ignore[arg-type]
        writer.close(TrafficIdentity(recorder="test", texts=True), TrafficLedger())
    return Traffic.read(folder)


def words(said: Said) -> str:
    """Return what was printed, in one line."""
    return " ".join(said.out.split())


def test_a_missed_question_is_told_whole(memgauge: Callable[..., Said], made: Path) -> None:
    """The cause is that of `failures`; what outranked it, what was stored, cuts and the deeper list follow."""
    run = next(made.glob("*-bm25-*"))
    (listed,) = memgauge("failures", run, "--limit", 1, "--json").data
    failure = listed["shown"][0]
    said = memgauge("runs", "why", run, failure["question"], "-s", "bm25", "--depth", 200, "--embedder", "hashed")
    assert f"Not injected: {failure['cause']}, {failure['detail']}." in words(said)
    for title in (
        "What outranked the evidence",
        "What was stored of it",
        "Where the list was cut",
        "Asked again of",
    ):
        assert title in words(said)
    data = memgauge("runs", "why", run, failure["question"], "--embedder", "none", "--json").data
    assert data["reason"]["turn"] == failure["turn"]
    assert [hit["rank"] for hit in data["above"]] == list(range(1, len(data["above"]) + 1))


def test_a_turn_or_a_memory_stands_for_what_was_expected(memgauge: Callable[..., Said], made: Path) -> None:
    """What came back first is injected; what never was has no write, and nothing is both."""
    run = next(made.glob("*-bm25-*"))
    asked = ("runs", "why", run, "u000000_q01", "--embedder", "none")
    first = memgauge(*asked, "--json").data["moment"]["hits"][0]
    assert f"Injected: {first['memory']} came back at rank 1." in words(
        memgauge(*asked, "--memory", first["memory"])
    )
    named = memgauge(*asked, "--turn", first["sources"][0], "--json").data
    assert (named["turns"], named["above"]) == (first["sources"][:1], [])
    said = words(memgauge(*asked, "--memory", "nobody"))
    assert "no write reported nobody, and nothing returned or listed it" in said
    assert "in one of the two ways" in memgauge(*asked, "--memory", "m", "--turn", "t").err


@pytest.mark.parametrize(
    ("question", "more", "told"),
    [
        ("u000000_q0", (), "Did you mean"),
        ("u000000_q01", ("--turn", "nobody"), "has no turn 'nobody'"),
        ("u000000_q01", ("-s", "nosuch"), "Unknown"),
        ("u000000_q01", ("--depth", 0), "Give a whole number from 1 to 10,000."),
    ],
)
def test_mistakes_are_named(
    memgauge: Callable[..., Said], made: Path, question: str, more: tuple[object, ...], told: str
) -> None:
    """A question, turn or system that does not exist, and a depth of nothing, are said in one sentence."""
    said = memgauge("runs", "why", next(made.glob("*-bm25-*")), question, *more, "--embedder", "none")
    assert said.code == 2
    assert told in " ".join(said.err.split())


def test_a_question_of_several_runs_needs_one(memgauge: Callable[..., Said], made: Path) -> None:
    """Three runs have it, and are named."""
    assert "3 runs have the question" in " ".join(memgauge("runs", "why", made, "u000000_q01").err.split())


def test_traffic_is_asked_for_what_was_expected(
    memgauge: Callable[..., Said], traffic: Traffic, tmp_path: Path
) -> None:
    """The folder and the run made of it say the same: too deep, another scope, or before the trace began."""
    run = freeze_traffic(traffic, tmp_path / "runs", "day").run
    for place in (traffic.folder, run):
        asked = ("runs", "why", place, "t/9", "--embedder", "none")
        said = words(memgauge(*asked, "--memory", "m1", "-s", "bm25"))
        assert "Not injected: too deep, it is not among the 1 that were asked for." in said
        assert "Asked again for 1,000, bm25 returns 2, with it at rank 1." in said
        assert memgauge(*asked, "--turn", "t/1/1", "--json").data["memories"] == ["m1"]
        assert "it is stored under bob in notes, and ada in notes was searched" in words(
            memgauge(*asked, "--memory", "m3")
        )
        assert "the trace began at 1970-01-01" in words(memgauge(*asked, "--memory", "m9"))
        nothing = words(memgauge(*asked))
        assert "name what you expected with --memory or --turn" in nothing
        assert "What came back" in nothing


def test_a_run_whose_traffic_is_gone_says_what_it_does_not_know(
    memgauge: Callable[..., Said], traffic: Traffic, tmp_path: Path
) -> None:
    """The run alone tells what was written and returned; that deletions are not known, it says."""
    moved = Traffic.read(
        shutil.copytree(traffic.folder, tmp_path / "moved", ignore=shutil.ignore_patterns("dataset"))
    )
    run = freeze_traffic(moved, tmp_path / "runs", "day").run
    shutil.rmtree(moved.folder)
    said = words(memgauge("runs", "why", run, "t/9", "--memory", "m1"))
    assert "too deep, it is not among the 1 that were asked for" in said
    assert "its traffic is not at hand: what was deleted is not known" in said
    assert "the words of the question are not in the record" in said
    assert memgauge("runs", "why", run, "t/9").code == 2


def test_the_witness_of_a_fault_is_explained_as_that_fault(memgauge: Callable[..., Said], tmp_path: Path) -> None:
    """A stale return that health names is an old version, stored by the write that had ended before."""
    folder = tmp_path / "traffic"
    service = ("--users", 60, "--plant", "stale")
    assert memgauge("study", "production", "simulate", folder, *service).code == 0
    stale = Traffic.read(folder).rows(STALE)
    assert len(stale) == 3
    for row in stale:
        said = memgauge(
            "runs", "why", folder, row["name"], "--memory", row["memory"], "--embedder", "none", "--json"
        )
        reason = said.data["reason"]
        assert (reason["cause"], row["newer"] in reason["detail"]) == ("old version", True)


def test_a_measure_cuts_traffic_where_it_is_named(memgauge: Callable[..., Said], traffic: Traffic) -> None:
    """Tokens that are paid for cut what came back; without a measure nothing is known to be cut."""
    asked = ("runs", "why", traffic.folder, "t/9", "--memory", "m2", "--embedder", "none", "--json")
    assert memgauge(*asked).data["cuts"] == []
    (cut,) = memgauge(*asked, "-m", "Recall@3tok").data["cuts"]
    assert (cut["limit"], cut["last"], cut["in_part"]) == (3, 1, True)
