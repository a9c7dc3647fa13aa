"""Three deterministic heuristics in place of judges: labelled as such, never called one (targets.md, section 8).

Inference and yes-or-no answers are out of their reach; J3 looks at words of the question too and is
lenient.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.text.words import content_stems

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from memgauge.studies.targets.semantic.cases import SupportCase

SUPPORTS, PARTIAL, NOT, INVALID = "supports", "partial", "not", "invalid"


def recall_of_answer(case: SupportCase) -> str:
    """J1: how many words of the answer that the question lacks the memory holds: .8 supports, any is partial."""
    return _graded(content_stems(case.gold) - content_stems(case.question), case, 0.8, 0.0)


def recall_beside_evidence(case: SupportCase) -> str:
    """J2: the same beside what the evidence itself holds; without any of it there nothing can be said."""
    gold_words = (content_stems(case.gold) - content_stems(case.question)) & content_stems(" ".join(case.evidence))
    return _graded(gold_words, case, 0.8, 0.0)


def retention(case: SupportCase) -> str:
    """J3: how much of the evidence's words of question and answer the memory keeps: .7 supports, .3 is partial."""
    gold_words = (content_stems(case.gold) | content_stems(case.question)) & content_stems(" ".join(case.evidence))
    return _graded(gold_words, case, 0.7, 0.3)


PROXIES: Mapping[str, Callable[[SupportCase], str]] = {
    "heuristic:J1": recall_of_answer,
    "heuristic:J2": recall_beside_evidence,
    "heuristic:J3": retention,
}


def _graded(gold_words: frozenset[str], case: SupportCase, supports: float, partial: float) -> str:
    if not gold_words:
        return INVALID
    share = len(gold_words & content_stems(case.memory)) / len(gold_words)
    if share >= supports:
        return SUPPORTS
    return PARTIAL if share > partial or share == partial > 0 else NOT
