"""Whole runs: the same bytes however they are played, killed or resumed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memgauge.errors import (
    BudgetError,
    ConfigError,
    IdentityError,
    MalformedDataError,
    RunBusyError,
    RunNotFoundError,
    TemporaryError,
)
from memgauge.llm.messages import ToolCall
from memgauge.llm.scripted import Scripted, scripted_reply
from memgauge.studies.track.play.instance import Setup
from memgauge.studies.track.play.limits import PlayLimits
from memgauge.studies.track.play.plan import Named, PlayPlan
from memgauge.studies.track.play.played import ANSWERS
from memgauge.studies.track.play.resume import RunFolder, _safe, read_run
from memgauge.studies.track.play.run import play
from memgauge.studies.track.play.trajectory import TIMINGS, TRAJECTORY
from memgauge.studies.track.timeline.files import write_timeline
from memgauge.studies.track.world.clock import InstanceClock
from support.track.play import timeline

if TYPE_CHECKING:
    from memgauge.llm.messages import Reply, Request

NAMES = ("one", "two", "three/four")


def plan(agent: str = "search", **options: Any) -> PlayPlan:
    """Make a plan over three instances."""
    setup = Setup(options.pop("memory", "none"), options.pop("mode", "tools"), options.pop("sandbox", "off"))
    instances = tuple(Named(timeline(name)) for name in options.pop("names", NAMES))
    return PlayPlan(agent, instances, setup, PlayLimits(), options.pop("context", "keep"), **options)


@pytest.mark.parametrize("agent", ["oracle", "search", "random"])
def test_a_scripted_run_repeats_byte_for_byte(tmp_path: Path, agent: str) -> None:
    """One worker or three, the result file is the same; wall-clock times lie beside it."""
    one = play(plan(agent, repeats=2), tmp_path / "a").result.read_bytes()
    assert play(plan(agent, repeats=2), tmp_path / "b", workers=3).result.read_bytes() == one
    assert one.count(b'"t":"answer"') == 2 * 3 * 3
    assert b'"ms"' not in one
    assert (tmp_path / "a" / "played" / "1" / "two" / TIMINGS).exists()


def test_a_finished_run_plays_nothing_again(tmp_path: Path) -> None:
    """The same command on a whole run writes the same result."""
    told: list[tuple[int, int, str]] = []
    first = play(plan(), tmp_path, on_done=lambda *now: told.append(now)).result.read_bytes()
    assert told == [(1, 3, "one"), (2, 3, "two"), (3, 3, "three/four")]
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "played").rglob("*.jsonl")}
    assert play(plan(), tmp_path, on_done=lambda *now: told.append(now)).result.read_bytes() == first
    assert len(told) == 3
    assert {path: path.stat().st_mtime_ns for path in before} == before


PLAYER = """
import sys, time
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from studies_plan import plan
from memgauge.studies.track.play import run
from memgauge.studies.track.tools.recording import Recorder
quick = Recorder.attempt
def attempt(self, *given):
    time.sleep(0.02)
    return quick(self, *given)
Recorder.attempt = attempt
print("playing", flush=True)
run.play(plan(), Path(sys.argv[1]))
"""

SHARED = """
from support.track.play import timeline
from memgauge.studies.track.play.instance import Setup
from memgauge.studies.track.play.limits import PlayLimits
from memgauge.studies.track.play.plan import Named, PlayPlan

def plan():
    instances = tuple(Named(timeline(name)) for name in ("one", "two", "three/four"))
    setup = Setup("bm25", "passive", "off")
    return PlayPlan("search", instances, setup, PlayLimits(), "reset_between_questions", repeats=2)
