"""Streams with one thing changed lose nothing and change nothing else."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.errors import UnknownNameError
from memgauge.records import Case, Conversation, Question, Session, Turn
from memgauge.streams import Ask, Remove, Reset, SessionEnd, Stream, Write, clean, in_units, open_stream
from memgauge.streams.compliance import COMPLIANCE
from memgauge.streams.compliance.withholding import neighbours


def case(sizes: list[int], asked_after: list[int | None]) -> Case:
    """Make a conversation of two speakers, with questions after numbered sessions."""
    sessions = tuple(
        Session(
            f"s{n}",
            None,
            tuple(Turn(f"s{n}:{i}", ("Ada", "Ben")[i % 2], f"text {i}", f"s{n}") for i in range(size)),
        )
        for n, size in enumerate(sizes)
    )
    questions = tuple(
        Question(f"q{i}", "conv-1", "what?", "any", after_session=None if n is None else f"s{n}")
        for i, n in enumerate(asked_after)
    )
    return Case(Conversation("conv-1", sessions), questions)


CASES = st.builds(
    case,
    st.lists(st.integers(min_value=1, max_value=5), min_size=1, max_size=5),
    st.lists(st.none() | st.integers(min_value=0, max_value=5), max_size=6),
)


def asks(stream: Stream) -> list[str]:
    """List the questions in the order in which they are asked."""
    return [event.question.id for event in stream if isinstance(event, Ask)]


def said(stream: Stream) -> list[Turn]:
    """List the turns in the order in which they are written, in whoever's name."""
    return [turn for event in stream if isinstance(event, Write) for turn in event.turns]


@given(work=CASES)
def test_every_protocol_writes_and_asks_everything_once(work: Case) -> None:
    """Turns keep their order, no question is lost, and every session ends once."""
    for protocol in COMPLIANCE:
        stream = protocol.order(work)
        assert said(stream) == list(work.conversation.turns())
        assert Counter(asks(stream)) == Counter(asks(clean(work)))
        ended = [event.session for event in stream if isinstance(event, SessionEnd)]
        assert ended == [session.id for session in work.conversation.sessions]
        assert protocol.order(work) == stream


@given(work=CASES, seed=st.integers(min_value=0, max_value=9))
def test_another_order_moves_questions_only_among_those_beside_them(work: Case, seed: int) -> None:
    """What was said before a question is the same in any order."""

    def before(stream: Stream) -> dict[str, int]:
        heard, counts = 0, {}
        for event in stream:
            heard += len(event.turns) if isinstance(event, Write) else 0
            if isinstance(event, Ask):
                counts[event.question.id] = heard
        return counts

    shuffled = open_stream(f"question-order:seed={seed}").order(work)
    assert before(shuffled) == before(clean(work))


def test_seeds_give_orders_of_their_own() -> None:
    """Twenty questions are asked in other orders under other seeds, and in the same under the same."""
    work = case([2], [None] * 20)
    orders = [asks(open_stream(f"question-order:seed={seed}").order(work)) for seed in (1, 2, 1)]
    assert orders[0] != orders[1] != asks(clean(work))
    assert orders[0] == orders[2]


def test_questions_come_before_everything_or_behind_what_takes_it_back() -> None:
    """Nothing is written before the first question, or everything is, and taken back."""
    work = case([2, 3], [0, None])
    first = open_stream("search-before-write").order(work)
    assert all(isinstance(event, Ask) for event in first[:2])
    for name, by in (
        ("reset-then-search", Reset),
        ("deletion-then-search", Remove),
        ("erasure-then-search", Remove),
    ):
        stream = open_stream(name).order(work)
        assert isinstance(stream[-3], by)
        assert not any(isinstance(event, Write) for event in stream[-3:])


def test_withheld_turns_are_written_under_other_names_alone() -> None:
    """A scope that is withheld is never written in its own name; of two speakers one goes on in it."""
    work = case([3, 2, 2, 1], [None])
    users = {event.user for event in open_stream("withheld-scope").order(work) if isinstance(event, Write)}
    assert users == set(neighbours("conv-1"))
    assert "conv-1" not in users
    partly = [event for event in open_stream("withheld-speaker").order(work) if isinstance(event, Write)]
    own = {turn.speaker for event in partly if not event.user for turn in event.turns}
    others = {turn.speaker for event in partly if event.user for turn in event.turns}
    assert len(own) == len(others) == 1
    assert own != others


def test_units_never_join_turns_of_two_users() -> None:
    """A write of a whole session holds turns of one name only."""
    stream = in_units(open_stream("withheld-speaker").order(case([4, 4], [])), "session")
    assert all(len({turn.speaker for turn in e.turns}) == 1 for e in stream if isinstance(e, Write))


@pytest.mark.parametrize("ref", ["clean:seed=1", "withheld-scope:3", "question-order:speed=1", "questions"])
def test_what_a_protocol_does_not_take_is_refused(ref: str) -> None:
    """An unknown protocol, and a parameter that it has not, is an error that names it."""
    with pytest.raises(UnknownNameError):
        open_stream(ref)
