"""Many memories: one left out, a group left out, random halves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memgauge.errors import ConfigError
from memgauge.studies.attribution.labels import mentioned
from memgauge.studies.attribution.leaving import FEW, MASKS, MOST, leave_out, left_out, stored
from memgauge.studies.attribution.readers import ReaderReply, WiredReader

if TYPE_CHECKING:
    from memgauge.studies.attribution.question import Shown, SlotQuestion
    from studies.attribution.conftest import Saying


@pytest.mark.parametrize("count", [3, 12, 13, MOST])
def test_the_truth_is_stored_twice_among_other_things(count: int, questions: tuple[SlotQuestion, ...]) -> None:
    """In other words each time, at a place that differs between questions, and no other item holds it."""
    places = set()
    for question in questions:
        items = stored(question, count)
        assert len({item.id for item in items}) == len({item.text for item in items}) == count
        truth = [item for item in items if item.group == "truth"]
        assert len(truth) == 2
        holding = [item for item in items if mentioned(item.text, [question.own[0]])]
        assert {item.key for item in holding} == {"memory", "memory 2"}
        places.add(items.index(truth[0]))
    assert len(places) > 1


@pytest.mark.parametrize("count", [2, MOST + 1])
def test_too_few_and_too_many_are_refused(count: int, questions: tuple[SlotQuestion, ...]) -> None:
    """With what can be made."""
    with pytest.raises(ConfigError, match="Take 3 to 24"):
        stored(questions[0], count)


def test_groups_are_left_out_and_above_twelve_random_halves(questions: tuple[SlotQuestion, ...]) -> None:
    """Each item alone, each group of several, and masks only where there are many items."""
    few, many = (left_out(stored(questions[0], count), questions[0].id) for count in (FEW, FEW + 1))
    assert len(few) == 1 + FEW + 1
    assert few["group truth"] == {"memory", "memory 2"}
    masks = [gone for name, gone in many.items() if name.startswith("mask")]
    assert len(masks) == MASKS
    assert 0.4 < sum(map(len, masks)) / MASKS / (FEW + 1) < 0.6


def test_a_copy_is_not_missed_and_both_are(questions: tuple[SlotQuestion, ...]) -> None:
    """Leaving out one finds nothing; the group finds it, and so do random halves."""
    found = leave_out(WiredReader("memory-first"), questions, FEW + 2)
    assert {rate.hits for rate in found.alone.values()} == {0}
    assert found.grouped["truth"].share.mean == 1
    assert found.grouped["others"].hits == 0
    shares = {key: share.mean or 0.0 for key, share in found.masked.items()}
    others = [share for key, share in shares.items() if key.startswith("other")]
    assert min(shares["memory"], shares["memory 2"]) > 0.35
    assert max(map(abs, others)) < 0.2
    assert found.asks == len(questions) * (1 + FEW + 2 + 2 + MASKS)  # of the others, one pair says the same
    assert found.failures == ()


def _last(ask: Shown) -> ReaderReply:
    """Answer with the copy that was stored first, and log that one alone."""
    held = [item for item in ask.memory if item.key == "memory"]
    return ReaderReply(held[0].value if held else "unknown", None, frozenset({"memory"} if held else ()))


def test_a_single_copy_that_is_needed_is_found(saying: type[Saying], questions: tuple[SlotQuestion, ...]) -> None:
    """And the other is logged by nobody and moves nothing."""
    found = leave_out(saying(_last), questions, 4)
    assert {key: rate.hits for key, rate in found.alone.items()} == {
        "memory": 12,
        "memory 2": 0,
        "other 1": 0,
        "other 2": 0,
    }
    assert (found.unlogged_influence, found.logged_but_inert, found.masked) == (0, 0, {})


def test_a_group_that_moves_the_answer_must_be_logged(
    saying: type[Saying], questions: tuple[SlotQuestion, ...]
) -> None:
    """One item of it is enough; a log of other things is not."""

    def answer(ask: Shown) -> ReaderReply:
        (told,) = WiredReader("memory-first").read([ask])
        return ReaderReply(told.text, None, frozenset({"other 1"}))

    found = leave_out(saying(answer), questions, 4)
    assert (found.unlogged_influence, found.logged_but_inert) == (12, 12)


def test_failures_are_counted_and_told(saying: type[Saying], questions: tuple[SlotQuestion, ...]) -> None:
    """They are no change of an answer."""

    def answer(ask: Shown) -> ReaderReply:
        return ReaderReply("", failed="no power") if len(ask.memory) < 4 else _last(ask)

    found = leave_out(saying(answer), questions, 4)
    assert found.failures == ("no power",)
    assert {(rate.share.n, rate.failed) for rate in found.alone.values()} == {(0, 12)}
