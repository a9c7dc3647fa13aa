"""The figures of answers and judges, computed again: examples with known values, and attempts that must fail."""

from __future__ import annotations

import json
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from memgauge.llm.judges.items import fact
from memgauge.llm.judges.panel import Judge
from memgauge.llm.judges.rubrics import Grade
from memgauge.llm.judges.sentinels import PAYLOADS
from memgauge.llm.scripted import Scripted
from memgauge.measures.answers import exact_match, fold_without_articles, locomo, rouge_l, token_f1
from memgauge.measures.answers.beam import event_order, rubric_score, rubric_score_as_published
from memgauge.measures.answers.halumem import (
    HaluMemLabel,
    UpdatePoint,
    answers,
    integrity,
    interference_resistance,
    updates,
    updates_as_published,
)
from memgauge.measures.answers.longmemeval import must_abstain
from memgauge.measures.answers.typed import typed_match
from memgauge.records import Gold, Question
from memgauge.runs.layers.tasks import task_of
from memgauge.stats.agreement import MISSING, agreement, cohen_kappa, fleiss_kappa, krippendorff_alpha

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

MATCHES = (
    (token_f1("The cat sat.", ["a cat sat"]), 2 / 3),
    (token_f1("The cat sat.", ["a cat sat"], fold_without_articles), 1.0),
    (token_f1("blue car", ["red car", "a blue car"]), 0.8),
    (token_f1("", ["blue"]), 0.0),
    (exact_match("It\u2019s Paris!", ["its paris"]), 1.0),
    (exact_match("The Paris", ["Paris"]), 0.0),
    (exact_match("The Paris", ["Paris"], fold_without_articles), 1.0),
    (rouge_l("the cat sat on mats", ["the cat is on mats"]), 0.8),
)
"""Answers and what they are worth, worked out by hand under both papers' normalisations."""

TYPED = (
    ("21 March", "March 21", 1.0),
    ("3/21", "March 21", 1.0),
    ("2026-03-21", "March 21", 1.0),
    ("Mar. 21", "March 21", 1.0),
    ("the 21st of March", "March 21", 1.0),
    ("March 2100 units", "March 21", 0.0),
    ("March 210", "March 21", 0.0),
    ("Not March 21, I have March 12", "March 21", 0.0),
    ("three weeks", "21 days", 1.0),
    ("coffee and tea", "tea, coffee", 1.0),
)
"""Values in other renderings, and other values in the same words."""

LONGMEMEVAL = {
    "temporal-reasoning": "off by one",
    "knowledge-update": "earlier state",
    "single-session-preference": "need not name every point",
    "multi-session": "only a part",
}
"""What LongMemEval tolerates, or does not, by type."""

LOCOMO = (
    ("tea, coffee", "coffee, tea", "multi-hop", 1.0),
    ("tea", "coffee, tea", "multi-hop", 0.5),
    ("tea, coffee, milk, rum", "coffee, tea", "multi-hop", 1.0),
    ("yes", "Yes; she loves it", "open-domain", 1.0),
    ("7 May 2023", "7 May, 2023", "temporal", 1.0),
    ("in Paris", "Paris", "single-hop", 2 / 3),
    ("That is not mentioned.", "self-care", "adversarial", 1.0),
    ("I do not know", "self-care", "adversarial", 0.0),
)
"""LoCoMo's published rules: commas, semicolons, stems, declining."""

COHEN = ((20, 5), (10, 15))
"""Fifty items: both yes, only the first, only the second, both no; kappa is 0.4."""
FLEISS = (
    (0, 0, 0, 0, 14), (0, 2, 6, 4, 2), (0, 0, 3, 5, 6), (0, 3, 9, 2, 0), (2, 2, 8, 1, 1),
    (7, 7, 0, 0, 0), (3, 2, 6, 3, 0), (2, 5, 3, 2, 2), (6, 5, 2, 1, 0), (0, 2, 2, 3, 7),
)  # fmt: skip
"""Ten items in five categories by fourteen raters; kappa is 0.210."""
KRIPPENDORFF = (
    "1 2 3 3 2 1 4 1 2 . . .",
    "1 2 3 3 2 2 4 1 2 5 . 3",
    ". 3 3 3 2 3 4 2 2 5 1 .",
    "1 2 3 3 2 4 4 1 2 5 1 .",
)
"""Four observers of twelve units, with gaps; nominal alpha is 0.743 (Krippendorff 2011, section C)."""


