"""Canaries are nobody else's, and the same for the same seed."""

from __future__ import annotations

import re
from datetime import datetime

from hypothesis import given
from hypothesis import strategies as st

from memgauge.studies.erasure.values import canaries, invented_users, names_of

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


@given(seed=st.integers(0, 10_000))
def test_invented_names_look_like_ids_and_begin_alike(seed: int) -> None:
    """A deletion by prefix reaches from one to the next; the stranger is apart."""
    names = invented_users(seed)
    assert all(re.fullmatch(r"u-[1-9]\d{6,12}", name) for name in (*names.planted, names.stranger))
    assert names.longer.startswith(names.subject)
    assert names.subject.startswith(names.shorter)
    assert len({*names.planted, names.stranger}) == 4
    assert not names.stranger.startswith(names.shorter)


def test_ids_of_canaries_are_looked_for() -> None:
    """They are too long to be met by chance."""
    user = invented_users(0).subject
    ids = [canary.turn.id for canary in canaries(user, 0, AT)]
    assert [each.text for each in names_of(user, ids)] == [user, *ids]


def test_names_of_others_that_hold_a_name_are_known() -> None:
    """Those that are the same or hold none are not."""
    (name,) = names_of("u-4821", [], ["u-48219", "U-4821-old", "u-4821", "u-482"])
    assert name.within == ("u-48219", "U-4821-old")


def test_short_names_and_ids_are_not_looked_for() -> None:
    """They stand anywhere."""
    assert [each.label for each in names_of("ada", ["t1", "0f8fad5b-d9cb-469f-a165-70867728950e"])] == ["id1"]
