"""Exact match and token F1 of an answer, the best over the accepted ones.

Both compare what a *normaliser* leaves of the texts, since papers differ in what they drop: ShiftBench keeps
articles (:func:`memgauge.text.normalise.fold`, the default), SQuAD does not (:func:`fold_without_articles`).
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from memgauge.text.normalise import fold

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Normaliser = Callable[[str], str]

_ARTICLES = frozenset({"a", "an", "the"})


def fold_without_articles(text: str) -> str:
    """Fold *text* and drop the English articles.

    Source: SQuAD (Rajpurkar et al. 2016, section 6.1). Its script drops the 32 marks of ASCII, ``$`` and ``+``
    among them; here these are symbols and stay, and the punctuation of other scripts goes.
    """
    return " ".join(word for word in fold(text).split() if word not in _ARTICLES)


def exact_match(answer: str, golds: Sequence[str], normalise: Normaliser = fold) -> float:
    """Return 1 when *answer* equals any of *golds* after *normalise*, else 0.

    Raises:
        ValueError: No accepted answer: the measure is undefined, not 0.
        TypeError: *golds* is one text.
    """
    return float(normalise(answer) in {normalise(gold) for gold in accepted(golds)})


def token_f1(answer: str, golds: Sequence[str], normalise: Normaliser = fold) -> float:
    """Return the best harmonic mean of precision and recall of words, repeated words counted, over *golds*.

    Where nothing is left after *normalise*, of *answer* or of a gold, F1 is 1 when both are empty and 0 otherwise
    (SQuAD 2.0's rule for abstaining). Source: ShiftBench, appendix D; Rajpurkar et al. 2016, section 6.1.

    Raises:
        ValueError: No accepted answer: the measure is undefined, not 0.
        TypeError: *golds* is one text.
    """
    words = Counter(normalise(answer).split())
    return max(_f1(words, Counter(normalise(gold).split())) for gold in accepted(golds))


def _f1(answer: Counter[str], gold: Counter[str]) -> float:
    """Return 2 · common words / all words, which is the harmonic mean of precision and recall."""
    words = answer.total() + gold.total()
    return 2 * (answer & gold).total() / words if words else 1.0


def accepted(golds: Sequence[str]) -> Sequence[str]:
    """Return the accepted answers, if that is what they are."""
    if isinstance(golds, str):
        raise TypeError("give the accepted answers as a sequence of texts, not as one text")
    if not golds:
        raise ValueError("no accepted answer: neither exact match nor F1 is defined")
    return golds
