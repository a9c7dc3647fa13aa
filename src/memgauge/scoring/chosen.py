"""Scores of choices: pure functions of the rows of a layer and the options, with denominators that add up."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from enum import StrEnum
from statistics import fmean
from typing import TYPE_CHECKING

import numpy as np

from memgauge.errors import IdentityError
from memgauge.measures import Reads, parse
from memgauge.measures.answers.choices import ChoicesMade
from memgauge.records import Failures, Outcome
from memgauge.scoring.choice_floors import choice_floors
from memgauge.scoring.cutoffs import CUT_ANSWER, is_cut, why_no_mean, without_mean
from memgauge.scoring.score import DatasetSampling, MeasureColumn, summarise

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from memgauge.records import Choices, Contract
    from memgauge.runs.layers.layer import Layer
    from memgauge.runs.record.rows import Row
    from memgauge.runs.record.store import Run
    from memgauge.scoring.board import Score
    from memgauge.scoring.choice_floors import ChoiceFloor
    from memgauge.scoring.gold import GoldTable

DEFAULT = ("Choice", "Choice(corrected)", "NoChoice", "SameChoice")


class ChoiceEnding(StrEnum):
    """How one showing of one question ended."""

    RIGHT = "right"
    WRONG = "wrong"
    NO_CHOICE = "no choice"
    """The reply names no option, or more than one."""
    FAILED = "failed"
    """There is no reply: the search failed, or the model did."""


@dataclass(frozen=True)
class CategoryChoices:
    """The questions of one category, and what they give away."""

    category: str
    questions: int
    accuracy: float | None
    """Of those that could be scored."""
    chance: float
    longest: float


@dataclass(frozen=True)
class ChoiceEntry:
    """The choices of one reader from what one system returned."""

    run: str
    system: str
    chooser: str
    layer: str
    """The hash of the layer."""
    scores: tuple[Score, ...]
    endings: Mapping[ChoiceEnding, int]
    """How many showings ended so: all of them."""
    floors: tuple[ChoiceFloor, ...]
    categories: tuple[CategoryChoices, ...]
    tokens: float | None
    """Mean tokens of context that were shown."""


def ending(row: Row, choices: Choices) -> ChoiceEnding:
    """Say how one showing ended."""
    if not Outcome(row["outcome"]).valid:
        return ChoiceEnding.FAILED
    if row["choice"] is None:
        return ChoiceEnding.NO_CHOICE
    return ChoiceEnding.RIGHT if row["choice"] == choices.right else ChoiceEnding.WRONG


def choice_column(
    rows: Sequence[Row], choices: Mapping[str, Choices], gold: GoldTable, contract: Contract, name: str
) -> MeasureColumn:
    """Score every question that was shown; a failed showing leaves it out, or earns nothing, as *contract* says.

    Raises:
        ConfigError: The measure is not read from choices.
    """
    measure = parse(name).required(Reads.CHOICES)
    showings: defaultdict[str, list[Row]] = defaultdict(list)
    for row in rows:
        showings[row["question"]].append(row)
    cells: dict[str, float | str] = {}
    for question, own in showings.items():
        failed = next((row for row in own if not Outcome(row["outcome"]).valid), None)
        if failed is not None and contract.failures is not Failures.ZERO:
            cells[question] = CUT_ANSWER if is_cut(failed) else str(failed["outcome"])
        else:
            shown = choices[question]
            made = ChoicesMade(len(shown.options), shown.right, tuple(row.get("choice") for row in own))
            cells[question] = measure.formula.compute(made)
    return MeasureColumn.of(str(measure), gold, cells)


def choice_entry(
    run: Run,
    layer: Layer,
    choices: Mapping[str, Choices],
    gold: GoldTable,
    contract: Contract,
    names: Sequence[str] = DEFAULT,
) -> ChoiceEntry:
    """Score one layer of choices.

    Raises:
        IdentityError: The layer stands on another run, or the run was made on other data.
        ConfigError: A measure is not read from choices.
    """
    gold.require(run)
    if layer.manifest.base != run.seal.content:
        raise IdentityError(f"{layer.folder} stands on another run.", "Choose for this run again.")
    rows = layer.rows()
    columns = [choice_column(rows, choices, gold, contract, name) for name in names]
    unusable = why_no_mean(rows)
    scores = _summarised(columns, DatasetSampling.of(gold))
    orders: defaultdict[str, list[Sequence[int]]] = defaultdict(list)
    for row in rows:
        orders[row["question"]].append(row["order"])
    asked = [choices[question] for question in orders]
    counts = Counter(ending(row, choices[row["question"]]) for row in rows)
    shown = [row["tokens"] for row in rows if row.get("tokens") is not None]
    accuracy = choice_column(rows, choices, gold, contract, "Choice")
    return ChoiceEntry(
        run=str(run.folder),
        system=run.label,
        chooser=layer.manifest.label,
        layer=layer.hash,
        scores=tuple(without_mean(score, unusable) if unusable else score for score in scores),
        endings={each: counts[each] for each in ChoiceEnding},
        floors=tuple(choice_floors(asked, orders)),
        categories=tuple(_by_category(asked, gold, accuracy)),
        tokens=float(np.mean(shown)) if shown else None,
    )


def _summarised(columns: Sequence[MeasureColumn], sampling: DatasetSampling) -> list[Score]:
    """Give intervals of their own to what is no share: corrected for guessing, it may lie below 0."""
    is_share = {column.name: parse(column.name).formula.unit == "share" for column in columns}
    groups = ([column for column in columns if is_share[column.name] is shares] for shares in (True, False))
    scores = {
        score.measure: score
        for shares, group in zip((True, False), groups, strict=True)
        if group
        for score in summarise(group, sampling, shares=shares)
    }
    return [scores[column.name] for column in columns]


def _by_category(asked: Sequence[Choices], gold: GoldTable, accuracy: MeasureColumn) -> Iterator[CategoryChoices]:
    categories: defaultdict[str, list[Choices]] = defaultdict(list)
    for each in asked:
        categories[gold.questions[gold.number[each.question]].category].append(each)
    for category, own in sorted(categories.items()):
        places = [gold.number[each.question] for each in own]
        values = accuracy.rows.values[places][accuracy.rows.defined[places]]
        yield CategoryChoices(
            category,
            len(own),
            float(values.mean()) if len(values) else None,
            chance=fmean(1 / len(each.options) for each in own),
            longest=fmean(each.longest_right for each in own),
        )
