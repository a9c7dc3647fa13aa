"""Causes of failures: one pure function each, and the order in which they are asked."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.scoring.causes import (
    CAUSES,
    EvidenceClaim,
    EvidenceTrail,
    EvidenceWrite,
    FailureCause,
    SearchReach,
    explain,
)

WHOLE = EvidenceClaim("m1", 1, 1.0, intact=True)
REACH = SearchReach(60, 60, budget=2_000)
SOUND = EvidenceTrail(
    "t1", write=EvidenceWrite("ok", "", ("m1",)), claims=(WHOLE,), reach=REACH, rank=37, tokens=2_300
)
"""A turn that was stored as it was said, and came back too late."""
LOSSES = {
    "raised": (replace(SOUND, outcome="error", reason="KeyError: 'x'"), FailureCause.SEARCH_FAILED, "KeyError"),
    "timeout": (replace(SOUND, outcome="timeout"), FailureCause.SEARCH_FAILED, "timeout"),
    "not tried": (
        replace(SOUND, outcome="error", reason="not asked: it hung", tried=False),
        FailureCause.SEARCH_FAILED,
        "not tried",
    ),
    "no dump": (replace(SOUND, claims=(), untold="nobody could list"), FailureCause.UNKNOWN, "nobody could list"),
    "dropped": (
        replace(SOUND, claims=(), write=EvidenceWrite("ok", "", ())),
        FailureCause.NOT_STORED,
        "changed no memory",
    ),
    "write failed": (
        replace(SOUND, claims=(), write=EvidenceWrite("error", "RuntimeError: full", None)),
        FailureCause.NOT_STORED,
        "RuntimeError: full",
    ),
    "not handed over": (replace(SOUND, claims=(), write=None), FailureCause.NOT_STORED, "never handed over"),
    "other form": (
        replace(SOUND, claims=(EvidenceClaim("m1", 1, 0.0, intact=True, form="raw"),), rank=None),
        FailureCause.NOT_STORED,
        "stored as raw alone",
    ),
    "evicted": (replace(SOUND, claims=(), gone="gone since t9"), FailureCause.LOST, "gone since t9"),
    "unborne": (
        replace(SOUND, claims=(EvidenceClaim("m1", 1, 0.0, intact=False),)),
        FailureCause.ALTERED,
        "does not bear it",
    ),
    "damaged": (
        replace(SOUND, claims=(EvidenceClaim("m1", 1, 0.9, intact=False, damage="breaks off after “my”"),)),
        FailureCause.ALTERED,
        "breaks off",
    ),
    "words lost": (
        replace(SOUND, claims=(EvidenceClaim("m1", 1, 0.9, intact=False, missing=("paris",)),)),
        FailureCause.ALTERED,
        "without: paris",
    ),
    "elsewhere": (replace(SOUND, claims=(), elsewhere="stored under u2"), FailureCause.OTHER_SCOPE, "u2"),
    "strangers": (replace(SOUND, strangers="5 of 36 above"), FailureCause.OTHER_SCOPE, "5 of 36"),
    "reworded": (replace(SOUND, rank=None, reworded=3), FailureCause.ALTERED, "rank 3"),
    "old version": (replace(SOUND, outdated="rank 2 is memory m1"), FailureCause.OLD_VERSION, "rank 2"),
    "stale index": (replace(SOUND, rank=None, stale="nothing since"), FailureCause.NOT_RETURNED, "nothing since"),
    "capped": (
        replace(SOUND, rank=None, reach=SearchReach(5, 60, cap=5)),
        FailureCause.NOT_RETURNED,
        "never more than 5",
    ),
    "another time": (replace(SOUND, rank=None, superseded="rank 1 holds"), FailureCause.OLD_VERSION, "rank 1"),
    "short list": (replace(SOUND, rank=None, reach=SearchReach(9, 60)), FailureCause.NOT_RETURNED, "only 9"),
    "silent": (
        replace(SOUND, rank=None, reach=SearchReach(0, 60, silent=True)),
        FailureCause.NOT_RETURNED,
        "another scope that is asked",
    ),
    "not among": (replace(SOUND, rank=None), FailureCause.TOO_DEEP, "not among 60"),
    "too deep": (
        replace(SOUND, reach=SearchReach(60, 60, cutoff=10)),
        FailureCause.TOO_DEEP,
        "rank 37, and 10 count",
    ),
    "cut": (SOUND, FailureCause.CUT, "rank 37, behind 2,300 tokens, and 2,000 count"),
    "in part": (
        replace(SOUND, within=True, claims=(EvidenceClaim("m1", 1, 0.7, intact=False),)),
        FailureCause.ALTERED,
        "bears 70%",
    ),
    "in reach": (replace(SOUND, within=True), FailureCause.UNKNOWN, "came back at rank 37"),
}


@pytest.mark.parametrize("name", LOSSES)
def test_each_loss_is_named_with_what_shows_it(name: str) -> None:
    """One thing that is wrong on the way names its cause, and its detail says where to look."""
    trail, cause, words = LOSSES[name]
    loss = explain((trail,))
    assert (loss.cause, words in loss.detail) == (cause, True), loss


def test_what_was_lost_first_is_named() -> None:
    """What was never stored is named before what was cut; of two that came late, the one that came nearer."""
    dropped = replace(SOUND, turn="t2", claims=(), write=EvidenceWrite("ok", "", ()))
    nearer = replace(SOUND, turn="t3", rank=20)
    assert explain([SOUND, dropped]).turn == "t2"
    assert explain([replace(SOUND, rank=None), SOUND, nearer]).turn == "t3"
    assert explain([]).cause is FailureCause.UNKNOWN


@given(
    st.builds(
        replace,
        st.sampled_from([trail for trail, _, _ in LOSSES.values()]),
        rank=st.none() | st.integers(1, 60),
        stale=st.sampled_from(["", "nothing since"]),
        superseded=st.sampled_from(["", "rank 1 holds"]),
        within=st.booleans(),
    )
)
def test_every_trail_has_one_cause_and_a_detail(trail: EvidenceTrail) -> None:
    """Whatever a record shows, some cause is named, in words, and the first that applies is the one."""
    loss = explain((trail,))
    first = next(cause for ask, cause in CAUSES.items() if ask(trail) is not None)
    assert loss.cause is first
    assert loss.detail
