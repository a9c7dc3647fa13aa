"""`memgauge study track run | score | report | compare`: play instances, measure what was played, and show it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from memgauge.errors import ConfigError, ModelError
from memgauge.frame.console import working
from memgauge.frame.exits import FAILED, OK
from memgauge.frame.models import ModelOptions, estimated
from memgauge.frame.numbers import COUNT, DURATION, FACTOR, NUMBER, SEED
from memgauge.frame.options import Flag
from memgauge.frame.output import PLAIN, SHOWN, Output, Printing, present
from memgauge.show.numbers import plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.studies.track.play.limits import PlayLimits
    from memgauge.studies.track.play.plan import Named, PlayPlan
    from memgauge.studies.track.scoring.scored import ScoredRun
    from memgauge.studies.track.timeline.models import Timeline

OUT = Path("runs/track")
_MODELS = ModelOptions()


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class PlayOptions:
    """Under which limits an agent plays, and in which world."""

    turns: Annotated[int, NUMBER] = 100
    """Replies to one question at most."""
    calls: Annotated[int | None, NUMBER] = None
    """Calls for one question at most."""
    tokens: Annotated[int | None, NUMBER] = None
    """Tokens for one question at most, in and out."""
    seconds: Annotated[float | None, DURATION] = None
    """Seconds for one question at most."""
    instance_calls: Annotated[int | None, NUMBER] = None
    """Calls for all questions of an instance at most."""
    instance_tokens: Annotated[int | None, NUMBER] = None
    """Tokens for all questions of an instance at most."""
    instance_seconds: Annotated[float | None, DURATION] = None
    """Seconds for all questions of an instance at most."""
    clock: Literal["static", "live"] = "static"
    """Whether everything has happened before the first question, or events arrive while the agent works."""
    every: Literal["call", "question"] = "call"
    """Live: what lets time go on."""
    events: Annotated[int, COUNT] = 1
    """Live: events that arrive each time."""
    start: Annotated[int, NUMBER] = 1
    """Live: events that have happened at the beginning."""
    notices: Literal["off", "low", "high"] = "low"
    """Live: what the agent is told of them; names of places, never what stands there."""

    def limits(self) -> PlayLimits:
        """Return the limits, checked."""
        from memgauge.studies.track.play.limits import Allowance, PlayLimits

        return PlayLimits(
            self.turns,
            Allowance(self.calls, self.tokens, self.seconds),
            Allowance(self.instance_calls, self.instance_tokens, self.instance_seconds),
        )


_PLAY = PlayOptions()


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class AgentOptions:
    """Who plays, with what, and how often."""

    agent: Annotated[Literal["oracle", "search", "random", "model"] | None, Parameter(show_default=False)] = None
    """search reads and looks for words; random breaks things; oracle is told the answers; model is a language
    model. Default: search, or model where one is named."""
    model: str = ""
    """A model as `provider:name`; its keys and address come from the environment."""
    temperature: Annotated[float, FACTOR] = 1
    """Of the model."""
    memory: str = "none"
    """A memory system by name with parameters (`bm25`, `mem0`), `module:factory`, or a TOML file; or none."""
    memory_mode: Literal["tools", "passive"] = "tools"
    """tools gives the agent three tools of a memory; passive writes every result to the memory, and shows with
    each question what the memory finds for it."""
    context: str = "keep"
    """What an agent still sees of earlier questions: keep, reset_between_questions, compact or compact:TOKENS."""
    repeats: Annotated[int, COUNT] = 1
    """How often everything is played; the document repeats 5 times."""
    seed: Annotated[int, SEED] = 0
    """Of the random agent, and of memories that take one."""
    sandbox: Literal["auto", "bubblewrap", "landlock", "docker", "none", "off"] = "auto"
    """Walls around files and shell; none lets the agent read everything; off gives it neither."""
    git: Literal["builtin", "gitea"] = "builtin"
    """What serves repositories: a server of our own, or a real Gitea through docker compose (never run by us)."""

    def plan(self, instances: tuple[str, ...], play: PlayOptions) -> PlayPlan:
        """Return what is played, checked.

        Raises:
            ConfigError: The agent and the model do not go together.
        """
        from memgauge.studies.track.play.context import ContextWindow
        from memgauge.studies.track.play.instance import Setup
        from memgauge.studies.track.play.plan import PlayPlan
        from memgauge.studies.track.world.clock import InstanceClock

        agent = self.agent or ("model" if self.model else "search")
        if (agent == "model") != bool(self.model):
            raise ConfigError(
                f"The agent {agent} {'needs' if agent == 'model' else 'takes no'} --model.",
                "Write --agent model --model provider:name, or neither.",
            )
        clock = InstanceClock(play.clock, every=play.every, events=play.events, start=play.start)
        return PlayPlan(
            agent=self.model or agent,
            instances=tuple(_named(instances)),
            setup=Setup(self.memory, self.memory_mode, self.sandbox, self.git, clock, play.notices, self.seed),
            limits=play.limits(),
            context=str(ContextWindow.parse(self.context)),
            repeats=self.repeats,
            parameters=(("temperature", self.temperature),) if self.model else (),
        )


_AGENT = AgentOptions()


def run(
    *instances: Annotated[str, Parameter(show_default=False)],
    who: AgentOptions = _AGENT,
    parallel: Annotated[int, COUNT] = 1,
    out: Path = OUT,
    play: PlayOptions = _PLAY,
    models: ModelOptions = _MODELS,
    shown: Printing = PLAIN,
) -> int:
    """Let an agent answer hidden questions one after another; killed at any moment, the same command goes on.

    Exit with 1 where an instance broke off, or where a reply of the model was cut off or refused.

    Example: memgauge study track run demo --agent search

    Parameters
    ----------
    instances
        Files or folders of instances, or names of shipped ones; default: all shipped.
    parallel
        Instances at a time.
    out
        Folder of the run.
    """
    from memgauge.studies.track.play.run import play as playing
    from memgauge.studies.track.scoring.scored import score_run, scores_of
    from memgauge.studies.track.show import document
    from memgauge.studies.track.stopping import tidied

    plan = who.plan(instances, play)
    if models.plan:
        raise ConfigError(
            "What an agent will ask is not known before it plays.", "Cap it by --max-usd or --tokens."
        )
    _warn(plan)
    access = models.open(who.model) if who.model else None
    with tidied(), working("playing") as update:
        ended = playing(
            plan,
            out,
            model=access,
            workers=parallel,
            on_done=lambda count, total, name: update(f"playing: {count} of {total}, {name}"),
        )
    onward = (
        f"{out}: score it with a judge by `memgauge study track score`; `--out track.html` makes a page of it."
    )
    if ended.broken:
        broken = plural(len(ended.broken), "instance")
        onward = (
            f"{broken} broke off, since no reply came ({ended.broken[0]}). The same command plays what is left."
        )
        if not ended.result.stat().st_size:
            raise ModelError(f"Nothing was played to its end. {onward}")
    scored = score_run(out)
    shown_document = document(scores_of([scored]), onward=onward)
    return present(shown_document, shown, code=FAILED if ended.broken or scored.method.lost else OK)


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class RunJudgeOptions:
    """Who judges what rules do not settle, and what was served where that is not written down."""

    judge: str = ""
    """A model as `provider:name` that judges answers that rules do not settle; without one, rules decide alone."""
    paper: Annotated[bool, Flag] = False
    """Let the judge also count redundant calls, as the document does."""
    instance: str = ""
    """What was served, for folders that `memgauge study track serve --out` wrote."""


_JUDGE = RunJudgeOptions()


def score(
    *runs: Annotated[Path, Parameter(show_default=False)],
    by: RunJudgeOptions = _JUDGE,
    models: ModelOptions = _MODELS,
    output: Output = SHOWN,
) -> int:
    """Score runs: the document's tables, with intervals over histories; exit with 1 where something is missing.

    Example: memgauge study track score track --out track.html

    Parameters
    ----------
    runs
        Folders of runs; default: runs/track.
    """
    from memgauge.studies.track.show_played import played_document

    scores = _scored(runs, by, models, output)
    if not scores:
        return OK
    code = OK if all(run.whole for run in scores) else FAILED
    return present(played_document(scores), output, name="track", code=code)


def compare(
    first: Path,
    second: Path,
    *,
    judge: str = "",
    models: ModelOptions = _MODELS,
    output: Output = SHOWN,
) -> int:
    """Say whether two runs over the same instances differ: paired, with histories as the units of chance.

    Exit with 1 where something of either is missing.

    Example: memgauge study track compare track/one track/other

    Parameters
    ----------
    first
        Folder of a run, such as one without a memory.
    second
        Folder of another over the same instances.
    judge
        A model as `provider:name` that judges answers that rules do not settle.
    """
    from memgauge.studies.track.scoring.compare import compare_runs
    from memgauge.studies.track.show_compared import comparison_document

    scores = _scored((first, second), RunJudgeOptions(judge=judge), models, output)
    if not scores:
        return OK
    code = OK if all(run.whole for run in scores) else FAILED
    return present(comparison_document(compare_runs(*scores)), output, name="comparison", code=code)


def _named(refs: tuple[str, ...]) -> list[Named]:
    from memgauge.studies.track.play.plan import Named
    from memgauge.studies.track.timeline.opening import DEMO, find_instances, open_instance

    return [Named(open_instance(path), path.parent) for path in find_instances(refs or (DEMO,))]


def _warn(plan: PlayPlan) -> None:
    """Say what a number from this run will not prove."""
    import sys

    if plan.setup.sandbox == "none":
        from memgauge.studies.track.sandbox.choose import WARNING

        sys.stderr.write(f"memgauge: {WARNING}\n")


def _scored(runs: Sequence[Path], by: RunJudgeOptions, models: ModelOptions, output: Output) -> list[ScoredRun]:
    """Score runs; where only the price was asked for, say it and score nothing."""
    from memgauge.studies.track.scoring.judge import TrackJudge
    from memgauge.studies.track.scoring.scored import requests, score_run

    if by.paper and not by.judge:
        raise ConfigError("The document's redundancy is counted by a model.", "Name one with --judge.")
    access = models.open(by.judge) if by.judge else None
    judge = TrackJudge(access) if access else None
    timeline = _served(by.instance) if by.instance else None
    folders = runs or (OUT,)
    if models.plan and access is not None and judge is not None:
        judge_requests = (
            request for folder in folders for request in requests(folder, judge, paper=by.paper, instance=timeline)
        )
        present(estimated(models.estimate({access.name: access}, judge_requests)), output)
        return []
    with working("scoring"):
        return [
            score_run(folder, judge=judge, paper=judge if by.paper else None, instance=timeline)
            for folder in folders
        ]


def _served(instance: str) -> Timeline:
    plays = _named((instance,))
    if len(plays) != 1:
        raise ConfigError(f"{instance} holds {len(plays)} instances, and one was served.", "Name one.")
    return plays[0].timeline
