"""Factual consistency of an answer with the memories that it was made from, claim by claim: a heuristic on words.

The third document names the measure and does not define it. Here an answer is cut into claims, and each is
supported, contradicted or unsupported. What can be seen is words and values: no inference, no paraphrase. A
judge sees more (``memgauge models judge --rules consistency``); this one is free, deterministic, and the same for
every system.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING

from memgauge.text.tokens import tokenize
from memgauge.text.values import amounts, days, identifiers
from memgauge.text.words import FUNCTION_WORDS

if TYPE_CHECKING:
    from collections.abc import Sequence

SHARE = 0.8
"""The share of a claim's words that a memory must hold to speak of the same thing."""
_CLAUSE = re.compile(r"(?<=[.!?;])\s+|\n+")
_NO_WORDS = "no not never none nobody nothing isn't wasn't don't doesn't didn't won't can't cannot"
_NO = frozenset(_NO_WORDS.split())


class Support(StrEnum):
    """What memories say of a claim."""

    SUPPORTED = "supported"
    CONTRADICTED = "contradicted"
    UNSUPPORTED = "unsupported"


@dataclass(frozen=True, slots=True)
class ClaimCounts:
    """How many claims of an answer ended in each way."""

    supported: int
    contradicted: int
    unsupported: int

    @property
    def claims(self) -> int:
        """Count all claims."""
        return self.supported + self.contradicted + self.unsupported

    @property
    def faithfulness(self) -> float | None:
        """Return the share of supported claims; an answer without claims has none."""
        return self.supported / self.claims if self.claims else None


@dataclass(frozen=True, slots=True)
class _Read:
    """A text as words and values."""

    words: frozenset[str]
    values: frozenset[object]
    kinds: frozenset[str]
    denied: bool


class QuestionMemories:
    """The memories of one question, read once for all claims."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._read = [_read(text) for text in texts]

    def support(self, claim: str, share: float = SHARE) -> Support:
        """Say what the memories make of *claim*.

        Supported: one memory holds *share* of its words and all of its values, and denies it no more than it does
        itself. Contradicted: one holds *share* of its other words with another value of the same kind, or with the
        opposite polarity. A claim that one memory supports and another contradicts is supported, for nobody knows
        here which is the newer.
        """
        claim_content = _read(claim)
        is_contradicted = False
        for memory in self._read:
            if not claim_content.words or len(claim_content.words & memory.words) < share * len(
                claim_content.words
            ):
                continue
            agree = claim_content.values <= memory.values
            if agree and claim_content.denied == memory.denied:
                return Support.SUPPORTED
            is_contradicted |= agree or bool(claim_content.kinds & memory.kinds)
        return Support.CONTRADICTED if is_contradicted else Support.UNSUPPORTED


def claims(answer: str) -> tuple[str, ...]:
    """Cut an answer into sentences and clauses that say something."""
    parts = (part.strip() for part in _CLAUSE.split(answer))
    return tuple(part for part in parts if part and not part.endswith("?") and _says(part))


def consistency(answer: str, memories: QuestionMemories, share: float = SHARE) -> ClaimCounts:
    """Count the claims of an answer by what *memories* make of them."""
    endings = [memories.support(claim, share) for claim in claims(answer)]
    return ClaimCounts(*(endings.count(kind) for kind in Support))


def _says(text: str) -> bool:
    content = _read(text)
    return bool(content.words or content.values)


@lru_cache(maxsize=65_536)  # one memory is shown for many questions
def _read(text: str) -> _Read:
    dated = [day.readings for day in days(text)]
    quantities, names = amounts(text), identifiers(text)
    tokens = tokenize(_masked(text))
    words = {
        word
        for word in tokenize(" ".join(tokens), stem="english")
        if word not in FUNCTION_WORDS and word not in _NO
    }
    kinds = {
        *(["date"] if dated else []),
        *({f"amount {amount.unit}" for amount in quantities}),
        *(["identifier"] if names else []),
    }
    return _Read(
        frozenset(words),
        frozenset([*dated, *quantities, *names]),
        frozenset(kinds),
        bool(_NO.intersection(tokens)),
    )


def _masked(text: str) -> str:
    """Take dates out of a text, whose words are no content of their own; digits go with their words."""
    for day in reversed(days(text)):
        text = text[: day.span.start] + " " + text[day.span.end :]
    return re.sub(r"\d[\d.,]*", " ", text)
