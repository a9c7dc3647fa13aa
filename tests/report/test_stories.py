"""Boards and stories as JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from memgauge.report.data import board_json, story_json
from report.boards import board, second, stories

if TYPE_CHECKING:
    from syrupy.assertion import SnapshotAssertion


def test_board_json_is_stable(snapshot: SnapshotAssertion) -> None:
    """Keys keep their order, mappings are sorted, contracts are text, undefined numbers are null."""
    assert json.dumps(board_json(second()), indent=1, allow_nan=False) == snapshot


def test_numbers_are_rounded_and_k_is_in_order() -> None:
    """Floats carry six digits and several k stand in the order of their size."""
    data = board_json(board())
    assert data["entries"][0]["latency"]["write_p50"] == 0.028
    assert list(data["entries"][0]["by_k"]) == ["1", "5", "10", "20", "40", "60"]


def test_story_json_is_stable(snapshot: SnapshotAssertion) -> None:
    """A story carries everything that is shown of it."""
    data = story_json(stories(1)[0])
    data["systems"] = data["systems"][:1]
    assert json.dumps(data, indent=1, allow_nan=False) == snapshot
