"""Measures of what hits say, beside what was true: time, contradiction, sets, silence.

What a dataset does not say cannot be scored: without versions there is no measure of time, without facts no
contradiction and no set, and each such question is left out with that reason. Source: "Evaluating Agent Memory
Beyond Context Length" names the measures; ``docs/quality-interface.md`` lists the flaws of its definitions.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from memgauge.measures import temporal
from memgauge.measures.contradiction import Voice, contradictions, unresolved, values
from memgauge.measures.formula import Formula, Reads
from memgauge.measures.sets import f1_of_sets
from memgauge.measures.temporal import HitCurrency, Presence

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from memgauge.records import Fact, Gold, Question

NO_VERSIONS = "the dataset names no versions"
ONE_VERSION = "there is one version only"
ANOTHER_TIME = "asks for another time"
THIS_TIME = "asks for what holds"
NO_FACTS = "the dataset names no facts"
NOTHING_SAID = "nothing functional is said"
NO_CONFLICT = "no conflict in the store is touched"
NOT_A_SET = "not spread over sessions"
NO_ANSWER = "there is no answer to find"
AN_ANSWER = "there is an answer to find"
NO_HITS = "nothing was returned"

Cell = float | str
"""A value, or why there is none."""


@dataclass(frozen=True)
class Voiced:
    """One hit: the turns that it still speaks for, and the facts that it says."""

    turns: frozenset[str]
    facts: tuple[Fact, ...]
    marked: bool
    past: frozenset[str] = frozenset()
    """Turns whose values it names as what is not so, or no longer."""

    def speaks_for(self, evidence: frozenset[str], *, now: bool) -> bool:
        """Whether it says what *evidence* says; what it calls past answers only a question about the past."""
        return bool((self.turns if now else self.turns | self.past) & evidence)


@dataclass(frozen=True)
class QuestionFacts:
    """One question with what is true of it and what its hits say."""

    gold: Gold
    question: Question
    hits: Sequence[Voiced]
    evidence: frozenset[str]
    wanted: Sequence[Fact]
    """The facts that its evidence states."""
    stored: Mapping[Hashable, AbstractSet[str]]
    """The values that the store says to hold, by functional slot."""
    known: bool
    """Whether the dataset says what is true at all."""

    @property
    def is_now(self) -> bool:
        """Whether what is wanted holds when it is asked for; without facts nothing says otherwise."""
        return all(fact.holds(self.question.asked_at) for fact in self.wanted)


def voices(hits: Iterable[Voiced]) -> Iterator[Voice]:
    """Yield what *hits* say, value by value."""
    for hit in hits:
        for fact in hit.facts:
            yield Voice((fact.subject, fact.slot), fact.value, fact.functional, hit.marked)


def _timed(
    value: Callable[[Sequence[HitCurrency]], float | None],
    question: QuestionFacts,
    k: int | None,
    *,
    now: bool = True,
) -> Cell:
    """Look at questions for what holds when they are asked, or at those for what held at another time."""
    stale = question.gold.stale
    if stale is None:
        return NO_VERSIONS
    if not question.evidence:
        return NO_ANSWER
    if not stale:
        return ONE_VERSION
    if question.is_now is not now:
        return ANOTHER_TIME if now else THIS_TIME
    stale_turns = frozenset(stale)
    worth = value(
        [
            HitCurrency(
                hit.speaks_for(question.evidence, now=now),
                bool((hit.turns & stale_turns) - _said_again(hit, question.evidence)),
                hit.marked,
            )
            for hit in question.hits[:k]
        ]
    )
    return NO_HITS if worth is None else float(worth)


def _said_again(hit: Voiced, evidence: frozenset[str]) -> set[str]:
    """Return the turns of versions that *hit* says only as the evidence says them: a value may come back."""
    true_values = {
        (fact.subject, fact.slot, fact.value) for fact in hit.facts if evidence.intersection(fact.turns)
    }
    same = (fact for fact in hit.facts if (fact.subject, fact.slot, fact.value) in true_values)
    return {turn for fact in same for turn in fact.turns}


def _omitted(hits: Sequence[HitCurrency]) -> bool:
    return temporal.presence(hits) in {Presence.NONE, Presence.STALE}


def _contradiction(question: QuestionFacts, k: int | None, *, share: bool) -> Cell:
    if not question.known:
        return NO_FACTS
    counts = contradictions(voices(question.hits[:k]))
    value = counts.rate if share else counts.any
    return NOTHING_SAID if value is None else float(value)


def _unresolved(question: QuestionFacts, k: int | None) -> Cell:
    if not question.known:
        return NO_FACTS
    value = unresolved(voices(question.hits[:k]), question.stored)
    return NO_CONFLICT if value is None else value


def _set(question: QuestionFacts, k: int | None) -> Cell:
    if not question.known:
        return NO_FACTS
    slots = {(fact.subject, fact.slot) for fact in question.wanted}
    if len(question.gold.sessions) < 2 or len(slots) != 1 or any(fact.functional for fact in question.wanted):
        return NOT_A_SET
    returned_values = {
        voice.value for voice in voices(question.hits[:k]) if voice.slot in slots and not voice.marked
    }
    f1 = f1_of_sets(returned_values, {fact.value for fact in question.wanted})
    return NOT_A_SET if f1 is None else f1


def _silent_rightly(question: QuestionFacts, _: int | None) -> Cell:
    return float(not question.hits) if question.gold.abstain else AN_ANSWER


def _silent_wrongly(question: QuestionFacts, _: int | None) -> Cell:
    return float(not question.hits) if question.evidence else NO_ANSWER


def stored_values(hits: Iterable[Voiced]) -> Mapping[Hashable, AbstractSet[str]]:
    """Collect the values that everything stored says to hold, by functional slot."""
    return values(voices(hits))


_TIMELESS: Final = "the dataset names no versions, or asks for another time"
_FACTLESS: Final = "the dataset names no facts, or nothing functional is said"
_PAPER: Final = "after Evaluating Agent Memory Beyond Context Length"


def _of_time(value: Callable[[Sequence[HitCurrency]], float | None], says: str, *, lower: bool = False) -> Formula:
    return Formula(
        partial(_timed, value), reads=Reads.FACTS, lower=lower, undefined=_TIMELESS, source=_PAPER, says=says
    )


def _of_facts(compute: Callable[..., Cell], says: str, undefined: str = _FACTLESS) -> Formula:
    return Formula(
        compute, cutoff=False, reads=Reads.FACTS, lower=True, undefined=undefined, source=_PAPER, says=says
    )


STRICT = _of_time(temporal.strict, "Score 1 where the version that holds is returned and no other.")
LENIENT = _of_time(
    temporal.lenient,
    "Score 1 where the version that holds comes before every other that is not marked as history.",
)
CONTAMINATED = _of_time(
    temporal.contaminated, "Score 1 where a version of another time is returned as if it held.", lower=True
)
OMITTED = _of_time(_omitted, "Score 1 where the version that holds is not returned.", lower=True)
STALE_SHARE = _of_time(
    temporal.stale_share, "Return the share of the hits that say what does not hold.", lower=True
)
AS_OF = Formula(
    partial(_timed, temporal.strict, now=False),
    reads=Reads.FACTS,
    undefined="the dataset names no versions, or asks for what holds",
    source=_PAPER,
    says="Score 1 where the version that held at the time asked for is returned and no other.",
)
CONTRADICTION = _of_facts(
    partial(_contradiction, share=True), "Return the share of functional slots of which two values are returned."
)
ANY_CONTRADICTION = _of_facts(
    partial(_contradiction, share=False), "Score 1 where two values of any functional slot are returned."
)
UNRESOLVED = _of_facts(
    _unresolved,
    "Return the share of conflicts in the store that a result leaves open.",
    "the dataset names no facts, or no conflict in the store is touched",
)
SET_F1 = Formula(
    _set,
    cutoff=False,
    reads=Reads.FACTS,
    undefined="what is wanted is no set spread over sessions",
    source=_PAPER,
    says="Return the harmonic mean of precision and recall of the values of a set.",
)
SILENT_RIGHTLY = Formula(
    _silent_rightly,
    cutoff=None,
    reads=Reads.FACTS,
    undefined=AN_ANSWER,
    says="Score 1 where nothing is returned and there is nothing to find.",
)
SILENT_WRONGLY = Formula(
    _silent_wrongly,
    cutoff=None,
    reads=Reads.FACTS,
    lower=True,
    undefined=NO_ANSWER,
    says="Score 1 where nothing is returned although there is an answer.",
)
