"""`memgauge runs why`: of runs, of traffic, and of what somebody expects who has no gold."""

from __future__ import annotations

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
        ("u000000_q01", ("--depth", 0), "--depth 0 does not fit"),
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


def test_a_measure_cuts_traffic_where_it_is_named(memgauge: Callable[..., Said], traffic: Traffic) -> None:
    """Tokens that are paid for cut what came back; without a measure nothing is known to be cut."""
    asked = ("runs", "why", traffic.folder, "t/9", "--memory", "m2", "--embedder", "none", "--json")
    assert memgauge(*asked).data["cuts"] == []
    (cut,) = memgauge(*asked, "-m", "Recall@3tok").data["cuts"]
    assert (cut["limit"], cut["last"], cut["in_part"]) == (3, 1, True)
