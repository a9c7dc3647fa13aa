"""Runs that differ in more than what is compared are refused."""

from __future__ import annotations

import pytest

from memgauge.errors import IdentityError, UnknownNameError
from memgauge.runs.record.manifest import Limits
from memgauge.scoring.factors import require_comparable, setting
from support.handmade import many_questions, planned, two_questions


def test_runs_that_differ_elsewhere_are_refused_with_every_difference() -> None:
    """The message names each part with both values."""
    (a,) = planned(two_questions(), "support.systems:Notebook").cells
    (b,) = planned(
        many_questions(), "support.systems:Backwards", limits=Limits(k=5), seed=3
    ).cells  # fmt: skip
    with pytest.raises(IdentityError) as caught:
        require_comparable(a.manifest, b.manifest, "system")
    text = str(caught.value)
    assert "differ in more than the system" in text
    for part in ("dataset: handmade (", "limits: k=60", "against k=5", "seed: 0 against 3"):
        assert part in text
    assert "Backwards" not in text.split("(", maxsplit=1)[1]


def test_the_declared_factor_may_differ() -> None:
    """Two seeds are comparable as seeds and not as systems."""
    (a,) = planned(two_questions(), "support.systems:Notebook").cells
    (b,) = planned(two_questions(), "support.systems:Notebook", seed=3).cells
    require_comparable(a.manifest, b.manifest, "seed")
    with pytest.raises(IdentityError):
        require_comparable(a.manifest, b.manifest, "system")
    with pytest.raises(UnknownNameError, match="Did you mean seed"):
        require_comparable(a.manifest, b.manifest, "seeds")


def test_systems_are_named_and_not_spelled_out() -> None:
    """Who compares seeds of two systems reads their names and versions, and not all that they promise."""
    (a,) = planned(two_questions(), "bm25").cells
    (b,) = planned(two_questions(), "tfidf").cells
    with pytest.raises(IdentityError, match=r"\(system: bm25 version \d+ against tfidf version \d+\)"):
        require_comparable(a.manifest, b.manifest, "seed")


def test_conversations_without_a_limit_are_all() -> None:
    """No word of a board is of the code."""
    (cell,) = planned(two_questions(), "support.systems:Notebook").cells
    assert setting(cell.manifest, "conversations") == "all"
