"""MemoryAgentBench's scores of answers, as published, and what they say of conflicts alone.

An accepted answer inside the reply is enough for the benchmark, so that "not Rome but Watertown" is right for
either; and a quarter to a third of the questions about conflicts concern facts that nothing replaced.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.measures.answers.matching import exact_match, fold_without_articles
from memgauge.measures.formula import Formula, Reads

if TYPE_CHECKING:
    from collections.abc import Callable

    from memgauge.records import Gold, Question

    Value = float | str
    """A value, or why there is none."""

NO_ANSWER = "no accepted answer"
NO_RIVAL = "no older fact speaks of the same"
NO_FACT = "nobody says which fact it rests on"
SOURCE = "MemoryAgentBench's own code"


def within(answer: str, gold: Gold, _: Question) -> Value:
    """Score 1 where an accepted answer stands in the reply, without case, punctuation and articles."""
    if not gold.answers:
        return NO_ANSWER
    reply = fold_without_articles(answer)
    return float(any(fold_without_articles(accepted) in reply for accepted in gold.answers))


def conflict(answer: str, gold: Gold, _: Question) -> Value:
    """Score 1 where the reply is an accepted answer and no more, of questions whose fact has an older rival."""
    if not gold.answers:
        return NO_ANSWER
    if gold.stale is None:
        return NO_FACT
    return exact_match(answer, gold.answers) if gold.stale else NO_RIVAL


def every(answer: str, gold: Gold, _: Question) -> Value:
    """Score 1 where every accepted string stands in the reply, whatever the case, as for EventQA."""
    if not gold.answers:
        return NO_ANSWER
    reply = answer.casefold()
    return float(all(accepted.casefold() in reply for accepted in gold.answers))


def _of_answers(
    compute: Callable[[str, Gold, Question], Value], undefined: str = NO_ANSWER, source: str = SOURCE
) -> Formula:
    return Formula(compute, cutoff=None, reads=Reads.ANSWERS, undefined=undefined, source=source)


SUBSTRING_AS_PUBLISHED = _of_answers(within)
EVENTS_AS_PUBLISHED = _of_answers(every)
CONFLICT = _of_answers(conflict, NO_RIVAL, "")