"""


def test_killed_anywhere_and_resumed_it_gives_the_same_file(tmp_path: Path) -> None:
    """SIGKILL at ever later moments, until it comes through; the bytes are those of a run in one go."""
    (tmp_path / "studies_plan.py").write_text(SHARED, "utf-8")
    (tmp_path / "player.py").write_text(PLAYER, "utf-8")
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[3])}
    whole = play(_shared(tmp_path), tmp_path / "whole").result.read_bytes()
    out, patience, kills = tmp_path / "killed", 0.15, 0
    while True:
        command = [sys.executable, str(tmp_path / "player.py"), str(out), str(tmp_path)]
        with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            process.stdout.readline()
            time.sleep(patience)
            if process.poll() is not None:
                break
            process.send_signal(signal.SIGKILL)
        kills += 1
        patience *= 1.8
    assert kills >= 2
    assert process.returncode == 0
    assert (out / "result.jsonl").read_bytes() == whole
    assert not list((out / "partial").glob("*"))


def _shared(folder: Path) -> PlayPlan:
    namespace: dict[str, Any] = {}
    exec((folder / "studies_plan.py").read_text("utf-8"), namespace)  # noqa: S102 - written a few lines above
    made: PlayPlan = namespace["plan"]()
    return made


@given(st.integers(0, 5))
@settings(max_examples=6, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_was_finished_first_the_result_is_in_the_order_of_the_plan(
    tmp_path_factory: pytest.TempPathFactory, missing: int
) -> None:
    """Any instance may be lost, whole or half, and is played again."""
    import shutil

    folder = tmp_path_factory.mktemp("run")
    first = play(plan(repeats=2), folder).result.read_bytes()
    named, repeat = plan(repeats=2).jobs()[missing]
    shutil.rmtree(folder / "played" / str(repeat) / _safe(named.name))
    half = folder / "partial" / f"{repeat}-{_safe(named.name)}"
    half.mkdir(parents=True)
    (half / TRAJECTORY).write_text('{"seq": 0, "torn', "utf-8")
    assert play(plan(repeats=2), folder).result.read_bytes() == first


def test_another_plan_does_not_go_on(tmp_path: Path) -> None:
    """What differs is named; nothing is mixed."""
    play(plan(), tmp_path)
    with pytest.raises(IdentityError, match="agent, label"):
        play(plan("random"), tmp_path)
    with pytest.raises(IdentityError, match="instances"):
        play(plan(names=("one", "two")), tmp_path)


def test_one_process_writes_a_run(tmp_path: Path) -> None:
    """A second one is told to wait."""
    with RunFolder(tmp_path, plan()), pytest.raises(RunBusyError):
        RunFolder(tmp_path, plan())
    (tmp_path / "plan.json").write_text("{broken", "utf-8")
    with pytest.raises(MalformedDataError, match=r"plan\.json:1: not JSON: .* at column 2"):
        RunFolder(tmp_path, plan())
    (tmp_path / "plan.json").write_text("[]", "utf-8")
    with pytest.raises(MalformedDataError, match="no plan"):
        RunFolder(tmp_path, plan())


@pytest.mark.parametrize(
    ("wrong", "options"),
    [
        (plan(names=("one", "one")), {}),
        (plan(names=()), {}),
        (plan(repeats=0), {}),
        (plan(), {"workers": 0}),
        (plan("openai:tiny"), {}),
        (plan(context="forget"), {}),
    ],
)
def test_a_plan_that_does_not_fit_is_refused(tmp_path: Path, wrong: PlayPlan, options: dict[str, Any]) -> None:
    """Nothing is written for it."""
    with pytest.raises(ConfigError):
        play(wrong, tmp_path / "run", **options)
    assert not (tmp_path / "run").exists()


def test_a_model_plays_and_repeats_are_asked_anew(tmp_path: Path) -> None:
    """Each repeat is a sample of its own; a budget that is used up keeps what was finished."""

    def answer(request: Request) -> Reply:
        return scripted_reply(request, "dana")

    model = Scripted(answer, name="scripted")
    made = plan("scripted", names=("one",), repeats=2, parameters=(("temperature", 1),))
    result = play(made, tmp_path / "run", model=model).result.read_text("utf-8")
    assert result.count('"text":"dana"') == 6
    assert {request.sample for request in model.asked} == {0, 1}
    assert model.asked[0].parameters == {"temperature": 1}
    assert {tool.name for tool in model.asked[0].tools} >= {"list_tickets", "answer"}
    spent = Scripted(lambda asked: answer(asked) if len(spent.asked) < 5 else BudgetError("spent"))
    with pytest.raises(BudgetError):
        play(plan("scripted"), tmp_path / "spent", model=spent)
    identity, timelines, played = read_run(tmp_path / "spent")
    assert ([one.instance for one in played], identity["agent"]) == (["one"], "scripted")
    assert set(timelines) == set(NAMES)


def test_an_instance_whose_replies_do_not_come_is_played_again(tmp_path: Path) -> None:
    """An outage is nobody's answer: the others are kept, and the next call plays what broke off."""
    down = [TemporaryError("503: overloaded")]

    def step(request: Request) -> Reply | Exception:
        return down[0] if down and len(model.asked) > 4 else scripted_reply(request, "dana")

    made, model = plan("scripted", names=("one", "two")), Scripted(step)
    ended = play(made, tmp_path, model=model)
    assert ended.broken == ("503: overloaded",)
    assert [played.instance for played in read_run(tmp_path)[2]] == ["one"]
    down.clear()
    assert play(made, tmp_path, model=model).broken == ()
    assert [played.instance for played in read_run(tmp_path)[2]] == ["one", "two"]


