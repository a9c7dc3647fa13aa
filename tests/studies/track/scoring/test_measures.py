"""Efficiency, entropy, coverage and success: numbers worked out by hand."""

from __future__ import annotations

from math import exp

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.studies.track.scoring.coverage import coverage, evidence_seen, reread_rate
from memgauge.studies.track.scoring.efficiency import (
    efficiency,
    environment,
    per_instance,
    per_question,
    success_rate,
    tool_entropy,
)
from memgauge.studies.track.timeline.statistics import entropy_bits
from support.track.play import answered, call, failed, played, timeline


@pytest.mark.parametrize(("made", "score"), [(0, 1), (9, 1), (10, 1), (20, exp(-1)), (13, exp(-0.3))])
def test_ten_calls_are_free_and_every_further_one_costs(made: int, score: float) -> None:
    """The document's formula, at its corner and beyond."""
    assert efficiency(made) == pytest.approx(score)


def test_calls_to_memory_are_not_calls_to_the_timeline() -> None:
    """Failed calls and unknown tools count as made; those of the memory do not."""
    calls = (call(0, "list_tickets"), call(1, "search_memory"), failed(2, "fly"), call(3, "run_shell_command"))
    assert [one.tool for one in environment(calls)] == ["list_tickets", "fly", "run_shell_command"]


def test_efficiency_has_two_readings() -> None:
    """Twenty calls over two questions cost an instance, and not a question."""
    calls = [call(n, "list_tickets", question="q1" if n < 10 else "q2") for n in range(20)]
    one = played(calls, [answered("q1", "a"), answered("q2", "b")])
    assert per_instance(one) == pytest.approx(exp(-1))
    assert per_question(one) == 1
    assert per_question(played(calls)) is None


def test_success_is_a_call_that_ran() -> None:
    """A shell command with an exit code of 1 ran; without a call there is no rate."""
    calls = [
        call(0, "run_shell_command", exit_code=1),
        failed(1, "fly"),
        call(2, "get_ticket"),
        call(3, "get_ticket"),
    ]
    assert success_rate(played(calls)) == 0.75
    assert success_rate(played()) is None


@pytest.mark.parametrize(
    ("counts", "bits"), [((4, 29), 0.5328), ((5, 3, 2), 1.4855), ((13, 23), 0.9436), ((7,), 0)]
)
def test_entropy_is_in_bits(counts: tuple[int, ...], bits: float) -> None:
    """Counts of published histories give their entropies to the base of two."""
    assert entropy_bits(counts) == pytest.approx(bits, abs=5e-5)


@given(st.lists(st.integers(0, 50), max_size=4))
def test_entropy_lies_between_nothing_and_the_uniform(counts: list[int]) -> None:
    """Four classes hold two bits at most."""
    assert 0 <= entropy_bits(counts) <= 2 + 1e-9


def test_git_and_files_are_one_place_to_look() -> None:
    """Unknown tools have no class; memory is one, unless it is left out."""
    calls = [
        call(0, "list_remote_git_repositories"),
        call(1, "read_file"),
        call(2, "list_tickets"),
        call(3, "list_tickets"),
        call(4, "search_memory"),
        failed(5, "fly"),
    ]
    assert tool_entropy(calls) == pytest.approx(entropy_bits((2, 2, 1)))
    assert tool_entropy(calls, memory=False) == 1
    assert tool_entropy([failed(0, "fly")]) is None


def test_what_was_seen_is_counted_by_event() -> None:
    """Shares of the events, of the evidence, and of the questions that had it in time."""
    calls = [
        call(0, "list_tickets", events=("e0", "e3")),
        call(1, "get_channel_messages", question="q3", events=("e4", "e3", "e3")),
    ]
    answers = [answered("q1", "dana", 1), answered("q2", "?", 1), answered("q3", "7", 1)]
    found = coverage(played(calls, answers), timeline())
    assert found.events == 3 / 6
    assert found.evidence == 1
    assert found.seen_before == 0.5
    assert found.reread == 0.25
    assert evidence_seen(played(calls, answers), timeline()) == {"q1": True, "q3": False}


def test_a_memory_shows_events_too() -> None:
    """What was recalled with a question had been seen before its answer."""
    answers = [answered("q1", "dana", 0, events=("e0", "e3")), answered("q3", "7", 0)]
    assert evidence_seen(played((), answers), timeline()) == {"q1": True, "q3": False}


def test_without_evidence_or_calls_nothing_is_claimed() -> None:
    """Shares of nothing are undefined."""
    bare = timeline(questions=[])
    found = coverage(played(), bare)
    assert (found.events, found.evidence, found.seen_before, found.reread) == (0, None, None, None)
    assert reread_rate([call(0, "list_channels")]) is None
