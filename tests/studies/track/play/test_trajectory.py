"""Rows of calls: what repeats, and what does not, lie apart."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from memgauge.errors import MalformedDataError
from memgauge.studies.track.play.trajectory import TIMINGS, TRAJECTORY, Call, TrajectoryWriter, read_trajectory
from memgauge.studies.track.timeline.models import Platform

if TYPE_CHECKING:
    from pathlib import Path

CALL = Call(
    seq=0,
    question="q1",
    turn=0,
    at="2025-01-01T00:00:00+00:00",
    tool="list_users",
    platform=Platform.SLACK,
    effect="read",
    arguments={},
    ok=True,
    events=("e1",),
)
FAILED = replace(
    CALL, seq=1, tool="sing", platform=None, effect=None, arguments=[1], ok=False, error="unknown_tool: no"
)


def test_calls_are_read_back(tmp_path: Path) -> None:
    """With their times, which are no part of what repeats."""
    with TrajectoryWriter(tmp_path / "new") as writer:
        writer.write(replace(CALL, ms=1.23456))
        writer.write(FAILED)
    first, second = read_trajectory(tmp_path / "new")
    assert (first, second) == (CALL, FAILED)
    assert (first.ms, second.ms) == (1.235, None)
    assert "ms" not in json.loads((tmp_path / "new" / TRAJECTORY).read_text().splitlines()[0])
    (tmp_path / "new" / TIMINGS).unlink()
    assert read_trajectory(tmp_path / "new")[0].ms is None


@pytest.mark.parametrize(
    ("line", "problem"),
    [("{", r":1: not JSON: .* at column \d"), ("[]", "this is no JSON object"), ('{"seq": 1}', "this is no call"),
     ('{"seq": 1, "platform": "mail"}', "this is no call")],
)  # fmt: skip
def test_a_broken_line_is_named(tmp_path: Path, line: str, problem: str) -> None:
    """File and line are named."""
    (tmp_path / TRAJECTORY).write_text(line)
    with pytest.raises(MalformedDataError, match=problem):
        read_trajectory(tmp_path)
