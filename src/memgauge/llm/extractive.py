"""Answer with a short span of the retrieved texts: deterministic, without a model, for English.

No good reader, and not meant to be one: it reads for every memory system alike, so that a difference in answers
comes from what was retrieved. It chooses the sentence that shares most words with the question, cuts from it what
the question word asks for (a time, a number, a name, a place), and otherwise drops from its ends what the question
already said. Counting shared words, it flatters lexical retrieval: its scores compare, they do not rate.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from memgauge.errors import ConfigError
from memgauge.text.dates import MONTHS
from memgauge.text.tokens import WORDS
from memgauge.text.words import content_stems

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_SENTENCE = re.compile(r"[^.!?\n]+[.!?]*")
_WORD = re.compile(WORDS)

_MONTH = f"(?-i:{'|'.join(MONTHS)})"  # in lower case, three of them are verbs or adjectives
_DAY = "monday|tuesday|wednesday|thursday|friday|saturday|sunday"
_UNIT = "second|minute|hour|day|night|week|weekend|month|year|decade"
_NUMBER = (
    r"\d+(?:[.,:]\d+)*|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty"
)
_TH = r"(?:st|nd|rd|th)?"
_TIME = rf"""(?ix)
    (?:\d{{1,2}}{_TH}\s+(?:of\s+)?)?\b{_MONTH}\b(?:\s+\d{{1,2}}{_TH}\b)?(?:,?\s+\d{{4}})?
  | \b(?:{_NUMBER}|a|few)\s+(?:{_UNIT})s?\s+ago\b
  | \b(?:last|next|this|past|every)\s+(?:{_UNIT}|{_DAY}|spring|summer|fall|autumn|winter)s?\b
  | \b(?:yesterday|today|tonight|tomorrow|{_DAY})\b
  | \b(?:19|20)\d{{2}}\b
"""
_NAME = r"\b[A-Z][\w'&-]*(?:\s+(?:of\s+)?[A-Z][\w'&-]*)*"


class _AnswerShape(NamedTuple):
    """What a question word asks for, and how that looks in a sentence."""

    question: re.Pattern[str]
    answer: re.Pattern[str]


_KINDS = tuple(
    _AnswerShape(re.compile(question, re.IGNORECASE), re.compile(answer))
    for question, answer in (
        (r"\bwhen\b|\b(?:what|which)\s+(?:date|day|month|time|year)\b", _TIME),
        (r"\bhow\s+long\b", rf"(?i)\b(?:{_NUMBER}|a|few)\s+(?:{_UNIT})s?\b"),
        (r"\bhow\s+(?:many|much|old|often)\b", rf"(?i)\b(?:{_NUMBER}|once|twice)\b"),
        (r"\bwho(?:m|se)?\b", _NAME),
        (r"\bwhere\b|\b(?:what|which)\s+(?:city|country|place|state)\b", rf"(?<=\bin |\bat |\bto ){_NAME}"),
    )
)


@dataclass(frozen=True)
class Extractive:
    """Answer with the span of the best sentences that fits the question."""

    sentences: int = 1
    """How many sentences may contribute, the best first."""

    version: ClassVar[str] = "1"

    def __post_init__(self) -> None:
        if self.sentences < 1:
            raise ConfigError(f"Parameter extractive:sentences={self.sentences} is not at least 1.")

    @property
    def name(self) -> str:
        """Name it with its parameter."""
        return f"extractive:sentences={self.sentences}"

    def answer(self, question: str, context: Sequence[str]) -> str:
        """Join the spans of the best sentences; abstain where *context* says nothing beyond *question*."""
        asked = next((kind.answer for kind in _KINDS if kind.question.search(question)), None)
        known = content_stems(question)
        best = sorted(_sentences(context), key=lambda s: _merit(s, known, asked), reverse=True)
        spans = (_span(sentence, known, asked) for sentence in best)
        return " ".join(islice(filter(None, spans), self.sentences))


def _sentences(context: Sequence[str]) -> Iterator[str]:
    return (sentence.strip() for text in context for sentence in _SENTENCE.findall(text))


def _merit(sentence: str, known: frozenset[str], asked: re.Pattern[str] | None) -> tuple[int, bool, bool]:
    """Count the words shared with the question, and what it asks for as one more; statements win ties."""
    holds = asked is not None and _asked_for(sentence, known, asked) is not None
    return len(known & content_stems(sentence)) + holds, holds, not sentence.endswith("?")


def _span(sentence: str, known: frozenset[str], asked: re.Pattern[str] | None) -> str:
    match = _asked_for(sentence, known, asked) if asked else None
    return match or _trim(sentence, known)


def _asked_for(sentence: str, known: frozenset[str], asked: re.Pattern[str]) -> str | None:
    """Return the first match of *asked* that says more than the question and function words."""
    return next((match[0] for match in asked.finditer(sentence) if content_stems(match[0]) - known), None)


def _trim(sentence: str, known: frozenset[str]) -> str:
    """Drop function words and words of the question from both ends; empty where nothing else is left."""
    new = [word for word in _WORD.finditer(sentence) if content_stems(word[0]) - known]
    return sentence[new[0].start() : new[-1].end()] if new else ""
