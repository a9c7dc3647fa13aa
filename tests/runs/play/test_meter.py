"""What playing takes: the same counts on any number of workers, and nothing made up where nobody looked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from memgauge.llm.served.server import ModelServer
from memgauge.metering import CostSource, ModelTally
from memgauge.runs.play.execute import execute
from memgauge.runs.play.executors import Inline, Processes
from memgauge.runs.play.meter import CostMeter
from memgauge.runs.play.plan import plan
from memgauge.runs.record.cost import Amount, CostRecord
from memgauge.runs.record.phases import INGEST, QUERY, REST
from memgauge.runs.record.pricing import priced
from memgauge.runs.record.rows import AttemptRows
from memgauge.runs.record.store import load
from support.handmade import five_questions, many_questions, planned
from support.systems import GUILTY, MARKS

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.runs.play.executors import Executor
    from memgauge.runs.play.plan import Plan


def cost_of(work: Plan, out: Path, executor: Executor | None = None) -> CostRecord:
    """Make one run, and return what it cost."""
    (folder,) = execute(work, out, executor=executor, check=False)
    cost = load(folder).cost
    assert cost is not None
    return cost


def counts(cost: CostRecord) -> dict[str, Any]:
    """Leave the clocks out."""
    said = cost.model_dump(mode="json", exclude={"search_p50_ms", "search_p95_ms"})
    for phase in (INGEST, QUERY, REST):
        del said[phase]["wall_s"], said[phase]["cpu_s"]
    return said


def test_counts_depend_on_no_executor(tmp_path: Path) -> None:
    """One player, two, and this process count the same tokens; clocks are all that differs."""
    executors: tuple[Executor, ...] = (Processes(1), Processes(2), Inline())
    made = [
        counts(cost_of(plan(["synthetic:tiny"], ["dense:embedder=hashed"]), tmp_path / str(n), executor))
        for n, executor in enumerate(executors)
    ]
    assert made[0] == made[1] == made[2]
    assert made[0]["ingest"]["embedding_tokens"]["value"] > made[0]["query"]["embedding_tokens"]["value"] > 0
    assert made[0]["ingest"]["model_calls"] == {"value": 0, "source": "counted"}
    assert {use["model"] for use in made[0]["models"]} == {"local:hashed words (256, stand-in)"}


@pytest.mark.parametrize("executor", [None, Inline()])
def test_writes_that_fail_are_paid_for(
    executor: Executor | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half of the writes are lost after the model was asked; every call counts, as its server counts it."""
    with ModelServer() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        cost = cost_of(planned(five_questions(), "support.systems:Asking"), tmp_path, executor)
        asked = [call for call in server.calls if call.kind == "chat"]
    turns = 9
    assert len(asked) >= turns
    assert cost.ingest.model_calls == Amount(value=turns, source=CostSource.COUNTED)
    assert cost.total("model_calls").value == len(asked)
    assert cost.total("tokens_in").value == sum(call.input_tokens for call in asked)
    assert cost.total("tokens_out").value == sum(call.output_tokens for call in asked)
    assert cost.query.model_calls == Amount(value=0, source=CostSource.COUNTED)
    assert cost.ingest.embedding_tokens == Amount()
    assert {use.model for use in cost.models} == {"local:scripted"}
    assert priced(cost).usd == 0


def test_what_a_system_says_of_itself_is_a_report(tmp_path: Path) -> None:
    """It is kept apart from what was counted, and attributed to the phase in which it grew."""
    cost = cost_of(planned(five_questions(), "support.systems:Telling"), tmp_path, Inline())
    assert cost.ingest.tokens_in == Amount(value=27, source=CostSource.REPORTED)
    assert cost.ingest.model_calls == Amount(value=9, source=CostSource.REPORTED)
    assert cost.query.tokens_in == Amount(value=0, source=CostSource.REPORTED)
    assert priced(cost, lambda _: None).unpriced == ("dear",)


@pytest.mark.parametrize(("system", "lost", "unseen"), [("Deadly", 2, 1), ("Mortal", 1, 0)])
def test_what_died_is_said_to_be_missing(
    system: str, lost: int, unseen: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A player that dies takes along what it had counted; the record says how often, and is not whole."""
    monkeypatch.setenv(GUILTY, "c1")
    monkeypatch.setenv(MARKS, str(tmp_path))
    cost = cost_of(planned(many_questions(2, 1), f"support.systems:{system}"), tmp_path / "runs")
    assert (cost.attempts, cost.lost, cost.unseen, cost.whole) == (2, lost, unseen, False)


def test_children_are_counted_in_the_phase_that_ran_them(tmp_path: Path) -> None:
    """A process that a call leaves behind burns for the phase of that call, though the call returned at once."""
    cost = cost_of(planned(five_questions(), "support.systems:Burning"), tmp_path)
    assert (cost.ingest.cpu_s.value or 0) >= 0.2
    assert (cost.query.cpu_s.value or 0) < 0.2


def test_tallies_shrink_to_nothing_and_not_below() -> None:
    """A system that forgets what it told, or tells what is no count, takes nothing back."""
    told: list[Any] = [
        {"m": {"calls": 5}},
        {"m": {"calls": 2}},
        {"m": {"calls": -7}},
        "nonsense",
        {"m": {"calls": 9}},
    ]
    meter = CostMeter()
    meter.telling = lambda: told.pop(0)
    for phase in (INGEST, QUERY, INGEST, QUERY):
        with meter.during(phase):
            pass
    rows = {row["phase"]: row["models"] for row in meter.rows(AttemptRows("c"))}
    assert rows[REST] == [{"model": "m", "source": "reported", "calls": 5}]
    assert rows[QUERY] == [{"model": "m", "source": "reported", "calls": 9}]
    assert ModelTally(3).since(ModelTally(5)) == ModelTally()
