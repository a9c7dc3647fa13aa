"""`memgauge study context`: where in a prompt memory survives, and how much context is effective."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import App, Parameter

from memgauge.frame.choosing import finished
from memgauge.frame.console import aside, working
from memgauge.frame.exits import FAILED, OK
from memgauge.frame.models import ModelOptions, estimated, spent
from memgauge.frame.numbers import COUNT, HITS, SEED, SHARE
from memgauge.frame.options import Flag, Repeatable
from memgauge.frame.output import SHOWN, Output, present, told
from memgauge.studies.context.effective import ABSOLUTE
from memgauge.studies.context.grid import DEPTHS, LENGTHS
from memgauge.studies.context.tasks import EVERY_TYPE

if TYPE_CHECKING:
    from memgauge.llm.access import Access
    from memgauge.studies.context.grid import SampleGrid
    from memgauge.studies.context.models import LocalModel
    from memgauge.studies.context.prompts import PromptOrder
    from memgauge.studies.context.trend import TaskMeasurement

app = App("context", help="Where in a prompt memory survives, and how much context is effective.")
Tasks = Annotated[tuple[str, ...], Parameter(name=["--task", "-t"], negative=())]
Lengths = Annotated[tuple[int, ...], Parameter(name=["--length", "-l"], negative=()), COUNT]
Depths = Annotated[tuple[float, ...], Parameter(name="--depth", negative=()), SHARE]


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class MeasureOptions:
    """How a model is measured, and where that is remembered."""

    counter: str = "chars/4"
    """What counts tokens: chars/4, words, or tokenizer:PATH of a tokenizer.json."""
    seed: Annotated[int, SEED] = 0
    """Of the samples."""
    absolute: Annotated[float, SHARE] = ABSOLUTE
    """The threshold beside 0.85 of the own base."""
    label: str = ""
    """What tables and the history call the model."""
    history: Path | None = None
    """File of JSON lines that this measurement is appended to; the page draws trends from it."""

    def grid(
        self, tasks: tuple[str, ...], lengths: tuple[int, ...], depths: tuple[float | None, ...], samples: int
    ) -> SampleGrid:
        """Return what is asked, checked."""
        from memgauge.studies.context.grid import SampleGrid
        from memgauge.text.counting import open_counter

        ascending = tuple(sorted(set(lengths)))
        return SampleGrid(tasks, ascending, depths, samples, self.seed, open_counter(self.counter))


_MEASURE = MeasureOptions()
_MODELS = ModelOptions()


@app.command
def profile(
    *,
    model: str,
    task: Tasks = EVERY_TYPE,
    length: Lengths = LENGTHS,
    depth: Depths = DEPTHS,
    samples: Annotated[int, COUNT] = 100,
    measure: MeasureOptions = _MEASURE,
    models: ModelOptions = _MODELS,
    output: Output = SHOWN,
) -> int:
    """Ask a model the same samples at every length and depth; print what the middle costs.

    Example: memgauge study context profile --model openai:gpt-4.1-mini -t update -l 4000 --plan

    Parameters
    ----------
    model
        `provider:name`, or a local one: simulated:effective=16000,penalty=0.1, echo or silent.
    task
        Tasks, as `memgauge study context tasks` lists them; repeat.
    length
        Tokens of context, question and instructions apart; repeat.
    depth
        Shares of the context before the evidence; repeat.
    samples
        Samples of each task; fewer than 100 give penalties with a warning.
    """
    grid = measure.grid(task, length, tuple(sorted(set(depth))), samples)
    return _measured(grid, model, models, measure, output, adaptive=False)


@app.command
def effective(
    *,
    model: str,
    task: Tasks = EVERY_TYPE,
    length: Lengths = LENGTHS,
    samples: Annotated[int, COUNT] = 200,
    every: Annotated[bool, Flag] = False,
    measure: MeasureOptions = _MEASURE,
    models: ModelOptions = _MODELS,
    output: Output = SHOWN,
) -> int:
    """Find the effective context of every task, asking only as long as the bound is undecided.

    Every sample has a depth of its own, the same at every length.

    Example: memgauge study context effective --model openai:gpt-4.1-mini -t update -l 4000 -l 8000 --plan

    Parameters
    ----------
    model
        `provider:name`, or a local one: simulated:effective=16000, echo or silent.
    task
        Tasks; repeat.
    length
        Tokens of context, ascending; the shortest is the base; repeat.
    samples
        Samples of each task and length, at most.
    every
        Ask the full grid, also where the bound is decided.
    """
    grid = measure.grid(task, length, (None,), samples)
    return _measured(grid, model, models, measure, output, adaptive=not every)


def _measured(
    grid: SampleGrid,
    model: str,
    models: ModelOptions,
    measure: MeasureOptions,
    output: Output,
    *,
    adaptive: bool,
) -> int:
    from memgauge.studies.context.show import document
    from memgauge.studies.context.study import conduct

    access, local = _open(model, models)
    if models.plan:
        return _plan(grid, access, local, models, output=output)
    with working(f"asking {access.name}") as update:
        study = conduct(
            grid,
            access,
            local,
            adaptive=adaptive,
            absolute=measure.absolute,
            label=measure.label,
            on_progress=lambda done, total: update(f"asking {access.name}: {done} of at most {total}"),
        )
    if local is None:
        study = replace(study, spent=spent([access]))
    history: tuple[TaskMeasurement, ...] = ()
    if measure.history is not None:
        from memgauge.studies.context.trend import HISTORY, append

        append(measure.history, study, datetime.now(UTC).isoformat(timespec="seconds"))
        history = HISTORY.read(measure.history)
        aside(f"Appended to {measure.history}.")
    code = FAILED if study.failed else OK
    return present(document(study, history), output, name="context", code=code)


def _open(ref: str, models: ModelOptions) -> tuple[Access, LocalModel | None]:
    """Open a model of a provider behind its record, or a local one, which costs nothing and needs none."""
    from memgauge.llm.access import Access, SpendingLimits
    from memgauge.studies.context.models import open_local

    local = open_local(ref)
    if local is None:
        return models.open(ref), None
    limits = SpendingLimits(models.max_usd, models.max_calls, workers=models.workers, per_minute=models.per_minute)
    return Access(local, limits), local


def _plan(
    grid: SampleGrid, access: Access, local: LocalModel | None, models: ModelOptions, *, output: Output
) -> int:
    """Say what the full grid would take, which is the most that an adaptive measurement asks."""
    from memgauge.studies.context.grid import inquiry

    if local is not None:
        line = f"{len(grid):,} prompts at most; {access.name} is local, so it costs nothing."
        return present(told({"prompts": len(grid), "usd": 0.0}, line), output)
    requests = (inquiry(grid.placed(cell)).request(access.name) for cell in grid.cells())
    estimate = models.estimate({access.name: access}, requests)
    return present(estimated(estimate), output)


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class PromptOptions:
    """In which ways prompts are assembled, and what they are held against."""

    budget: Annotated[tuple[int, ...], Repeatable, COUNT] = (500,)
    """Tokens of instructions and memories; repeat for several."""
    policy: Annotated[tuple[str, ...], Parameter(name=["--policy"], negative=(), show_default=False)] = ()
    """Orders of assembly: relevance-first, relevance-last, chronological, edges-first; default: all of them."""
    cut: Literal["whole", "end", "start"] = "whole"
    """What gives way: whole memories, or the end or the start of the text."""
    k: Annotated[int, HITS] = 10
    """Memories that are taken, best first."""
    counter: str = "chars/4"
    """What counts tokens: chars/4, words, or tokenizer:PATH of a tokenizer.json."""
    instructions: Path | None = None
    """A file with the text that stands before the memories; default: our own."""
    profile: Path | None = None
    """What `memgauge study context profile --out` wrote; then the accuracy that should follow is predicted."""
    task: str | None = None
    """The task of the profile; default: its first recall task."""
    answers: Annotated[bool, Flag] = False
    """Compare predictions with the answers that `memgauge models answer` left beside the runs."""
    right: Annotated[float, SHARE] = 0.5
    """Token F1 from which such an answer counts as right."""

    def order(self) -> PromptOrder:
        """Return what is asked for."""
        from memgauge.studies.context.prompts import PromptOrder

        return PromptOrder(**vars(self))


_PROMPTS = PromptOptions()


@app.command
def assembled(*runs: Path, prompts: PromptOptions = _PROMPTS, output: Output = SHOWN) -> int:
    """Say what the prompts that frozen runs would fill keep of the evidence, and where; no model is asked.

    Example: memgauge study context assembled runs --budget 1000

    Parameters
    ----------
    runs
        Run folders on one dataset, or folders of them; `runs` when none is named.
    """
    from memgauge.studies.context.prompts import assemble
    from memgauge.studies.context.show_prompts import document

    with working("assembling"):
        study = assemble(finished(runs), prompts.order())
    return present(document(study), output, name="prompts")


@app.command
def tasks(*, samples: Annotated[int, COUNT] = 50, seed: Annotated[int, SEED] = 0, output: Output = SHOWN) -> int:
    """List the tasks, each with a question and how much of it stands in the evidence word by word.

    Example: memgauge study context tasks

    Parameters
    ----------
    samples
        Samples that the overlap is the mean of.
    seed
        Of the samples.
    """
    from memgauge.studies.context.listing import list_tasks
    from memgauge.studies.context.show_lists import tasks_document

    return present(tasks_document(list_tasks(samples, seed)), output, name="tasks")


@app.command
def simulate(
    *,
    samples: Annotated[int, COUNT] = 200,
    simulations: Annotated[int, COUNT] = 1000,
    seed: Annotated[int, SEED] = 0,
    output: Output = SHOWN,
) -> int:
    """Let every rule judge simulated models of known effective length: who claims more than there is.

    Example: memgauge study context simulate --samples 100

    Parameters
    ----------
    samples
        Samples of each length.
    simulations
        Models that are judged.
    seed
        Of the simulation.
    """
    from memgauge.studies.context.show_lists import rules_document
    from memgauge.studies.context.simulate import compare_rules

    return present(rules_document(compare_rules(samples, simulations, seed)), output, name="rules")
