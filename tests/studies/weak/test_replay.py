"""Replaying a lane: the product as it is, and recorded replies in the place of the model."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memgauge.studies.weak.play import WeakPlay
from memgauge.studies.weak.record import USER, RecordedStep, read_lanes
from memgauge.studies.weak.replay import RecordedModel, replay
from memgauge.studies.weak.spec import WeakSpec
from memgauge.studies.weak.users import CommandEnd, UsersPlay
from support.weak import asking, exchange

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.studies.weak.record import RecordedLane


def again(study: Path, *lanes: RecordedLane) -> list[tuple[str, bool, int, tuple[str, ...]]]:
    """Replay lanes with the address of the replaying server."""
    play = WeakPlay(study, WeakSpec.read(study), opener=asking)
    users = UsersPlay(study, study / "runs", play.spec, call=lambda _: CommandEnd(0, '{"n": {"failed": 0}}', ""))
    return [(each.key, each.same, each.missed, each.differ) for each in replay(play, users, lanes)]


def test_a_lane_ends_as_it_is_recorded(study: Path) -> None:
    """No model is there; what could not be opened cannot be opened again."""
    assert again(study, *read_lanes(study, ("asking", "gone"))) == [("asking", True, 0, ()), ("gone", True, 0, ())]


def test_what_is_not_in_the_record_is_said(study: Path, lane: RecordedLane) -> None:
    """And so is a write that ends otherwise."""
    shorter = replace(lane, exchanges=lane.exchanges[1:])
    assert again(study, shorter) == [("asking", False, 1, ("s01:t01",))]


def test_a_user_of_ours_is_replayed_too(study: Path, lane: RecordedLane) -> None:
    """Its steps count what they counted, or are named."""
    step = RecordedStep("list", "memgauge data list", 0, 1.0, {"failed": 0})
    user = replace(lane, key="demo", kind=USER, writes=(), memories=(), exchanges=(), steps=(step,))
    assert again(study, user) == [("demo", True, 0, ())]
    assert again(study, replace(user, steps=(replace(step, code=1),))) == [("demo", False, 0, ("list",))]


def test_equal_requests_get_their_replies_in_their_order() -> None:
    """The last one stays, and what was refused is refused again."""
    source = RecordedModel(
        "toy", [exchange(text="1"), exchange(text="2"), exchange(key="no", status=400, why="no")]
    )
    texts = [source.reply("k", {})[1]["choices"][0]["message"]["content"] for _ in range(3)]
    assert texts == ["1", "2", "2"]
    assert source.reply("no", {})[0] == 400
    assert source.reply("unknown", {})[0] == 599
    assert source.missed == 1
