"""Reading verdicts, and deciding among them."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.llm.judges.rubrics import FACT, Grade, decide

VOTES = st.lists(st.sampled_from(list(Grade)), max_size=9)


@pytest.mark.parametrize(
    ("text", "grade"),
    [
        ('{"reason": "same fact", "verdict": "CORRECT"}', Grade.CORRECT),
        ('{"verdict": "INCORRECT"}', Grade.INCORRECT),
        ("INCORRECT", Grade.INCORRECT),
        ("The reply is vague.\nVERDICT: INCORRECT.", Grade.INCORRECT),
        ("It is the same.\nCORRECT", Grade.CORRECT),
        ("The reply is CORRECT in part, but INCORRECT", Grade.INVALID),
        ("CORRECT\nINCORRECT", Grade.INVALID),
        ("The answer is correct.", Grade.INVALID),
        ("NOT CORRECT", Grade.INVALID),
        ("PARTIALLY CORRECT", Grade.INVALID),
        ('{"verdict": "correct"}', Grade.INVALID),
        ('{"verdict": "CORRECT", "verdict": "INCORRECT"}', Grade.INVALID),
        ('{"verdict": "CORRECT"} {"verdict": "CORRECT"}', Grade.INVALID),
        ('{"verdict": "CORRECT", "score": 1}', Grade.INVALID),
        ('{"verdict": ["CORRECT"]}', Grade.INVALID),
        ('Sure! {"verdict": "CORRECT"}', Grade.INVALID),
        ("{", Grade.INVALID),
        ("", Grade.INVALID),
    ],
)
def test_only_an_exact_verdict_is_one(text: str, grade: Grade) -> None:
    """INCORRECT never matches CORRECT, and what contradicts itself or says more is invalid."""
    assert FACT.read(text) == grade


@given(st.text(max_size=80))
def test_reading_never_fails(text: str) -> None:
    """Whatever a model says, a grade comes out; prose around a word is never guessed from."""
    assert FACT.read(text) in set(Grade)
    assert FACT.read(json.dumps({"reason": text, "verdict": "INCORRECT"})) == Grade.INCORRECT


@given(VOTES, st.integers(0, 5), st.randoms(use_true_random=False))
def test_a_decision_is_a_majority_of_those_who_said_something(
    votes: list[Grade], quorum: int, random: object
) -> None:
    """The order of votes changes nothing; a tie and a missing quorum decide nothing."""
    decided = decide(votes, quorum)
    shuffled = list(votes)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert decide(shuffled, quorum) == decided
    right, wrong = votes.count(Grade.CORRECT), votes.count(Grade.INCORRECT)
    if right + wrong == 0:
        assert decided == (Grade.CUT if Grade.CUT in votes else Grade.INVALID)
    elif right + wrong < quorum or right == wrong:
        assert decided == Grade.UNDECIDED
    else:
        assert decided == (Grade.CORRECT if right > wrong else Grade.INCORRECT)


@given(VOTES)
def test_one_more_voice_never_turns_a_decision_against_itself(votes: list[Grade]) -> None:
    """Adding a vote for what was decided keeps it."""
    decided = decide(votes)
    if decided in {Grade.CORRECT, Grade.INCORRECT}:
        assert decide([*votes, decided]) == decided
