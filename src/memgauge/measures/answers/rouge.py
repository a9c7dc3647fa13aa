"""ROUGE-L: how much of an answer and of the accepted one stands in the same order in both."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.measures.answers.matching import accepted
from memgauge.text.normalise import fold

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.measures.answers.matching import Normaliser


def rouge_l(answer: str, golds: Sequence[str], normalise: Normaliser = fold) -> float:
    """Return the best harmonic mean of precision and recall of the longest common subsequence of words.

    Source: Lin 2004, section 3, with equal weights. Two empty texts are alike; one empty text is 0.

    Raises:
        ValueError: No accepted answer: the measure is undefined, not 0.
        TypeError: *golds* is one text.
    """
    words = normalise(answer).split()
    return max(_f(words, normalise(gold).split()) for gold in accepted(golds))


def _f(answer: Sequence[str], gold: Sequence[str]) -> float:
    total = len(answer) + len(gold)
    return 2 * _common(answer, gold) / total if total else 1.0


def _common(a: Sequence[str], b: Sequence[str]) -> int:
    """Return the length of the longest common subsequence."""
    lengths = [0] * (len(b) + 1)
    for word in a:
        diagonal = 0
        for place, word_b in enumerate(b, 1):
            length_above = lengths[place]
            lengths[place] = diagonal + 1 if word == word_b else max(length_above, lengths[place - 1])
            diagonal = length_above
    return lengths[-1]