def test_an_interrupted_run_ends_at_the_next_call(tmp_path: Path) -> None:
    """What is being played beside a failure is given up, not played to its end."""
    from threading import Event

    begun, failed = Event(), Event()

    def step(request: Request) -> Reply | Exception:
        if not begun.is_set():
            begun.set()
            failed.wait(20)
            return scripted_reply(request, calls=[ToolCall("1", "list_tickets", "{}")])
        failed.set()
        return BudgetError("spent")

    with pytest.raises(BudgetError):
        play(plan("scripted", names=("one", "two")), tmp_path, model=Scripted(step), workers=2)
    assert read_run(tmp_path)[2] == []


def test_a_run_says_what_is_wrong_with_it(tmp_path: Path) -> None:
    """No run, or a line that is no answer."""
    with pytest.raises(RunNotFoundError):
        read_run(tmp_path)
    play(plan(names=("one",)), tmp_path)
    (tmp_path / "played" / "0" / "one" / ANSWERS).write_text('{"question": "q1"}\n', "utf-8")
    with pytest.raises(MalformedDataError, match="line 1: this is no answer"):
        read_run(tmp_path)


def test_a_live_clock_lets_events_arrive(tmp_path: Path) -> None:
    """With one event a call, the first call sees less than the last, and the agent is told of places only."""
    setup = Setup(sandbox="off", clock=InstanceClock("live", events=1, start=1), notices="low")
    made = PlayPlan("search", (Named(timeline("one")),), setup, PlayLimits(), "keep")
    play(made, tmp_path)
    (played,) = read_run(tmp_path)[2]
    assert played.calls[0].at < played.calls[-1].at
    assert "[notification] 1 new Slack message in #ml." in played.calls[0].text


def test_ten_instances_side_by_side_with_a_sandbox(tmp_path: Path) -> None:
    """Ports cannot clash, since there are none."""
    names = tuple(f"i{n}" for n in range(10))
    made = plan("oracle", names=names, sandbox="auto")
    try:
        result = play(made, tmp_path, workers=10).result
    except ConfigError as error:
        pytest.skip(str(error))
    assert result.read_text("utf-8").count('"ended":"answered"') == 30


def test_names_of_folders_keep_instances_apart(tmp_path: Path) -> None:
    """What a file cannot be called is told apart by a hash."""
    assert _safe("vg_1") == "vg_1"
    assert len({_safe("a/b"), _safe("a b"), _safe("a_b")}) == 3
    assert _safe("../..")[0] != "."
    write_timeline(tmp_path / "t.json", timeline())
