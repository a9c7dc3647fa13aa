"""The undisturbed stream and its laws."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.records import Case, Conversation, Question, Session, Turn
from memgauge.streams import UNIT_SIZES, Ask, SessionEnd, Stream, Write, clean, in_units
from memgauge.systems.protocol import Unit

UNITS = pytest.mark.parametrize("unit", sorted(UNIT_SIZES))


def case(sizes: list[int], asked_after: list[int | None]) -> Case:
    """Make a conversation with sessions of *sizes* turns and questions after the numbered sessions."""
    sessions = tuple(
        Session(f"s{n}", None, tuple(Turn(f"s{n}:{i}", "Ada", f"text {i}", f"s{n}") for i in range(size)))
        for n, size in enumerate(sizes)
    )
    questions = tuple(
        Question(f"q{i}", "c", "what?", "any", after_session=None if n is None else f"s{n}")
        for i, n in enumerate(asked_after)
    )
    return Case(Conversation("c", sessions), questions)


# Question positions go beyond the last session on purpose: such a session does not exist.
CASES = st.builds(
    case,
    st.lists(st.integers(min_value=0, max_value=7), max_size=5),
    st.lists(st.none() | st.integers(min_value=0, max_value=6), max_size=6),
)


def writes(stream: Stream) -> list[Write]:
    """Pick the writes."""
    return [event for event in stream if isinstance(event, Write)]


@UNITS
@given(work=CASES)
def test_every_turn_is_written_once_in_order(unit: str, work: Case) -> None:
    """Concatenating the writes gives back the conversation."""
    assert [t for w in writes(in_units(clean(work), unit)) for t in w.turns] == list(work.conversation.turns())


@UNITS
@given(work=CASES)
def test_every_question_is_asked_once(unit: str, work: Case) -> None:
    """No question is lost, even when its session does not exist."""
    asked = [event.question for event in in_units(clean(work), unit) if isinstance(event, Ask)]
    assert sorted(q.id for q in asked) == sorted(q.id for q in work.questions)


@UNITS
@given(work=CASES)
def test_every_session_ends_once_in_order_after_its_turns(unit: str, work: Case) -> None:
    """A session ends when all its turns were written, and before the next begins."""
    open_turns: list[str] = []
    ended: list[str] = []
    for event in in_units(clean(work), unit):
        if isinstance(event, Write):
            open_turns += [turn.session for turn in event.turns]
        elif isinstance(event, SessionEnd):
            assert set(open_turns) <= {event.session}
            open_turns = []
            ended.append(event.session)
    assert ended == [s.id for s in work.conversation.sessions]
    assert open_turns == []


@UNITS
@given(work=CASES)
def test_a_question_waits_for_its_session(unit: str, work: Case) -> None:
    """A question comes after its session and before the next; one without a session comes at the end."""
    known = [s.id for s in work.conversation.sessions]
    ended: list[str] = []
    for event in in_units(clean(work), unit):
        if isinstance(event, SessionEnd):
            ended.append(event.session)
        elif isinstance(event, Ask):
            at = event.question.after_session
            assert ended[-1] == at if at in known else ended == known


@pytest.mark.parametrize(
    ("unit", "expected"),
    [("turn", [1, 1, 1, 1, 1, 1]), ("pair", [2, 2, 1, 1]), ("session", [5, 1])],
)
def test_a_write_is_as_large_as_the_unit(unit: str, expected: list[int]) -> None:
    """Turns come singly, in pairs or by session; a rest is never joined with the next session."""
    assert [len(w.turns) for w in writes(in_units(clean(case([5, 0, 1], [])), unit))] == expected


def test_every_unit_of_the_protocol_has_a_size() -> None:
    """What a system may ask for, the stream can cut."""
    assert set(UNIT_SIZES) == {unit.value for unit in Unit}
