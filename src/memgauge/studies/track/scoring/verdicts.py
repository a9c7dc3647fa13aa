"""Whether an answer is right, as far as rules can tell: dates, numbers, lists, brief phrases; before any judge."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memgauge.measures.answers.typed import AnswerType, kind_of, typed_match
from memgauge.results import result
from memgauge.studies.track.scoring.spelling import answer_of, dated, holds, words

LONGEST = 60
"""Words of an answer that rules look at: whoever recites everything has answered nothing."""
PHRASE = 8
"""Words of an accepted answer that has to stand in the answer as it is; longer ones are free text."""
TYPED = frozenset({AnswerType.DATE, AnswerType.NUMBER, AnswerType.DURATION, AnswerType.TRUTH, AnswerType.NAME})

_NUMBER = re.compile(r"\W*\d[\d,]*(?:\.\d+)?\W*(?:[A-Za-z%]+\W*){0,2}|\D*")
_HEDGES = frozenset({"or", "either", "not", "neither", "nor", "maybe", "perhaps", "isn't", "wasn't"})
_LISTED = re.compile(r"\s*[,;\n]\s*(?:and\s+)?|\s+and\s+|\s+&\s+")


@result
@dataclass(frozen=True, slots=True)
class AnswerVerdict:
    """What became of one answer."""

    score: float | None
    """From 0 to 1; ``None`` where nobody can tell, which is never counted as 0."""
    correct: bool | None
    """Whether all that was asked for is there."""
    how: str
    """``exact``, ``typed``, ``list``, ``phrase``, ``silence`` or ``judge``."""
    reason: str = ""
    """Why there is no score, or what a judge said."""
    raw: str = ""
    """The judge's reply, word for word."""

    @property
    def settled(self) -> bool:
        """Whether no judge could make it better."""
        return self.correct is True or self.how == "silence"


def by_rules(text: str, gold: str) -> AnswerVerdict:
    """Judge *text* beside the accepted answer by rules alone."""
    answer, gold_answer = dated(answer_of(text)), dated(answer_of(gold))
    answer_words, gold_words = words(answer), words(gold_answer)
    if not answer_words:
        return _verdict(0.0, "silence")
    if answer_words == gold_words:
        return _verdict(1.0, "exact")
    if len(answer_words) > LONGEST + len(gold_words):
        return AnswerVerdict(0.0, False, "phrase", f"longer than {LONGEST} words beyond the accepted answer")  # noqa: FBT003 - a frozen value's field
    kind = _kind(gold_answer)
    if kind is AnswerType.SET:
        return _listed(answer, answer_words, gold_answer)
    if kind in TYPED:
        score = typed_match(answer, [gold_answer])
        if score == 1.0 or kind is not AnswerType.NAME:
            return _verdict(float(score), "typed")
    return _phrase(answer_words, gold_words)


def _kind(gold: str) -> AnswerType | None:
    """Say what the accepted answer is; versions and ranges are no numbers, whatever digits they hold."""
    kind = kind_of(gold)
    if kind in {AnswerType.NUMBER, AnswerType.DURATION} and not _NUMBER.fullmatch(gold):
        return None
    return kind


def _verdict(score: float, how: str) -> AnswerVerdict:
    return AnswerVerdict(score, score == 1.0, how)


def _phrase(answer_words: tuple[str, ...], gold_words: tuple[str, ...]) -> AnswerVerdict:
    if len(gold_words) > PHRASE:
        return AnswerVerdict(None, None, "phrase", "the accepted answer is free text, which needs a judge")
    return _verdict(float(_states(answer_words, gold_words)), "phrase")


def _listed(answer: str, answer_words: tuple[str, ...], gold: str) -> AnswerVerdict:
    """Score a list by the share of its items that are named, in any order and beside anything else."""
    items = [item for item in _LISTED.split(gold) if words(item)]
    hit_count = sum(holds(answer_words, words(item)) or _dated(answer, item) for item in items)
    return _verdict(hit_count / len(items), "list")


def _dated(answer: str, item: str) -> bool:
    """Whether an item is a date, and the only one that is said."""
    return kind_of(item) is AnswerType.DATE and typed_match(answer, [item]) == 1.0


def _states(answer_words: tuple[str, ...], gold_words: tuple[str, ...]) -> bool:
    """Whether the phrase is stated, unhedged, and nothing of its shape beside it (``v1.2`` and ``v1.3``)."""
    if not holds(answer_words, gold_words) or (_HEDGES & set(answer_words)) - set(gold_words):
        return False
    shapes = {_shape(word) for word in gold_words if any(map(str.isdigit, word))}
    return not any(_shape(word) in shapes and word not in gold_words for word in answer_words)


def _shape(word: str) -> str:
    return re.sub(r"[^\W\d_]+", "a", re.sub(r"\d+", "9", word))
