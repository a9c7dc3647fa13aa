"""The first screen of a board: what a question costs, in words that tell two numbers apart."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memgauge.report.board import document
from memgauge.scoring.board import CostAxis, Latency
from memgauge.show.markdown import markdown
from report.boards import board, score


def test_a_median_and_a_mean_are_called_so() -> None:
    """Calls are told by their medians, and stand on fronts by their means."""
    made = board()
    slow = replace(made.entries[1], latency=Latency(9.0, 9.9, 0.1, 0.2))
    said = markdown(document(replace(made, entries=(made.entries[0], slow))), level=1)
    assert "0.84 ms a search (median), 0.03 ms a write (median)" in said
    assert "Quickest search (median): " in said
    assert str(CostAxis.LATENCY) == "ms a search (mean)"


def test_whoever_tried_a_memory_is_not_told_to() -> None:
    """What to do next is what was not done yet."""
    assert "memgauge try" in markdown(document(board()), level=1)
    assert "memgauge try" not in markdown(document(board(), tried="bm25"), level=1)


@pytest.mark.parametrize(
    ("measure", "said"),
    [
        (
            "Recall@500tok",
            "hybrid: 812 tokens in the whole list for a question, of which the score counts the first 500,",
        ),
        ("Recall@2000tok", "hybrid: 812 tokens handed over for a question,"),
        ("Recall@10", "hybrid: 812 tokens handed over for a question,"),
    ],
)
def test_what_is_handed_over_is_told_from_what_is_paid_for(measure: str, said: str) -> None:
    """Where lists are longer than the budget of the score, the sentence says that it counts their beginning."""
    made = board()
    entries = tuple(replace(e, scores={measure: score(measure, 0.5)}) for e in made.entries)
    assert said in markdown(document(replace(made, measures=(measure,), entries=entries)), level=1)
