"""`memgauge runs plan` and `memgauge run`."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

from memgauge.errors import BudgetError
from memgauge.frame.console import progress
from memgauge.frame.exits import FAILED, OK
from memgauge.frame.metering import UNMETERED, MeteringOptions
from memgauge.frame.numbers import MONEY, PER_MINUTE
from memgauge.frame.options import JudgeNames, RunOptions
from memgauge.frame.output import PLAIN, SHOWN, Output, Printing, present
from memgauge.frame.placing import HERE, Placing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.runs.costs import ModelCost
    from memgauge.runs.play.plan import Plan, Workload
    from memgauge.show import Table


def plan(
    *,
    options: RunOptions,
    model: str | None = None,
    panel: JudgeNames = (),
    prompt: str = "answer-neutral",
    max_usd: Annotated[float | None, MONEY] = None,
    per_minute: Annotated[float | None, PER_MINUTE] = None,
    output: Output = SHOWN,
) -> int:
    """Say what a run would take, and answering and judging it, before anything is spent.

    Counts are exact. Seconds are extrapolated from running the first conversation, which is done only for systems
    that need neither a model nor a server; calls, tokens and money from what the models would be asked about it.

    Example: memgauge runs plan -d synthetic -s bm25 --model openai:gpt-4.1-mini

    Parameters
    ----------
    model
        Also say what answers of this model would take: `provider:name`.
    panel
        Also say what verdicts of these judges would take; repeat for several.
    prompt
        The prompt of the model.
    max_usd
        Exit with 1 where it would cost more, or nobody knows.
    per_minute
        Calls a minute, for the time that models take.
    """
    from memgauge.results import ReadyData
    from memgauge.runs.play.plan import estimate
    from memgauge.runs.record.announced import AnnouncedPlan
    from memgauge.show import Document, Note, Notes

    planned = options.plan()
    estimates = estimate(planned)
    expected = _costs(planned, model, panel, prompt)
    calls = sum(cost.calls for cost in expected)
    usd = None if any(cost.usd is None for cost in expected) else sum(cost.usd or 0.0 for cost in expected)
    minutes = calls / per_minute if per_minute else None
    models = {"costs": list(map(asdict, expected)), "calls": calls, "usd": usd, "minutes": minutes}
    digest = AnnouncedPlan.of(cell.manifest for cell in planned.cells).digest
    seconds = _total(estimates)
    data = {"plan": digest, "cells": [asdict(e) for e in estimates], "seconds": seconds, "models": models}
    tables = (_workloads(planned, estimates), *([_calls(expected, usd, minutes)] if expected else []))
    announced = Notes((Note(f"The plan's digest, which every run of it will name: {digest}"),))
    document = Document(
        "What it would take", _in_short(seconds), blocks=(*tables, announced), data=ReadyData(data)
    )
    present(document, output, name="plan")
    over = max_usd is not None and (usd is None or not usd <= max_usd)  # NaN allows nothing
    if over:
        cost = "No price is known for some of it" if usd is None else f"It would cost {usd:.2f} USD"
        raise BudgetError(f"{cost}, and --max-usd allows {max_usd:g}.")
    return OK


def _costs(planned: Plan, model: str | None, panel: Sequence[str], prompt: str) -> list[ModelCost]:
    from memgauge.llm.judges.panel import Judge, Panel
    from memgauge.llm.prices import price_of
    from memgauge.llm.prompted import Prompted
    from memgauge.llm.prompts import open_prompt
    from memgauge.llm.scripted import Scripted
    from memgauge.runs.costs import costs

    if model is None and not panel:
        return []
    judges = [name for text in panel for name in text.split(",")]
    prices = {name: price_of(name) for name in {*judges, *([model] if model else [])}}
    # Nobody is asked: a model that says nothing stands in for each, under its name.
    answerer = Prompted(Scripted([], name=model), open_prompt(prompt)) if model else None
    judging = Panel(tuple(Judge(Scripted([], name=name)) for name in judges)) if judges else None
    return costs(planned, answerer, judging, prices)


def run(
    *,
    options: RunOptions,
    placing: Placing = HERE,
    metering: MeteringOptions = UNMETERED,
    shown: Printing = PLAIN,
) -> int:
    """Run memory systems on datasets and freeze what they return.

    A run that is there already is not repeated; an interrupted one goes on after its last whole conversation.

    Example: memgauge run -d synthetic -s bm25 -s mymemory:MyMemory
    """
    from memgauge.cli.endings import RunEnding, document
    from memgauge.runs.play.execute import execute
    from memgauge.runs.record.seal import sealed

    with metering.open(options.system, options.out, placing) as uncounted:
        planned = options.plan()
        for label, part in stood_in(planned):
            shown.tell(f"{label}: {part} is a stand-in; its row is marked and never ranked.")
        for label in disk_played(planned):
            shown.tell(f"{label} keeps its index on disk, for a conversation is long; its ranking is the same.")
        with progress(quiet=shown.as_data) as on_progress:
            before = {folder.name for folder in options.out.glob("*") if sealed(folder)}
            folders = execute(
                planned, options.out, executor=placing.open(), uncounted=uncounted, on_progress=on_progress
            )
    endings = [RunEnding.read(folder, was_there=folder.name in before) for folder in folders]
    failed = any(each.searches.failed or each.writes.failed for each in endings)
    return present(document(endings, options.out), shown, name="run", code=FAILED if failed else OK)


def stood_in(planned: Plan) -> list[tuple[str, str]]:
    """List which parts of the systems of a plan stand in for the real thing, by label."""
    systems = {cell.manifest.system.label: cell.manifest.system.capabilities for cell in planned.cells}
    return [(label, part) for label, promises in systems.items() for part in promises.get("stand_ins", ())]


def disk_played(planned: Plan) -> list[str]:
    """List the labels of the systems of a plan that are played from an index on disk."""
    labels = (cell.manifest.system.label for cell in planned.cells if cell.manifest.played_by)
    return list(dict.fromkeys(labels))


def _total(estimates: list[Workload]) -> float | None:
    seconds = [e.seconds for e in estimates]
    return None if None in seconds else sum(s for s in seconds if s is not None)


def _in_short(seconds: float | None) -> str:
    if seconds is None:
        return "Some cells need more than this machine."
    return f"Running calls no model, so it costs nothing: about {seconds:.0f} s on one worker."


def _workloads(planned: Plan, estimates: Sequence[Workload]) -> Table:
    """Say of every cell how much work it is."""
    from memgauge.show import Cell, Column, Kind, Table

    rows = [
        (
            cell.manifest.dataset.ref,
            each.label,
            cell.conversations,
            each.turns,
            each.searches,
            Cell("unknown" if each.seconds is None else f"{each.seconds:.1f}", value=each.seconds),
            ", ".join(each.needs) or "nothing",
        )
        for cell, each in zip(planned.cells, estimates, strict=True)
    ]
    counts = (Column(head, Kind.COUNT) for head in ("conversations", "turns", "searches"))
    words = (Column(head, Kind.PROSE) for head in ("dataset", "system"))
    columns = (*words, *counts, Column("seconds", Kind.NUMBER), Column("needs", Kind.PROSE))
    return Table.of("cells", "Running", columns, rows)


def _calls(expected: Sequence[ModelCost], usd: float | None, minutes: float | None) -> Table:
    """Say what models would be asked, and for how much."""
    from memgauge.show import Cell, Column, Kind, Table

    rows = [
        (
            cost.system,
            cost.work,
            cost.model,
            cost.calls,
            cost.input_tokens,
            cost.output_tokens,
            Cell("unknown" if cost.usd is None else f"{cost.usd:.2f}", value=cost.usd),
            cost.basis,
        )
        for cost in expected
    ]
    words = (Column(head, Kind.PROSE) for head in ("system", "work", "model"))
    counts = (Column(head, Kind.COUNT) for head in ("calls", "tokens in", "out at most"))
    columns = (*words, *counts, Column("USD", Kind.NUMBER), Column("from", Kind.PROSE))
    money = "at a price that is not known" if usd is None else f"about {usd:.2f} USD"
    time = "" if minutes is None else f", about {minutes:.0f} min"
    calls = sum(cost.calls for cost in expected)
    note = f"{calls:,} calls of models, {money}{time}. Records may hold some already."
    return Table.of("calls", "Asking models", columns, rows, note)
