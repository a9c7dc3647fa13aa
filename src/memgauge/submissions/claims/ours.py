"""Runs of ours beside which a claim is set: the rows of the published board."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from memgauge.errors import MalformedDataError
from memgauge.stats.intervals import Interval
from memgauge.submissions.opening import lies, own
from memgauge.text.jsons import json_file

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

BOARD: Final = "board/results.json"
"""Below the root of a registry."""


@dataclass(frozen=True)
class OwnRun:
    """What a run of ours found, and under which contract."""

    product: str
    key: str
    version: str
    dataset: str
    questions: int
    """In the denominator, left-out ones not counted."""
    k: int
    scores: Mapping[str, Interval]
    counts: str = "evidence-found"


def own_runs(root: Path) -> tuple[OwnRun, ...]:
    """Read the rows of the published board below *root*; none where there is no board.

    Raises:
        MalformedDataError: The board is not as boards are.
    """
    path = root / BOARD
    if not lies(path):
        return ()
    board = json_file(own(root, path, None), "Write the board again: memgauge study board.")
    try:
        dataset = str(board["dataset"]["ref"])
        return tuple(_run(row, dataset, int(board["k"])) for row in board["rows"])
    except (KeyError, TypeError, ValueError) as error:
        raise MalformedDataError(
            f"{path}: is not as a board is: {error!r}.", "Write the board again: memgauge study board."
        ) from error


def _run(row: Mapping[str, Any], dataset: str, k: int) -> OwnRun:
    scores = {name: _interval(score) for name, score in row["scores"].items()}
    questions = max((score.n for score in scores.values()), default=0)
    return OwnRun(str(row["name"]), str(row["key"]), str(row["version"]), dataset, questions, k, scores)


def _interval(score: Mapping[str, Any]) -> Interval:
    return Interval(
        score["value"], score["low"], score["high"], int(score["denominator"]["scored"]), score["reason"]
    )
