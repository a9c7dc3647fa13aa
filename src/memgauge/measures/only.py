"""Measures of what came back beside what was wanted: for datasets that say what must stay away."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.measures.facts import AN_ANSWER, NO_ANSWER
from memgauge.measures.formula import Formula, Reads

if TYPE_CHECKING:
    from memgauge.measures.facts import Cell, QuestionFacts


def only_wanted(question: QuestionFacts, k: int | None) -> Cell:
    """Score 1 where something is returned and every hit speaks for evidence."""
    if not question.evidence:
        return NO_ANSWER
    hits = question.hits[:k]
    return float(bool(hits) and all(hit.turns & question.evidence for hit in hits))


def returned(question: QuestionFacts, k: int | None) -> Cell:
    """Count the hits."""
    return float(len(question.hits[:k]))


def false_positives(question: QuestionFacts, k: int | None) -> Cell:
    """Count the hits where there is nothing to find."""
    return float(len(question.hits[:k])) if question.gold.abstain else AN_ANSWER


_SOURCE = "after PrecisionMemBench, without its tiers"
ONLY_WANTED = Formula(
    only_wanted, cutoff=False, reads=Reads.FACTS, undefined="there is no answer to find", source=_SOURCE
)
RETURNED = Formula(
    returned, cutoff=False, reads=Reads.FACTS, lower=True, unit="hits", undefined="the search failed"
)
FALSE_POSITIVES = Formula(
    false_positives,
    cutoff=False,
    reads=Reads.FACTS,
    lower=True,
    unit="hits",
    undefined="there is an answer to find",
    source=_SOURCE,
)
