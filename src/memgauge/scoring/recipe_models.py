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
from memgauge.stats.agreement import MISSING, agreement, cohen_kappa, fleiss_kappa, krippendorff_alpha

if TYPE_CHECKING:
    from collections.abc import Mapping

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
        "em_f1_examples": _share(abs(found - expected) < 1e-9 for found, expected in MATCHES),
        "locomo_cases": _share(
            abs(locomo.score_as_published(answer, gold, category) - value) < 1e-9
            for answer, gold, category, value in LOCOMO
        ),
        "injected_verdicts_accepted": float(_injected()),
        **_agreements(),
    }


def _share(held: object) -> float:
    return float(np.mean(list(held)))  # type: ignore[call-overload]


def _agreements() -> dict[str, float]:
    """Compute the coefficients of tables whose values are known."""
    pairs = [(a, b) for a, b in product((0, 1), repeat=2) for _ in range(COHEN[a][b])]
    rated = [[c for c, n in enumerate(row) for _ in range(n)] for row in FLEISS]
    observed = [[MISSING if value == "." else int(value) for value in line.split()] for line in KRIPPENDORFF]
    found = {
        "cohen_example": agreement(np.array(pairs), cohen_kappa),
        "fleiss_example": agreement(np.array(rated), fleiss_kappa),
        "krippendorff_example": agreement(np.array(observed).T, krippendorff_alpha),
    }
    values = {name: one.value for name, one in found.items() if one.value is not None}
    published = {"cohen_example": 0.4, "fleiss_example": 0.210, "krippendorff_example": 0.743}
    equal = all(abs(values.get(name, np.nan) - value) < 5e-4 for name, value in published.items())
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
