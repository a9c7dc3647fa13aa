"""Deciding among verdicts."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memgauge.llm.judges.rubrics import Grade, decide

VOTES = st.lists(st.sampled_from(list(Grade)), max_size=9)


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
