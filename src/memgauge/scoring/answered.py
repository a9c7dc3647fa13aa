"""Scores of answers: pure functions of a layer's rows and gold, with the same denominators as everything else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from memgauge.errors import IdentityError
from memgauge.measures import Reads, parse
from memgauge.records import Failures, Outcome
from memgauge.scoring.cutoffs import CUT_ANSWER, is_cut, why_no_mean, without_mean
from memgauge.scoring.score import DatasetSampling, MeasureColumn, summarise
from memgauge.scoring.supported import supported_columns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.measures.answers.scorers import Scorer, Value
    from memgauge.records import Contract, Gold, Question
    from memgauge.runs.layers.layer import Layer
    from memgauge.runs.record.rows import Row
    from memgauge.runs.record.store import Run
    from memgauge.scoring.board import Score
    from memgauge.scoring.gold import GoldTable

DEFAULT = ("F1", "EM", "Abstention", "FalseAbstention")


@dataclass(frozen=True)
class AnswerEntry:
    """The answers of one system by one answerer."""

    run: str
    system: str
    answerer: str
    layer: str
    """The hash of the layer."""
    scores: tuple[Score, ...]
    tokens: float | None
    """Mean tokens of context that were shown."""
    usd: float | None
    """What all replies cost; ``None`` where no price is known or no model was asked."""


def answer_column(rows: Sequence[Row], gold: GoldTable, contract: Contract, name: str) -> MeasureColumn:
    """Score every answer of a layer; who has no value is counted with the reason.

    Raises:
        ConfigError: The measure is read from something else than answers.
    """
    measure = parse(name).required(Reads.ANSWERS)
    scorer: Scorer = measure.formula.compute
    row_of = {row["question"]: row for row in rows}
    cells = {
        question.id: _value(row_of[question.id], accepted, question, scorer, contract)
        for question, accepted in zip(gold.questions, gold.golds, strict=True)
        if question.id in row_of
    }
    return MeasureColumn.of(str(measure), gold, cells)


def _value(row: Row, gold: Gold, question: Question, scorer: Scorer, contract: Contract) -> Value:
    if not Outcome(row["outcome"]).valid:
        wanted = scorer("", gold, question)
        zero = contract.failures is Failures.ZERO and not isinstance(wanted, str)
        return 0.0 if zero else CUT_ANSWER if is_cut(row) else str(row["outcome"])
    return scorer(row["text"], gold, question)


def entry(run: Run, layer: Layer, gold: GoldTable, contract: Contract, names: Sequence[str]) -> AnswerEntry:
    """Score one layer of answers.

    Raises:
        IdentityError: The layer stands on another run, or the run was made on other data.
        ConfigError: A measure is not read from answers.
    """
    measures = [parse(name).required(Reads.ANSWERS, Reads.CLAIMS) for name in names]
    gold.require(run)
    if layer.manifest.base != run.seal.content:
        raise IdentityError(f"{layer.folder} stands on another run.", "Answer this run again.")
    rows = layer.rows()
    of_claims = [measure for measure in measures if measure.formula.reads is Reads.CLAIMS]
    by_words = dict(zip(of_claims, supported_columns(run, layer, gold, of_claims), strict=True))
    columns = [by_words.get(measure) or answer_column(rows, gold, contract, str(measure)) for measure in measures]
    shown = [row["tokens"] for row in rows if row.get("tokens") is not None]
    prices = [row["usage"]["usd"] for row in rows if row.get("usage")]
    known = prices and None not in prices
    unusable = why_no_mean(rows)
    scores = summarise(columns, DatasetSampling.of(gold))
    return AnswerEntry(
        run=str(run.folder),
        system=run.label,
        answerer=layer.manifest.label,
        layer=layer.hash,
        scores=tuple(without_mean(score, unusable) if unusable else score for score in scores),
        tokens=float(np.mean(shown)) if shown else None,
        usd=float(sum(prices)) if known else None,
    )
