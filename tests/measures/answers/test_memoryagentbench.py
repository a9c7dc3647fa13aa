"""MemoryAgentBench's scores of answers."""

from __future__ import annotations

from memgauge.measures import MEASURES
from memgauge.measures.answers.memoryagentbench import NO_ANSWER, NO_FACT, NO_RIVAL
from memgauge.measures.formula import Reads
from memgauge.records import Gold, Question

QUESTION = Question("q", "c", "Where?", "sh")


def value(name: str, answer: str, gold: Gold) -> float | str:
    """Compute one measure of the registry."""
    formula = MEASURES.get(name)
    assert (formula.reads, formula.cutoff) == (Reads.ANSWERS, None)
    computed: float | str = formula.compute(answer, gold, QUESTION)
    return computed


def test_a_substring_is_enough_as_published_even_where_it_is_denied() -> None:
    """Both answers of "not Lund but Tamm" count as published; exactly, neither does."""
    for accepted in ("Lund, O.M.", "Tamm"):
        gold = Gold("q", answers=(accepted,), stale=("f00001",))
        assert value("SubstringEM_as_published", "not Lund O.M. but Tamm", gold) == 1
        assert value("ConflictEM", "not Lund O.M. but Tamm", gold) == 0
        assert value("ConflictEM", accepted.lower(), gold) == 1
    assert value("SubstringEM_as_published", "Tamm", Gold("q", answers=("Lund", "Tamm"))) == 1
    assert value("SubstringEM_as_published", "Varn", Gold("q", answers=("Tamm",))) == 0
    assert value("SubstringEM_as_published", "Varn", Gold("q")) == NO_ANSWER


def test_only_questions_with_an_older_fact_are_about_a_conflict() -> None:
    """The others are counted out with that reason, for they dilute it."""
    for stale, why in ((None, NO_FACT), ((), NO_RIVAL)):
        assert value("ConflictEM", "Tamm", Gold("q", answers=("Tamm",), stale=stale)) == why
    assert value("ConflictEM", "Tamm", Gold("q", stale=("f1",))) == NO_ANSWER


def test_every_event_has_to_be_named() -> None:
    """One of two is not enough."""
    gold = Gold("q", answers=("the fire", "the flood"))
    assert value("EventQA_as_published", "First The Fire, then the flood.", gold) == 1
    assert value("EventQA_as_published", "the fire", gold) == 0
    assert value("EventQA_as_published", "the fire", Gold("q")) == NO_ANSWER
