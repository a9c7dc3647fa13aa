"""`memgauge context`: where in a prompt memory survives, and how much context is effective."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import App, Parameter

from memgauge.frame.console import emit, say, working
from memgauge.frame.exits import FAILED, OK
from memgauge.frame.models import ModelOptions, say_estimate, spent
from memgauge.frame.options import RUNS, AsData, Flag, Repeatable
from memgauge.studies.context.effective import ABSOLUTE
from memgauge.studies.context.grid import DEPTHS, LENGTHS
from memgauge.studies.context.tasks import EVERY_TYPE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.llm.access import Access
    from memgauge.report.context import Sheet
    from memgauge.studies.context.grid import SampleGrid
    from memgauge.studies.context.models import LocalModel
    from memgauge.studies.context.study import ModelStudy

app = App("context", help="Where in a prompt memory survives, and how much context is effective.")
_MODELS = ModelOptions()
Tasks = Annotated[tuple[str, ...], Parameter(name=["--task", "-t"], negative=())]
Lengths = Annotated[tuple[int, ...], Parameter(name=["--length", "-l"], negative=())]
Depths = Annotated[tuple[float, ...], Parameter(name="--depth", negative=())]


@app.command
def profile(
    *,
    model: str,
    task: Tasks = EVERY_TYPE,
    length: Lengths = LENGTHS,
    depth: Depths = DEPTHS,
    samples: int = 100,
    counter: str = "chars/4",
    seed: int = 0,
    absolute: float = ABSOLUTE,
    models: ModelOptions = _MODELS,
    label: str = "",
    out: Path | None = None,
    page: Path | None = None,
    history: Path | None = None,
    json: AsData = False,
) -> int:
    """Ask a model the same samples at every length and depth; print what the middle costs.

    Parameters
    ----------
    model
        `provider:name`, or a local one: simulated:effective=16000,penalty=0.1, echo or silent.
    task
        Tasks, as `memgauge context tasks` lists them; repeat.
    length
        Tokens of context, question and instructions apart; repeat.
    depth
        Shares of the context before the evidence; repeat.
    samples
        Samples of each task; fewer than 100 give penalties with a warning.
    counter
        What counts tokens: chars/4, words, or tokenizer:PATH of a tokenizer.json.
    seed
        Of the samples.
    absolute
        The threshold beside 0.85 of the own base.
    label
        What tables and the history call the model.
    out
        File for everything as data, for `memgauge context assembled --profile`.
    page
        File for one HTML page of heat maps and curves.
    history
        File of JSON lines that this measurement is appended to; the page draws trends from it.
    json
        Print everything as data.
    """
    from memgauge.studies.context.grid import SampleGrid
    from memgauge.text.counting import open_counter

    lengths, depths = tuple(sorted(set(length))), tuple(sorted(set(depth)))
    grid = SampleGrid(task, lengths, depths, samples, seed, open_counter(counter))
    return _measured(grid, model, models, label, absolute, out, page, history, adaptive=False, json=json)


@app.command
def effective(
    *,
    model: str,
    task: Tasks = EVERY_TYPE,
    length: Lengths = LENGTHS,
    samples: int = 200,
    every: Annotated[bool, Flag] = False,
    counter: str = "chars/4",
    seed: int = 0,
    absolute: float = ABSOLUTE,
    models: ModelOptions = _MODELS,
    label: str = "",
    out: Path | None = None,
    page: Path | None = None,
    history: Path | None = None,
    json: AsData = False,
) -> int:
    """Find the effective context of every task, asking only as long as the bound is undecided.

    Every sample has a depth of its own, the same at every length.

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
    counter
        What counts tokens: chars/4, words, or tokenizer:PATH of a tokenizer.json.
    seed
        Of the samples.
    absolute
        The threshold beside 0.85 of the own base.
    label
        What tables and the history call the model.
    out
        File for everything as data.
    page
        File for one HTML page.
    history
        File of JSON lines that this measurement is appended to.
    json
        Print everything as data.
    """
    from memgauge.studies.context.grid import SampleGrid
    from memgauge.text.counting import open_counter

    grid = SampleGrid(task, tuple(sorted(set(length))), (None,), samples, seed, open_counter(counter))
    return _measured(grid, model, models, label, absolute, out, page, history, adaptive=not every, json=json)


def _measured(
    grid: SampleGrid,
    model: str,
    models: ModelOptions,
    label: str,
    absolute: float,
    out: Path | None,
    page: Path | None,
    history: Path | None,
    *,
    adaptive: bool,
    json: bool,
) -> int:
    from json import dumps

    from memgauge.results import plain
    from memgauge.runs.files import write_atomically
    from memgauge.studies.context.study import as_data, conduct

    access, local = _open(model, models)
    if models.plan:
        return _plan(grid, access, local, models, json=json)
    with working(f"asking {access.name}") as update:
        study = conduct(
            grid,
            access,
            local,
            adaptive=adaptive,
            absolute=absolute,
            label=label,
            on_progress=lambda done, total: update(f"asking {access.name}: {done} of at most {total}"),
        )
    data = plain(as_data(study) | {"spent": {} if local else spent([access])})
    if out is not None:
        write_atomically(out, dumps(data, indent=1) + "\n")
    _keep(study, page, history)
    if json:
        emit(data)
    else:
        _tell(study)
        for path in (out, page, history):
            if path is not None:
                say(f"Written: {path}")
    return FAILED if study.failed else OK


def _open(ref: str, models: ModelOptions) -> tuple[Access, LocalModel | None]:
    """Open a model of a provider behind its record, or a local one, which costs nothing and needs none."""
    from memgauge.llm.access import Access, SpendingLimits
    from memgauge.studies.context.models import open_local

    local = open_local(ref)
    if local is None:
        return models.open(ref), None
    limits = SpendingLimits(models.max_usd, models.max_calls, workers=models.workers, per_minute=models.per_minute)
    return Access(local, limits), local


def _plan(grid: SampleGrid, access: Access, local: LocalModel | None, models: ModelOptions, *, json: bool) -> int:
    from memgauge.studies.context.grid import request

    """Say what the full grid would take, which is the most that an adaptive measurement asks."""
    if local is not None:
        told = {"prompts": len(grid), "usd": 0.0}
        emit(told) if json else say(f"{len(grid):,} prompts at most; {access.name} is local, so it costs nothing.")
        return OK
    requests = (request(grid.placed(cell), access.name) for cell in grid.cells())
    estimate = models.estimate({access.name: access}, requests)
    emit(estimate) if json else say_estimate(estimate)
    return OK


def _keep(study: ModelStudy, page: Path | None, history: Path | None) -> None:
    from memgauge.report.context_page import render_study
    from memgauge.runs.files import write_atomically
    from memgauge.studies.context.trend import append, read

    if history is not None:
        append(history, study, datetime.now(UTC).isoformat(timespec="seconds"))
    if page is not None:
        identity = {
            "model": study.model,
            "tasks": ", ".join(study.grid.tasks),
            "samples": str(study.grid.samples),
            "seed": str(study.grid.seed),
            "counter": study.grid.counter.name,
        }
        write_atomically(page, render_study(study, identity=identity, history=read(history) if history else ()))


def _tell(study: ModelStudy) -> None:
    from memgauge.report.context import effective_sheet, matcher_sheet, profile_sheet

    say(study.label)
    for sheet in (effective_sheet(study), profile_sheet(study), matcher_sheet(study)):
        if sheet is not None:
            _print(sheet)
    if study.adaptive:
        share = study.saved / max(study.asked + study.saved, 1)
        say(f"{study.asked:,} prompts were asked; {study.saved:,} of the full grid ({share:.0%}) were not needed.")


@app.command
def assembled(
    *runs: Path,
    budget: Annotated[tuple[int, ...], Repeatable] = (500,),
    policy: Annotated[tuple[str, ...], Parameter(name=["--policy"], negative=(), show_default=False)] = (),
    cut: Literal["whole", "end", "start"] = "whole",
    k: int = 10,
    counter: str = "chars/4",
    instructions: Path | None = None,
    profile: Path | None = None,
    task: str | None = None,
    answers: Annotated[bool, Flag] = False,
    right: float = 0.5,
    page: Path | None = None,
    json: AsData = False,
) -> int:
    """Say what the prompts that frozen runs would fill keep of the evidence, and where; no model is asked.

    Parameters
    ----------
    runs
        Run folders on one dataset, or folders of them; `runs` when none is named.
    budget
        Tokens of instructions and memories; repeat for several.
    policy
        Orders of assembly: relevance-first, relevance-last, chronological, edges-first; default: all of them.
    cut
        What gives way: whole memories, or the end or the start of the text.
    k
        Memories that are taken, best first.
    counter
        What counts tokens: chars/4, words, or tokenizer:PATH of a tokenizer.json.
    instructions
        A file with the text that stands before the memories; default: our own.
    profile
        What `memgauge context profile --out` wrote; then the accuracy that should follow is predicted.
    task
        The task of the profile; default: its first recall task.
    answers
        Compare predictions with the answers that `memgauge answer` left beside the runs.
    right
        Token F1 from which such an answer counts as right.
    page
        File for one HTML page.
    json
        Print everything as data.
    """
    from memgauge.cli.context_lanes import LaneOptions, assemble, tell

    order = LaneOptions(budget, policy, cut, k, counter, instructions, profile, task, answers, right)
    with working("assembling"):
        found = assemble(runs or (RUNS,), order)
    return tell(found, page, json=json)


@app.command
def tasks(*, samples: int = 50, seed: int = 0, json: AsData = False) -> int:
    """List the tasks, each with a question and how much of it stands in the evidence word by word.

    Parameters
    ----------
    samples
        Samples that the overlap is the mean of.
    seed
        Of the samples.
    json
        Print data instead of a table.
    """
    from memgauge.report.context import Sheet
    from memgauge.studies.context.tasks import TASKS
    from memgauge.studies.context.tasks import samples as make

    rows: list[dict[str, Any]] = []
    for name in sorted(TASKS.names(), key=_by_type(list(TASKS.builtin))):
        made = list(make(name, samples, seed))
        overlap = sum(one.overlap for one in made) / len(made)
        told = (TASKS.get(name).__doc__ or "").partition("\n")[0]
        rows.append(
            {
                "task": name,
                "type": str(made[0].type),
                "overlap": round(overlap, 3),
                "what": told,
                "question": made[0].question,
                "gold": list(made[0].gold),
            }
        )
    if json:
        emit(rows)
        return OK
    cells = tuple((row["task"], row["type"], f"{row['overlap']:.2f}", row["what"]) for row in rows)
    _print(Sheet("Tasks", ("task", "type", "overlap", "what it takes"), cells))
    return OK


def _by_type(known: Sequence[str]) -> Any:
    return lambda name: known.index(name) if name in known else len(known)


@app.command
def simulate(*, samples: int = 200, simulations: int = 1000, seed: int = 0, json: AsData = False) -> int:
    """Let every rule judge simulated models of known effective length: who claims more than there is.

    Parameters
    ----------
    samples
        Samples of each length.
    simulations
        Models that are judged.
    seed
        Of the simulation.
    json
        Print data instead of a table.
    """
    from dataclasses import asdict

    from memgauge.errors import ConfigError
    from memgauge.report.context import rules_sheet
    from memgauge.studies.context.simulate import adaptive, rules

    if samples < 1 or simulations < 1:
        raise ConfigError(f"samples={samples} and simulations={simulations} are not both at least 1.")
    found = [*rules(samples, simulations, seed), adaptive(samples, simulations, seed)]
    if json:
        emit([asdict(one) for one in found])
    else:
        _print(rules_sheet(found))
    return OK


def _print(sheet: Sheet) -> None:
    from rich.table import Table

    table = Table(*sheet.heads, box=None, title=sheet.title, title_justify="left")
    for row in sheet.rows:
        table.add_row(*row)
    say(table)
    if sheet.note:
        say(sheet.note)
