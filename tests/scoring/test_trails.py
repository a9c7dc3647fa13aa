"""What stood in the way of evidence, read from runs of a conversation that is told by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from memgauge.measures import parse
from memgauge.records import BOARD, Case
from memgauge.runs.play.execute import execute
from memgauge.runs.play.executors.inline import Inline
from memgauge.runs.record.store import load
from memgauge.scoring.align import align
from memgauge.scoring.causes import FailureCause
from memgauge.scoring.failures import failures
from memgauge.scoring.gold import GoldTable
from support.handmade import Handmade, conversation, gold, planned, question

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.scoring.failures import RetrievalFailure


def lost(
    folder: Path, system: str, turn: str, measure: str, *, stale: tuple[str, ...] = (), searches: int = 1
) -> RetrievalFailure:
    """Ask for a turn so many times, and say why it does not count the first time."""
    asked = tuple(question(number) for number in range(searches))
    golds = tuple(replace(gold(each, turn), stale=stale) for each in asked)
    data = Handmade(((Case(conversation(), asked), golds),))
    (made,) = execute(planned(data, system), folder, executor=Inline(), check=False)
    run, table = load(made), GoldTable.read(data)
    return failures([align(run, table, BOARD, 60)], table, parse(measure), limit=None, systems=[run.label]).shown[
        0
    ]


def test_what_was_true_at_another_time_is_seen_right_above_the_evidence(tmp_path: Path) -> None:
    """Whether the dataset says so, or the memory itself."""
    for system, stale in (("full", ("t1",)), ("support.systems:Ending", ())):
        failure = lost(tmp_path / str(len(stale)), system, "t2", "Recall@1", stale=stale)
        assert failure.cause is FailureCause.TOO_DEEP
        assert failure.detail == "rank 2, and 1 count; rank 1 holds what is true at another time"


def test_a_write_that_failed_was_a_write(tmp_path: Path) -> None:
    """Its turn was handed over, and what was raised is named."""
    failure = lost(tmp_path, "support.systems:Full", "t2", "Recall@5")
    assert failure.cause is FailureCause.NOT_STORED
    assert "OSError: no space is left" in failure.detail


@pytest.mark.parametrize(("searches", "behind"), [(2, False), (3, True)])
def test_three_searches_tell_that_an_index_is_behind(tmp_path: Path, searches: int, behind: bool) -> None:
    """Of what was stored later none came back; after two searches that may be chance."""
    failure = lost(tmp_path, "support.systems:Lagging", "t9", "Recall@5", searches=searches)
    assert failure.detail.startswith("nothing written after t3 ") is behind
