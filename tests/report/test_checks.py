"""Boards as checks, and as JUnit XML."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memgauge.errors import ConfigError, UnknownNameError
from memgauge.report.board import documents
from memgauge.report.checks import missed, require_gates
from memgauge.show.junit import junit
from memgauge.show.numbers import spelled
from report.boards import board, entry, parsed, second

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from syrupy.assertion import SnapshotAssertion

    from memgauge.scoring.board import Board


def written(boards: Sequence[Board], gates: Mapping[str, float] | None = None) -> str:
    """Write boards as JUnit XML, gates checked."""
    require_gates(boards, gates or {})
    return junit([documents(boards, gates=gates)])


def test_boards_as_junit(snapshot: SnapshotAssertion) -> None:
    """A suite a board, a case a measure, failures for gates, errors for lost calls, skips for undefined scores."""
    assert written([board(), second()], gates={"bm25/MRR": 0.6, "hybrid/nDCG@60": 0.5}) == snapshot


def test_a_gate_on_an_undefined_score_fails() -> None:
    """A gate cannot pass by having nothing to look at."""
    root = parsed(written([second()], gates={"dense/MRR": 0.1}))
    assert [f.get("message") for f in root.iter("failure")] == ["undefined, gate 0.1: every search failed"]
    assert root.get("skipped") == "3"


def test_a_gate_passes_at_its_value() -> None:
    """The least value itself is good enough."""
    assert 'failures="1"' not in written([board()], gates={"hybrid/nDCG@60": 0.562})


def test_a_gate_on_harm_is_missed_above_its_value() -> None:
    """Where less is better, more than the gate fails, and its value itself is good enough."""
    harm = replace(board().entries[0].scores["MRR"], measure="Contaminated@5", value=0.4)
    made = replace(
        board(),
        measures=("Contaminated@5",),
        entries=(replace(board().entries[0], scores={"Contaminated@5": harm}),),
    )
    name = f"{made.entries[0].label}/Contaminated@5"
    assert not list(missed(made, {name: 0.4}))
    assert list(missed(made, {name: 0.3}))
    assert "above gate 0.3" in written([made], gates={name: 0.3})


@given(st.floats(0, 1), st.floats(0, 1) | st.sampled_from([0.3, 0.35, 0.35 + 1e-9]))
@example(0.34999, 0.35)
def test_a_value_is_written_on_its_side_of_the_gate(value: float, gate: float) -> None:
    """A gate that is missed never reads as reached: 0.34999 is not written as 0.350 below 0.35."""
    text = spelled(value, gate)
    assert len(text) >= 5
    assert (float(text) > gate, float(text) < gate) == (value > gate, value < gate) or abs(value - gate) < 1e-16


def test_a_gate_that_a_cut_list_misses_says_so() -> None:
    """Its value is the least that it can be: it passes as ever, and where it fails k and the way out are named."""
    first = board().entries[0]
    tokens = replace(first.scores["MRR"], measure="Recall@2000tok", value=0.4)
    cut = replace(first, scores={"Recall@2000tok": tokens}, short_of={2_000: 90})
    made = replace(board(), measures=("Recall@2000tok",), entries=(cut,), k=60)
    name = f"{cut.label}/Recall@2000tok"
    ends = "; its lists end at k=60 before 2,000 tokens are full, and may hold more with --k 90 or more"
    assert list(missed(made, {name: 0.3})) == []
    assert list(missed(made, {name: 0.5})) == [
        f"Gate missed on locomo: {name} is 0.400, below the gate of 0.5{ends}."
    ]
    (failure,) = parsed(written([made], gates={name: 0.5})).iter("failure")
    assert str(failure.get("message")).endswith(ends)
    assert ends in str(parsed(written([made], gates={name: 0.3})).find(".//system-out").text)  # type: ignore[union-attr]


def test_a_gate_on_nothing_is_refused() -> None:
    """A misspelt gate is an error with a suggestion, never a silent pass."""
    with pytest.raises(UnknownNameError, match="bm25/MRR"):
        written([board()], gates={"bm25/MRRR": 0.5})


def test_a_gate_that_is_no_number_is_refused() -> None:
    """Not-a-number would pass everything."""
    with pytest.raises(ConfigError, match="not a number"):
        written([board()], gates={"bm25/MRR": float("nan")})


def test_control_characters_do_not_break_the_xml() -> None:
    """Characters that XML forbids are written as what they are."""
    made = written([replace(board(), entries=(replace(entry("bm25"), label="a\x00<b>\x1b"),))])
    cases = [case.get("classname") for case in parsed(made).iter("testcase")]
    assert cases[0] == r"locomo.a\x00<b>\x1b"


def test_a_missed_gate_is_said_in_a_sentence() -> None:
    """The document names it first, wherever it is shown; a gate that is reached is not mentioned."""
    gates = {"bm25/MRR": 0.6, "hybrid/nDCG@60": 0.5}
    assert list(missed(board(), gates)) == ["Gate missed on locomo: bm25/MRR is 0.468, below the gate of 0.6."]
    assert documents([board()], gates=gates).notes[0].text == (
        "Gate missed on locomo: bm25/MRR is 0.468, below the gate of 0.6."
    )
    assert list(missed(second(), {"dense/MRR": 0.1})) == [
        "Gate missed on synthetic:small,seed=1: dense/MRR is undefined, where the gate is 0.1."
    ]
