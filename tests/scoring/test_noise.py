"""Noise of judges and of runs."""

from __future__ import annotations

import pytest

from memgauge.records import Denominator
from memgauge.scoring.board import Score
from memgauge.scoring.judged import JudgedEntry
from memgauge.scoring.noise import judge_noise, over_runs
from memgauge.stats import Interval

NOTHING = Interval(None, None, None, 0, "none")


def entry(run: str, rates: dict[str, int], value: float | None = 0.5, system: str = "bm25") -> JudgedEntry:
    """Make an entry in which each judge found so many of ten right."""
    score = Score("Judged", value, None, None, None, None, Denominator(10, 10))
    worth = {judge: right / 10 for judge, right in rates.items()}
    return JudgedEntry(run, system, "first", "a", "hash", (score,), {}, 0, {}, worth, (), NOTHING, 10, 0)


def test_repeats_are_set_beside_the_spread_of_systems() -> None:
    """Two systems judged three times: the pooled deviation within, and that of the means, by hand."""
    entries = [entry("one", {"a": 4, "a#1": 5, "a#2": 6}), entry("two", {"a": 8, "a#1": 8, "a#2": 8})]
    (found,) = judge_noise(entries)
    assert (found.judge, found.repeats, found.reason) == ("a", 3, "")
    assert found.within == pytest.approx((0.01 / 2) ** 0.5)
    assert found.between == pytest.approx(0.3 / 2**0.5)


def test_what_was_not_repeated_has_no_noise() -> None:
    """One judgment and one system leave both undefined, with reasons; silence is not a rate."""
    (found,) = judge_noise([entry("one", {"a": 4})])
    assert (found.within, found.between) == (None, None)
    assert found.reason == "judged once: repeat it with --repeats; one system has no spread"
    silent = entry("one", {})
    assert judge_noise([silent]) == []


def test_runs_are_averaged_and_none_is_chosen() -> None:
    """Mean and deviation over runs of one system; an undefined score is left out."""
    values = [0.4, 0.6, None]
    (found,) = over_runs([entry(str(n), {}, value) for n, value in enumerate(values)])
    assert found.runs == 2
    assert found.mean == pytest.approx(0.5)
    assert found.sd == pytest.approx(0.02**0.5)
    (lone,) = over_runs([entry("one", {}, 0.4)])
    assert lone.sd is None
