"""Whether an answer is right, as far as rules can tell: dates, numbers, lists, brief phrases; before any judge."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from memgauge.measures.answers.typed import AnswerType, typed_match
from memgauge.results import result
from memgauge.studies.track.scoring.repeated import without_values
from memgauge.studies.track.scoring.rivals import LISTED, hedged, recited, rivals, surplus, value_kind
from memgauge.studies.track.scoring.spelling import answer_of, dated, holds, timed, words
from memgauge.text.values import days

if TYPE_CHECKING:
    from collections.abc import Collection

LONGEST = 60
"""Words of an answer that rules look at: whoever recites everything has answered nothing."""
PHRASE = 8
"""Words of an accepted answer that has to stand in the answer as it is; longer ones are free text."""
JUDGED: Final = "judge"
"""How a verdict came about that a model gave, or was to give."""
TYPED = frozenset({AnswerType.DATE, AnswerType.NUMBER, AnswerType.DURATION, AnswerType.TRUTH, AnswerType.NAME})


@result
@dataclass(frozen=True, slots=True)
class AnswerVerdict:
    """What became of one answer."""

    score: float | None
    """From 0 to 1; ``None`` where nobody can tell, which is never counted as 0."""
    correct: bool | None
    """Whether all that was asked for is there."""
    how: str
    """``exact``, ``typed``, ``list``, ``phrase``, ``silence``, ``lost`` (no whole reply) or ``judge``."""
    reason: str = ""
    """Why there is no score, or what a judge said."""
    raw: str = ""
    """The judge's reply, word for word."""

    @property
    def settled(self) -> bool:
        """Whether no judge could make it better."""
        return self.correct is True or self.how == "silence"


def by_rules(text: str, gold: str, people: Collection[str] = (), question: str = "") -> AnswerVerdict:
    """Judge *text* beside the accepted answer by rules alone.

    *people* are whoever could have been meant. What an answer repeats of its *question* is no rival of the
    accepted answer, unless the question names that too.
    """
    answer, gold_answer = dated(answer_of(text)), dated(answer_of(gold))
    answer_words, gold_words = words(answer), words(gold_answer)
    if not answer_words:
        return _verdict(0.0, "silence")
    if answer_words == gold_words:
        return _verdict(1.0, "exact")
    if len(answer_words) > LONGEST + len(gold_words):
        return AnswerVerdict(0.0, False, "phrase", f"longer than {LONGEST} words beyond the accepted answer")  # noqa: FBT003 - a frozen value's field
    verdict = _spelled_out(answer, gold_answer, people)
    if verdict.score in {None, 1.0}:
        return verdict
    return _beside_question(verdict, answer, gold_answer, people, dated(question))


def _beside_question(
    verdict: AnswerVerdict, answer: str, gold: str, people: Collection[str], question: str
) -> AnswerVerdict:
    """Judge again without what the answer repeats of its question; doubtful where it may mean that otherwise."""
    repeated = without_values(answer, question, gold, people)
    if repeated is None:
        return verdict
    without = _spelled_out(repeated.answer, gold, people)
    if (without.score or 0.0) <= (verdict.score or 0.0):
        return verdict
    if repeated.told_again:
        return without
    reason = "beside the accepted answer stands what the question names, in other words than there: for a judge"
    return AnswerVerdict(None, None, verdict.how, reason)


def _spelled_out(answer: str, gold: str, people: Collection[str]) -> AnswerVerdict:
    """Judge as it stands, and where brief units of time are to be given (``30 s``), with these in full as well."""
    verdict = _by_kind(answer, gold, people)
    if verdict.score in {None, 1.0} or timed(gold) == gold:
        return verdict
    in_full = _by_kind(timed(answer), timed(gold), people)
    return in_full if (in_full.score or 0.0) > (verdict.score or 0.0) else verdict


def _by_kind(answer: str, gold: str, people: Collection[str]) -> AnswerVerdict:
    """Judge by what the accepted answer is; what is denied, or one of several that are named, is not stated."""
    kind = value_kind(gold)
    how = "list" if kind is AnswerType.SET else "typed" if kind in TYPED else "phrase"
    is_free = kind not in {*TYPED, AnswerType.SET} and len(words(gold)) > PHRASE
    open_to_doubt = kind is not AnswerType.TRUTH and not is_free
    if open_to_doubt and hedged(answer, gold):
        return _verdict(0.0, how)
    if kind is AnswerType.SET:
        return _listed(answer, gold, people)
    if open_to_doubt and (recited(answer, gold) or rivals(answer, [gold], people)):
        return _verdict(0.0, how)
    score = float(typed_match(answer, [gold])) if kind in TYPED else 0.0
    if kind in TYPED and (score == 1.0 or kind is not AnswerType.NAME):
        return _verdict(score, how)
    return _phrase(words(answer), words(gold))


def _verdict(score: float, how: str) -> AnswerVerdict:
    return AnswerVerdict(score, score == 1.0, how)


def _phrase(answer_words: tuple[str, ...], gold_words: tuple[str, ...]) -> AnswerVerdict:
    if len(gold_words) > PHRASE:
        return AnswerVerdict(None, None, "phrase", "the accepted answer is free text, which needs a judge")
    return _verdict(float(_states(answer_words, gold_words)), "phrase")


def _listed(answer: str, gold: str, people: Collection[str]) -> AnswerVerdict:
    """Score a list by the share of its items that are named, in any order, among all that could be items."""
    items = [item for item in LISTED.split(gold) if words(item)]
    answer_words = words(answer)
    hit_count = sum(holds(answer_words, words(item)) or _dated(answer, item) for item in items)
    beside = max(len(rivals(answer, items, people)), surplus(answer, items))
    return _verdict(hit_count / (len(items) + beside), "list")


def _dated(answer: str, item: str) -> bool:
    """Whether an item is a date that is said in another spelling."""
    return value_kind(item) is AnswerType.DATE and any(
        typed_match(answer[slice(*day.span)], [item]) == 1.0 for day in days(answer)
    )


def _states(answer_words: tuple[str, ...], gold_words: tuple[str, ...]) -> bool:
    """Whether the phrase is stated, and nothing of its shape beside it (``v1.2`` and ``v1.3``)."""
    if not holds(answer_words, gold_words):
        return False
    shapes = {_shape(word) for word in gold_words if any(map(str.isdigit, word))}
    return not any(_shape(word) in shapes and word not in gold_words for word in answer_words)


def _shape(word: str) -> str:
    return re.sub(r"[^\W\d_]+", "a", re.sub(r"\d+", "9", word))
