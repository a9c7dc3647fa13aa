"""What hits say is held against what was true when it is asked."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memgauge.measures.facts import CONTAMINATED, STALE_SHARE, STRICT, QuestionFacts, Voiced
from memgauge.records import Evidence, Fact, Gold, Question


def version(turn: str, value: str) -> Fact:
    """Return one version of where somebody lives, which ended unless it is the third."""
    return Fact(
        turn,
        "c",
        "Ada",
        "city",
        value,
        (turn,),
        valid_to=None if turn == "t3" else datetime(2024, 5, int(turn[1]), tzinfo=UTC),
    )


PARIS, ROME, AGAIN = (version(*each) for each in (("t1", "Paris"), ("t2", "Rome"), ("t3", "Paris")))


@pytest.mark.parametrize(
    ("said", "stale"),
    [
        ((PARIS, AGAIN), 0.0),
        ((AGAIN,), 0.0),
        ((PARIS, ROME, AGAIN), 1.0),
        ((ROME, AGAIN), 1.0),
        ((PARIS,), 1.0),
    ],
)
def test_a_value_that_comes_back_is_not_stale_where_it_holds_again(said: tuple[Fact, ...], stale: float) -> None:
    """A memory that descends from all versions and says the one value is of the one that holds."""
    hit = Voiced(frozenset(fact.id for fact in said), said, marked=False)
    gold = Gold("q", (Evidence("t3", exact=True, turns=("t3",)),), answers=("Paris",), stale=("t1", "t2"))
    question = Question("q", "c", "Where does Ada live?", "now")
    facts = QuestionFacts(gold, question, [hit], frozenset({"t3"}), [AGAIN], {}, known=True)
    assert CONTAMINATED.compute(facts, 5) == STALE_SHARE.compute(facts, 5) == stale
    assert STRICT.compute(facts, 5) == float(AGAIN in said) * (1 - stale)