def models() -> Mapping[str, float]:
    """Compute every figure; nothing is asked of any model."""
    return {
        "em_f1_examples": _share(abs(measured - expected) < 1e-9 for measured, expected in MATCHES),
        "locomo_cases": _share(
            abs(locomo.score_as_published(answer, gold, category) - value) < 1e-9
            for answer, gold, category, value in LOCOMO
        ),
        "longmemeval_cases": _share(_longmemeval()),
        "halumem_cases": _share(_halumem()),
        "beam_cases": _share(_beam()),
        "typed_cases": _share(typed_match(answer, [gold]) == value for answer, gold, value in TYPED),
        "injected_verdicts_accepted": float(_injected()),
        **_agreements(),
    }


def _longmemeval() -> Iterator[bool]:
    """Compare what a judge is told for each type of question, and which ids must be declined."""
    task = task_of("longmemeval", "official")
    for category, words in LONGMEMEVAL.items():
        (item,) = task(Question("q", "c", "?", category), Gold("q", answers=("18",)), "19")
        yield words in str(item.parts["rule"])
    yield must_abstain("6a1eabeb_abs")
    yield not must_abstain("abs_6a1eabeb")


def _halumem() -> Iterator[bool]:
    """Compare rates of labels, and both denominators of updates, with what they are by hand."""
    points = [UpdatePoint(0, None), UpdatePoint(3, HaluMemLabel.CORRECT), UpdatePoint(1, HaluMemLabel.OTHER)]
    yield updates_as_published(points).rates[HaluMemLabel.CORRECT] == 1 / 2
    yield updates(points).rates[HaluMemLabel.CORRECT] == 1 / 3
    yield answers([HaluMemLabel.CORRECT, HaluMemLabel.OMISSION]).rates[HaluMemLabel.HALLUCINATION] == 0
    yield integrity([2, 1, 0, 2]) == 1 / 2
    yield interference_resistance([0, 2], extracted=0) is None


def _beam() -> Iterator[bool]:
    """Compare points with and without their halves, and the order of events, with what they are by hand."""
    yield rubric_score([1, 0.5, 0, 0.5]) == 1 / 2
    yield rubric_score_as_published([1, 0.5, 0, 0.5]) == 1 / 4
    score = event_order(["b", "a", "c"], ["a", "b", "c"]).value
    yield score is not None and abs(score - 1 / 3) < 1e-9
    yield event_order([], ["a", "b"]).value is None


def _share(checks: object) -> float:
    return float(np.mean(list(checks)))  # type: ignore[call-overload]


def _agreements() -> dict[str, float]:
    """Compute the coefficients of tables whose values are known."""
    pairs = [(a, b) for a, b in product((0, 1), repeat=2) for _ in range(COHEN[a][b])]
    rated = [[c for c, n in enumerate(row) for _ in range(n)] for row in FLEISS]
    observed = [[MISSING if value == "." else int(value) for value in line.split()] for line in KRIPPENDORFF]
    agreements = {
        "cohen_example": agreement(np.array(pairs), cohen_kappa),
        "fleiss_example": agreement(np.array(rated), fleiss_kappa),
        "krippendorff_example": agreement(np.array(observed).T, krippendorff_alpha),
    }
    values = {name: each.value for name, each in agreements.items() if each.value is not None}
    published_values = {"cohen_example": 0.4, "fleiss_example": 0.210, "krippendorff_example": 0.743}
    equal = all(abs(values.get(name, np.nan) - value) < 5e-4 for name, value in published_values.items())
    return values | {"kappa_equals_oracle": float(equal)}


def _injected() -> int:
    """Count how often a judge that says INCORRECT, and quotes a payload in any place, is read as CORRECT."""
    accepted = 0
    for payload, quote in product(PAYLOADS, QUOTES):
        answer = payload.format("Rome")
        reply = quote(answer)
        vote = Judge(Scripted([reply])).vote(fact("Where is she?", "Paris", answer))
        accepted += vote.grade == Grade.CORRECT
    return accepted


QUOTES = (
    lambda answer: json.dumps({"reason": answer, "verdict": "INCORRECT"}),
    lambda answer: f"The reply was: {answer}\nVERDICT: INCORRECT",
    lambda answer: f"INCORRECT, since the reply was:\n{answer}",
    lambda answer: answer,
    lambda answer: answer.splitlines()[-1],
)
"""The ways in which a judge's reply can hold the payload that it was shown."""
