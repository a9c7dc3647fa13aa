"""Scores of answers: pure functions of a layer's rows and gold, with the same denominators as everything else."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from memgauge.errors import IdentityError
from memgauge.measures import Rows
from memgauge.measures.answers import exact_match, fold_without_articles, locomo, rouge_l, token_f1
from memgauge.measures.answers.typed import typed_match
from memgauge.records import Denominator, Failures, Outcome
from memgauge.registry import Registry
from memgauge.scoring.cutoffs import CUT_ANSWER, is_cut, why_no_mean, without_mean
from memgauge.scoring.score import DatasetSampling, MeasureColumn, summarise
from memgauge.scoring.supported import NAMES as BY_WORDS
from memgauge.scoring.supported import supported_columns

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memgauge.records import Contract, Gold, Question
    from memgauge.runs.layers.layer import Layer
    from memgauge.runs.record.rows import Row
    from memgauge.runs.record.store import Run
    from memgauge.scoring.board import Score
    from memgauge.scoring.gold import GoldTable

    Value = float | str
    """A value, or why there is none."""
    Scorer = Callable[[str, Gold, Question], Value]

NO_ANSWER = "no accepted answer"
UNANSWERABLE = "the right reply is to abstain"
ANSWERABLE = "the question has an answer"


def _matching(measure: Callable[[str, Sequence[str]], Value]) -> Scorer:
    def score(answer: str, gold: Gold, _: Question) -> Value:
        if gold.abstain:
            return UNANSWERABLE
        return measure(answer, gold.answers) if gold.answers else NO_ANSWER

    return score


def _official(rule: Callable[[str, str, str], float]) -> Scorer:
    """Score by a rule of LoCoMo, which looks at the category."""

    def score(answer: str, gold: Gold, question: Question) -> Value:
        if gold.abstain or gold.answers:
            return rule(answer, gold.answers[0] if gold.answers else "", question.category)
        return NO_ANSWER

    return score


def abstention(answer: str, gold: Gold, _: Question) -> Value:
    """Return 1 where the answerer rightly abstains, 0 where it answers what nobody said."""
    return float(not answer) if gold.abstain else ANSWERABLE


def false_abstention(answer: str, gold: Gold, _: Question) -> Value:
    """Return 1 where the answerer abstains although there is an answer."""
    return UNANSWERABLE if gold.abstain else float(not answer)


SCORERS: Registry[Scorer] = Registry(
    "scorer of answers",
    "memgauge.scorers",
    {
        "EM": _matching(exact_match),
        "F1": _matching(token_f1),
        "F1(articles)": _matching(lambda answer, golds: token_f1(answer, golds, fold_without_articles)),
        "ROUGE-L": _matching(rouge_l),
        "Typed": _matching(typed_match),
        "LoCoMo": _official(locomo.score),
        "LoCoMo_as_published": _official(locomo.score_as_published),
        "Abstention": abstention,
        "FalseAbstention": false_abstention,
    },
)
"""What can be said of an answer without a judge, by name."""
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


def answer_column(
    rows: Sequence[Row], gold: GoldTable, contract: Contract, name: str, score: Scorer | None = None
) -> MeasureColumn:
    """Score every answer of a layer; who has no value is counted with the reason."""
    scorer = score or SCORERS.get(name)
    found = {row["question"]: row for row in rows}
    values, defined = np.zeros(len(gold.questions)), np.zeros(len(gold.questions), dtype=np.bool_)
    excluded: Counter[str] = Counter()
    for place, (question, one) in enumerate(zip(gold.questions, gold.golds, strict=True)):
        row = found.get(question.id)
        if row is None:
            continue  # not part of this run
        value = _value(row, one, question, scorer, contract)
        if isinstance(value, str):
            excluded[value] += 1
        else:
            values[place], defined[place] = value, True
    scored = int(defined.sum())
    total = scored + sum(excluded.values())
    return MeasureColumn(name, Rows(values, defined), Denominator(total, scored, dict(sorted(excluded.items()))))


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
    """
    gold.require(run)
    if layer.manifest.base != run.seal.content:
        raise IdentityError(f"{layer.folder} stands on another run.", "Answer this run again.")
    rows = layer.rows()
    by_words = {one.name: one for one in supported_columns(run, layer, gold, [n for n in names if n in BY_WORDS])}
    columns = [by_words.get(name) or answer_column(rows, gold, contract, name) for name in names]
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
