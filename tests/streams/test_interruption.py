"""Interruptions as functions from stream to stream."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memgauge.records import Case, Conversation, Question, Session, Turn
from memgauge.streams import Ask, Reset, SessionEnd, Stream, Write, clean, in_units, interrupt, isolate, place

SESSIONS = 3
TURNS = 4


def case(questions: int) -> Case:
    """Make a conversation of three sessions with four turns each."""
    sessions = tuple(
        Session(f"s{s}", None, tuple(Turn(f"{s}:{t}", "Ada", f"{s} {t}", f"s{s}") for t in range(TURNS)))
        for s in range(SESSIONS)
    )
    return Case(
        Conversation("c", sessions), tuple(Question(f"q{n}", "c", f"what {n}?", "any") for n in range(questions))
    )


def burst(name: str, m: int) -> tuple[Turn, ...]:
    """Make a burst of *m* turns that belong to no session."""
    return tuple(Turn(f"{name}-{n}", "Bob", f"noise {n}", "") for n in range(m))


def words(stream: Stream) -> list[str]:
    """Write a stream as one word an event."""
    spelled = []
    for event in stream:
        if isinstance(event, Write):
            spelled += [turn.id for turn in event.turns]
        elif isinstance(event, Ask):
            spelled.append(event.question.id)
        else:
            spelled.append("end" if isinstance(event, SessionEnd) else "reset")
    return spelled


PLACES = st.lists(st.tuples(st.integers(0, SESSIONS - 1), st.integers(0, TURNS - 1)), max_size=6)


@given(PLACES)
def test_a_question_follows_its_turn(places: list[tuple[int, int]]) -> None:
    """Every placed question comes after its turn and before the next one, in the order given."""
    after = {f"q{n}": f"{s}:{t}" for n, (s, t) in enumerate(places)}
    placed = words(place(clean(case(len(places))), after))
    spoken = ""
    heard = []
    for word in placed:
        if word.startswith("q"):
            assert after[word] == spoken
            heard.append(word)
        elif word != "end":
            spoken = word
    assert sorted(heard) == sorted(after)
    for turn in set(after.values()):
        here = [word for word in heard if after[word] == turn]
        assert here == [question for question in after if after[question] == turn]


def test_a_question_that_is_not_placed_is_not_asked() -> None:
    """Only what the mapping names is asked; everything said stays."""
    stream = place(clean(case(2)), {"q1": "0:0"})
    assert [word for word in words(stream) if word.startswith("q")] == ["q1"]
    assert len([word for word in words(stream) if ":" in word]) == SESSIONS * TURNS


@given(PLACES, st.integers(0, 3))
def test_an_interruption_takes_nothing_away(places: list[tuple[int, int]], m: int) -> None:
    """Without its foreign turns an interrupted stream is the stream that it was; bursts stand before questions."""
    stream = place(clean(case(len(places))), {f"q{n}": f"{s}:{t}" for n, (s, t) in enumerate(places)})
    bursts = {f"q{n}": burst(f"x{n}", m) for n in range(0, len(places), 2)}
    disturbed = words(interrupt(stream, bursts))
    assert [word for word in disturbed if not word.startswith("x")] == words(stream)
    for question, turns in bursts.items():
        at = disturbed.index(question)
        assert disturbed[at - m : at] == [turn.id for turn in turns]


def test_bursts_are_writes_of_their_own() -> None:
    """A system that takes whole sessions gets a burst apart from what it interrupts."""
    stream = interrupt(place(clean(case(1)), {"q0": "0:1"}), {"q0": burst("x", 2)})
    sizes = [len(event.turns) for event in in_units(stream, "session") if isinstance(event, Write)]
    assert sizes == [2, 2, 2, 4, 4]


def test_an_isolated_burst_is_gone_in_the_next_session() -> None:
    """At the boundary everything is forgotten and what was really said is said again, once for every pollution."""
    stream = place(clean(case(3)), {"q0": "0:1", "q1": "1:0", "q2": "2:3"})
    foreign = burst("x", 2)
    isolated = words(isolate(interrupt(stream, {"q0": foreign}), {turn.id for turn in foreign}))
    first = ["0:0", "0:1", "0:2", "0:3", "end"]
    assert isolated == [
        *["0:0", "0:1", "x-0", "x-1", "q0", "0:2", "0:3", "end", "reset"],
        *first,
        *["1:0", "q1", "1:1", "1:2", "1:3", "end", "2:0", "2:1", "2:2", "2:3", "q2", "end"],
    ]


def test_without_foreign_turns_nothing_is_isolated() -> None:
    """A stream that nothing interrupts stays as it is."""
    stream = clean(case(2))
    assert isolate(stream, set()) == stream
    assert Reset() not in stream
