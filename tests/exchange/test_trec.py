"""Runs in TREC's layout: ranks are kept, and none is closed up."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memgauge.datasets.catalogue import open_dataset
from memgauge.errors import MalformedDataError
from memgauge.exchange.trace import JoinedDataset
from memgauge.exchange.trec import read_trec

if TYPE_CHECKING:
    from pathlib import Path

TARGET = JoinedDataset(open_dataset("synthetic:tiny"))
CASE = TARGET.cases[0]
FIRST, SECOND = (question.id for question in CASE.questions[:2])
TURNS = [turn.id for turn in CASE.conversation.turns()]


def run_file(tmp_path: Path, *ranks: tuple[str, int]) -> Path:
    """Write a run with a hit for every question and rank."""
    path = tmp_path / "run.trec"
    path.write_text("".join(f"{name} Q0 {TURNS[rank]} {rank} {9 - rank} t\n" for name, rank in ranks))
    return path


@pytest.mark.parametrize(
    ("ranks", "words"),
    [
        ([(FIRST, 7)], ":1: rank: 7, and rank 1 of this question is missing"),
        ([(FIRST, 5), (FIRST, 1), (FIRST, 2)], ":1: rank: 5, and rank 3 of this question is missing"),
        ([(FIRST, 0), (SECOND, 1)], ":2: rank: 1, and rank 0 of this question is missing"),
    ],
)
def test_a_rank_that_is_left_out_is_refused(tmp_path: Path, ranks: list[tuple[str, int]], words: str) -> None:
    """A hit at rank 7 is no first hit."""
    with pytest.raises(MalformedDataError) as caught:
        read_trec(run_file(tmp_path, *ranks), TARGET)
    assert words in str(caught.value)


@pytest.mark.parametrize("start", [0, 1])
def test_a_file_counts_from_0_or_from_1(tmp_path: Path, start: int) -> None:
    """In the order of its ranks, whatever the order of its lines."""
    joining = read_trec(run_file(tmp_path, (FIRST, start + 1), (FIRST, start), (SECOND, start)), TARGET)
    assert [item.id for item in joining.answers[FIRST].items] == TURNS[start : start + 2]
