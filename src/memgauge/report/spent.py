"""What runs cost, phase by phase, with who says so of every amount."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from memgauge.metering import CostSource
from memgauge.results import ReadyData
from memgauge.runs.record.cost import PhaseCost
from memgauge.runs.record.phases import PHASES
from memgauge.runs.record.pricing import PricedCost, priced
from memgauge.runs.record.retried import RetriedSearches
from memgauge.runs.record.unit_costs import unit_costs
from memgauge.scoring.costless import without_costs
from memgauge.show import Cell, Column, Document, Kind, Note, Notes, Table, Tone
from memgauge.show.numbers import milliseconds

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memgauge.runs.record.cost import Amount, CostRecord
    from memgauge.runs.record.store import Run
    from memgauge.runs.record.unit_costs import UnitCost
    from memgauge.show import Block

_HEADS = {
    "wall_s": "wall s",
    "cpu_s": "CPU s",
    "model_calls": "calls",
    "tokens_in": "tokens in",
    "tokens_out": "out",
    "embedding_tokens": "to embed",
}


def document(runs: Sequence[Run]) -> Document:
    """Say of every run what each of its phases took, and what that costs by list prices."""
    blocks: list[Block] = []
    data: list[dict[str, Any]] = []
    for number, run in enumerate(runs):
        cost, money = run.cost, priced(run.cost) if run.cost else None
        retried = RetriedSearches.of(run.questions)
        spending: dict[str, Any] = {"run": str(run.folder), "plan": run.manifest.plan, "cost": None, "money": None}
        spending |= {"retried_searches": retried.again}
        if cost is not None and money is not None:
            units = unit_costs(cost, money, int(run.memories["counts"].sum()), len(run.questions["question"]))
            spending |= {"cost": cost.model_dump(mode="json", by_alias=True), "money": asdict(money)}
            spending |= {"units": [_unit_data(unit) for unit in units]}
            blocks.append(_table(f"cost{number or ''}", run.label, cost, money))
            blocks.append(_units(f"units{number or ''}", units))
            blocks.append(Notes(tuple(map(Note, _notes(cost, money)))))
        else:
            blocks.append(Notes((Note(f"{run.label}: {without_costs(run)}."),)))
        if retried.again:
            blocks.append(Notes((Note(retried.sentence, run.label, Tone.WARN),)))
        data.append(spending)
    return Document("What it cost", blocks=tuple(blocks), origin="cost.json of each run", data=ReadyData(data))


def _table(key: str, label: str, cost: CostRecord, money: PricedCost) -> Table:
    columns = (Column("phase", Kind.TEXT), *(Column(head, Kind.NUMBER) for head in (*_HEADS.values(), "USD")))
    rows: list[tuple[Cell | str, ...]] = [
        (phase, *(_cell(getattr(part, name)) for name in _HEADS), _usd(money, phase))
        for phase in PHASES
        for part in (getattr(cost, phase),)
    ]
    whole: tuple[Cell | str, ...] = (
        "in all",
        *(_cell(cost.total(name)) for name in PhaseCost.model_fields),
        _usd(money),
    )
    return Table.of(key, label, columns, [*rows, whole])


def _units(key: str, units: Sequence[UnitCost]) -> Table:
    """Say what it cost to build the memory, and what a memory and a question are of that."""
    heads = (*_HEADS.values(), "USD")
    columns = (Column("unit", Kind.TEXT), *(Column(head, Kind.NUMBER) for head in heads))
    rows: list[tuple[Cell | str, ...]] = [
        (
            unit.unit,
            *(_cell(getattr(unit.took, name)) for name in _HEADS),
            Cell("?" if unit.usd is None else f"{unit.usd:,.6f}", value=unit.usd),
        )
        for unit in units
    ]
    _, memories, questions = units
    note = (
        f"Writing took the first two, shared by {memories.of:,} memories; reading is shared by {questions.of:,}."
    )
    return Table.of(key, "By what it was spent on", columns, rows, note)


def _unit_data(unit: UnitCost) -> dict[str, Any]:
    return {"unit": unit.unit, "of": unit.of, "usd": unit.usd} | unit.took.model_dump(mode="json")


def _cell(amount: Amount) -> Cell:
    """Show an amount; one that nobody knows is no number."""
    if amount.value is None:
        return Cell("?", value=None)
    text = f"{amount.value:,}" if isinstance(amount.value, int) else f"{amount.value:,.2f}"
    return Cell(f"{text}{'*' if amount.source is CostSource.REPORTED else ''}", value=amount.value)


def _usd(money: PricedCost, phase: str = "") -> Cell:
    usd = None if money.usd is None else money.by_phase.get(phase, 0.0) if phase else money.usd
    return Cell("?" if usd is None else f"{usd:,.4f}", value=usd)


def _notes(cost: CostRecord, money: PricedCost) -> Iterator[str]:
    totals = [cost.total(name) for name in PhaseCost.model_fields]
    if any(amount.value is None for amount in totals):
        yield "?: nobody saw it, which is not 0."
    if any(amount.source is CostSource.REPORTED for amount in totals):
        yield "*: as the system, or the server of its model, says; everything else was counted."
    if cost.search_p50_ms.value is not None and cost.search_p95_ms.value is not None:
        times = (milliseconds(each) for each in (cost.search_p50_ms.value, cost.search_p95_ms.value))
        yield "A search took {} ms (median), {} ms (95th percentile).".format(*times)
    if cost.bytes_stored.value is not None:
        of = f"{cost.weighed} of {cost.conversations} conversations"
        yield f"Stored: {cost.bytes_stored.value:,} bytes, of {of}."
    if money.unpriced:
        yield f"No list price is known of {', '.join(money.unpriced)}."
    if money.priced_on:
        yield f"Prices: {money.source}, {money.priced_on}."
    yield from _missing(cost)


def _missing(cost: CostRecord) -> Iterator[str]:
    """Say what is not in these sums."""
    if cost.sittings > 1:
        yield f"The run was begun {cost.sittings} times; what was under way when one broke off is not in this."
    if cost.lost:
        yield f"Processes died {cost.lost} times, and with them what they had spent."
    if cost.unseen:
        yield f"Of {cost.unseen} of {cost.attempts} attempts nobody knows what they took."
