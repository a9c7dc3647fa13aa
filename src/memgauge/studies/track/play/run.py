"""A run: every instance of a plan, so many times, several side by side, each finished one kept at once."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from threading import Event
from typing import TYPE_CHECKING

from memgauge.errors import ConfigError, ModelError
from memgauge.studies.track.play.agents import ModelAgent, prompt_for
from memgauge.studies.track.play.context import ContextWindow
from memgauge.studies.track.play.instance import opened
from memgauge.studies.track.play.loop import AgentLoop, AgentQuestion
from memgauge.studies.track.play.resume import RunFolder
from memgauge.studies.track.play.scripted import OracleAgent, RandomAgent
from memgauge.studies.track.play.searcher import Searcher

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from memgauge.llm.messages import ChatModel
    from memgauge.studies.track.play.agents import Agent
    from memgauge.studies.track.play.instance import Setting
    from memgauge.studies.track.play.limits import PlayLimits
    from memgauge.studies.track.play.plan import Named, PlayPlan
    from memgauge.studies.track.play.played import Answer
    from memgauge.studies.track.play.trajectory import Call
    from memgauge.studies.track.timeline.models import Timeline

SCRIPTED = ("oracle", "search", "random")
"""Agents that need no model."""


@dataclass(frozen=True)
class PlayedRun:
    """How a run ended."""

    result: Path
    """The result file."""
    broken: tuple[str, ...] = ()
    """Why instances broke off: a reply of the model did not come, so that the next call plays them again."""


def play(
    plan: PlayPlan,
    folder: Path,
    *,
    model: ChatModel | None = None,
    workers: int = 1,
    on_done: Callable[[int, int, str], None] = lambda *_: None,
) -> PlayedRun:
    """Play what *plan* says and *folder* does not hold yet.

    Raises:
        ConfigError: The plan does not fit: no instance, a name twice, a model that is missing.
        BudgetError: A model may not be asked any more; what was finished is kept.
    """
    _check(plan, model, workers)
    with RunFolder(folder, plan) as run_folder:
        open_jobs = [job for job in plan.jobs() if not run_folder.done(job[0].name, job[1])]
        total = len(plan.jobs())
        done_count = total - len(open_jobs)
        stop = Event()
        with ThreadPoolExecutor(workers, thread_name_prefix="memgauge-track") as pool, ExitStack() as undo:
            undo.callback(pool.shutdown, wait=False, cancel_futures=True)
            undo.callback(stop.set)
            broken = []
            playing = pool.map(lambda job: _played(plan, run_folder, job, model, stop), open_jobs)
            for (named, _), reason in zip(open_jobs, playing, strict=True):
                broken += [reason] if reason else []
                done_count += not reason
                on_done(done_count, total, named.name)
            undo.pop_all()
        return PlayedRun(run_folder.finish(), tuple(broken))


def _check(plan: PlayPlan, model: ChatModel | None, workers: int) -> None:
    names = Counter(named.name for named in plan.instances)
    repeated_names = sorted(name for name, times in names.items() if times > 1)
    if repeated_names:
        raise ConfigError(f"Two instances are called {', '.join(repeated_names)}.", "Name each of them once.")
    if not plan.instances or plan.repeats < 1 or workers < 1:
        raise ConfigError("A run needs an instance, a repeat and a worker at least.")
    if plan.agent not in SCRIPTED and model is None:
        raise ConfigError(
            f"The agent {plan.agent!r} needs a model.", f"Take one of {', '.join(SCRIPTED)}, or model."
        )
    ContextWindow.parse(plan.context)


class _RunStopped(Exception):  # noqa: N818 - named for what happened
    """The run ends, and what is being played with it."""


def _played(
    plan: PlayPlan, run_folder: RunFolder, job: tuple[Named, int], model: ChatModel | None, stop: Event
) -> str:
    """Play one instance once, and keep it; return why it broke off, if it did."""
    play_of_job, repeat = job

    def wrote(call: Call) -> None:
        writer.write(call)
        if stop.is_set():
            raise _RunStopped

    timeline, agent, context = (
        play_of_job.timeline,
        _agent(plan, play_of_job, repeat, model),
        ContextWindow.parse(plan.context),
    )
    try:
        with (
            opened(timeline, plan.setup, play_of_job.beside) as setting,
            run_folder.playing(timeline.name, repeat) as place,
        ):
            writer, answers = place
            answers.extend(answers_of(agent, timeline, setting, plan.limits, context, wrote))
    except ModelError as lost:
        return str(lost)
    return ""


def answers_of(
    agent: Agent,
    timeline: Timeline,
    setting: Setting,
    limits: PlayLimits,
    context: ContextWindow,
    on_call: Callable[[Call], None],
) -> Iterator[Answer]:
    """Let an agent play an instance; it meets question after question, without anything of what would be right."""
    prompt = prompt_for(timeline.player.system_prompt)
    loop = AgentLoop(agent, setting, setting.arm, prompt, limits=limits, context=context, on_call=on_call)
    return loop.play(AgentQuestion(question.id, question.text) for question in timeline.questions)


def _agent(plan: PlayPlan, named: Named, repeat: int, model: ChatModel | None) -> Agent:
    """Make the agent of one instance; only the oracle is handed gold."""
    if plan.agent == "oracle":
        return OracleAgent(named.timeline)
    if plan.agent == "search":
        return Searcher()
    if plan.agent == "random":
        return RandomAgent(f"{plan.setup.seed}:{named.name}:{repeat}")
    if model is None:
        raise ConfigError(f"The agent {plan.agent!r} needs a model.")
    return ModelAgent(model, repeat, dict(plan.parameters))
