from __future__ import annotations

from typing import Any

import pytest

from memgauge.measures.facts import AN_ANSWER, NO_ANSWER, QuestionFacts, Voiced
from memgauge.measures.only import false_positives, only_wanted, returned
from memgauge.records import Evidence, Gold, Question


def asked(wanted: set[str], *hits: set[str]) -> QuestionFacts:
    """A question that calls for turns, and the turns that its hits speak for."""
    evidence = tuple(Evidence(turn, exact=True, turns=(turn,)) for turn in sorted(wanted))
    voiced: list[Any] = [Voiced(frozenset(turns), (), marked=False) for turns in hits]
    gold = Gold("q", evidence, abstain=not wanted)
    return QuestionFacts(gold, Question("q", "c", "Which?", "x"), voiced, frozenset(wanted), [], {}, known=False)


@pytest.mark.parametrize(
    ("hits", "value"),
    [([{"a"}], 1.0), ([{"a"}, {"b"}], 1.0), ([{"a"}, {"c"}], 0.0), ([set()], 0.0), ([], 0.0)],
)
def test_only_what_is_wanted(hits: list[set[str]], value: float) -> None:
    """One hit that is not wanted spoils the set, and so does silence."""
    assert only_wanted(asked({"a", "b"}, *hits), None) == value


def test_a_cutoff_looks_at_the_first_hits() -> None:
    """What comes behind the cutoff neither spoils nor counts."""
    question = asked({"a"}, {"a"}, {"c"})
    assert (only_wanted(question, 1), only_wanted(question, 2)) == (1.0, 0.0)
    assert (returned(question, 1), returned(question, None)) == (1.0, 2.0)


def test_where_there_is_nothing_to_find_every_hit_is_false() -> None:
    """False positives are counted there alone, and a pure set is asked for elsewhere."""
    assert false_positives(asked(set(), {"a"}, {"b"}), None) == 2.0
    assert false_positives(asked(set()), None) == 0.0
    assert false_positives(asked({"a"}, {"b"}), None) == AN_ANSWER
    assert only_wanted(asked(set(), {"a"}), None) == NO_ANSWER
