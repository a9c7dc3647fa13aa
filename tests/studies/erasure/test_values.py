"""Canaries are nobody else's, and the same for the same seed."""

from __future__ import annotations

from datetime import datetime

from hypothesis import given
from hypothesis import strategies as st

from memgauge.studies.erasure.values import canaries, names_of

AT = datetime(2031, 5, 6)  # noqa: DTZ001 - naive like every time of a turn


@given(seed=st.integers(0, 10_000))
def test_values_of_two_people_have_nothing_in_common(seed: int) -> None:
    """Nor with the questions that ask for them; each stands in what is said."""
    people = [canaries(user, seed, AT) for user in ("canary-one", "canary-two")]
    values = [canary.sought.text for own in people for canary in own]
    assert len(set(values)) == len(values)
    for own, other in (people, reversed(people)):
        for canary in own:
            assert canary.sought.text in canary.turn.text
            assert canary.sought.text not in canary.question
            assert not any(canary.sought.text in each.turn.text for each in other)


def test_the_same_seed_plants_the_same() -> None:
    """And another seed something else."""
    assert canaries("ada", 1, AT) == canaries("ada", 1, AT)
    assert canaries("ada", 1, AT) != canaries("ada", 2, AT)


def test_short_names_and_ids_are_not_looked_for() -> None:
    """They stand anywhere."""
    assert [each.label for each in names_of("ada", ["t1", "0f8fad5b-d9cb-469f-a165-70867728950e"])] == ["id1"]
