"""What quality costs: every ranked system on a front against tokens, time and money, each with its interval."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from memgauge.measures import Rows, parse
from memgauge.runs.record.conversation_costs import money_by_conversation
from memgauge.runs.record.pricing import priced
from memgauge.scoring.board import CostAxis, CostFront, CostPlace
from memgauge.scoring.costless import without_costs
from memgauge.scoring.fronts import front
from memgauge.stats import estimates

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from memgauge.measures import Measure
    from memgauge.scoring.align import JudgedRun
    from memgauge.scoring.board import Entry
    from memgauge.scoring.gold import GoldTable
    from memgauge.scoring.score import DatasetSampling

UNRANKED: Final = "it is not ranked"


@dataclass(frozen=True, eq=False)
class RunCosts:
    """What the questions of one run took, and what they were worth: all that fronts need of it."""

    paid: Mapping[CostAxis, Rows | str]
    """What each question took, or why that is not known."""
    worth: Mapping[str, Rows]
    """What each question is worth by the measures of fronts, better the higher."""

    @classmethod
    def of(cls, judged: JudgedRun, gold: GoldTable, primary: Measure, k: int) -> RunCosts:
        """Read it of one run; *primary* and *k* are those of the board."""
        measures = {_measure(axis, primary, k) for axis in CostAxis}
        return cls(
            {axis: _paid(axis, judged, gold) for axis in CostAxis},
            {str(measure): _worth(judged, measure) for measure in measures},
        )


def _measure(axis: CostAxis, primary: Measure, k: int) -> Measure:
    """Hold what is handed over in whole against what is found in all of it, and not within a budget."""
    return parse(f"Recall@{k}") if axis is CostAxis.TOKENS and primary.budgets else primary


def cost_fronts(
    entries: Sequence[Entry],
    costs: Mapping[str, RunCosts],
    primary: Measure,
    k: int,
    sampling: DatasetSampling,
) -> tuple[CostFront, ...]:
    """Place every ranked system of *entries* on a front for each thing that a question takes.

    *costs* are those of the runs of a board, by folder.
    """
    systems = [entry for entry in entries if entry.role == "system"]
    return tuple(
        _front(axis, _measure(axis, primary, k), systems, costs, sampling) for axis in CostAxis if systems
    )


def _front(
    axis: CostAxis,
    measure: Measure,
    systems: Sequence[Entry],
    runs: Mapping[str, RunCosts],
    sampling: DatasetSampling,
) -> CostFront:
    labels = {entry.run: entry.label for entry in systems}
    ranked = {entry.run for entry in systems if entry.rank is not None}
    asked = {entry.run: runs[entry.run].paid[axis] for entry in systems}
    costs = {name: _cost(labels[name], rows, sampling) for name, rows in asked.items()}
    paid = {name: rows for name, rows in asked.items() if isinstance(rows, Rows) and name in ranked}
    means = {name: costs[name].cost or 0.0 for name in paid}
    short = {entry.run for entry in systems if not entry.short_of.keys().isdisjoint(measure.budgets)}
    placed = front(means, {name: runs[name].worth[str(measure)] for name in paid}, sampling, paid, short)
    places = [
        replace(
            costs[name],
            standing=placed[name].standing,
            beside=labels.get(placed[name].beside, ""),
            difference=placed[name].difference,
            low=placed[name].low,
            high=placed[name].high,
        )
        if name in placed
        else replace(costs[name], why=costs[name].why or UNRANKED)
        for name in labels
    ]
    return CostFront(axis, str(measure), tuple(places))


def _worth(judged: JudgedRun, measure: Measure) -> Rows:
    """Value every question, better the higher."""
    rows = judged.rows(measure)
    return replace(rows, values=-rows.values) if measure.formula.lower else rows


def _cost(label: str, rows: Rows | str, sampling: DatasetSampling) -> CostPlace:
    if isinstance(rows, str):
        return CostPlace(label, None, why=rows)
    (mean,) = estimates(rows.values[:, np.newaxis], sampling.clusters, rows.defined[:, np.newaxis])
    low = None if mean.low is None else max(mean.low, 0.0)  # nothing is paid back
    return CostPlace(label, mean.mean, low, mean.high)


def _paid(axis: CostAxis, judged: JudgedRun, gold: GoldTable) -> Rows | str:
    """Return what each question took, or why that is not known."""
    match axis:
        case CostAxis.MONEY:
            return _money(judged, gold)
        case CostAxis.TOKENS:
            column, why = "tokens", "the lengths of its texts are not in the record"
        case CostAxis.LATENCY:
            column, why = "ms", "nobody timed it"
    questions = judged.run.questions
    values = np.asarray(questions[column], dtype=np.float64)
    return _by_question(values, questions["question"].tolist(), gold) or why


def _money(judged: JudgedRun, gold: GoldTable) -> Rows | str:
    """Share what a conversation cost, building and reading, among its questions."""
    cost, run = judged.run.cost, judged.run
    if cost is None:
        return without_costs(run)
    money = priced(cost)
    if money.unpriced:
        return f"no list price is known of {', '.join(money.unpriced)}"
    if money.usd is None:
        return "nobody saw what it asked models"
    if not cost.whole:
        return "more was spent than anybody saw"
    homes = run.questions["conversation"].tolist()
    asked = Counter(homes)
    spent = money_by_conversation(run.folder) if money.usd else dict.fromkeys(asked, 0.0)
    if spent is None:
        return "nobody saw what it asked models"
    shares = np.array([spent.get(home, 0.0) / asked[home] for home in homes])
    return _by_question(shares, run.questions["question"].tolist(), gold) or "it was asked nothing"


def _by_question(values: NDArray[np.float64], names: Sequence[str], gold: GoldTable) -> Rows | None:
    """Put values in the order of the gold; ``None`` where not one is known."""
    rows = np.full(len(gold.questions), np.nan)
    places = [gold.number.get(name, -1) for name in names]
    known = [at for at, place in enumerate(places) if place >= 0]
    rows[[places[at] for at in known]] = values[known]
    defined = ~np.isnan(rows)
    return Rows(np.where(defined, rows, 0.0), defined) if defined.any() else None
