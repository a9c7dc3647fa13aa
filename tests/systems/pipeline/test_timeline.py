"""From what was said of one slot to what held when."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from memgauge.records.statements import Act, Statement
from memgauge.systems.pipeline.timeline import ALWAYS, TimedStatement, Version, after, is_over, versions
from support.pipeline import DAY0, day, midnight

Span = tuple[str, datetime | None, datetime | None]


def said(*lines: tuple[float, Statement]) -> list[TimedStatement]:
    """Say statements on their days, in the order given."""
    return [timed(row, day(at), statement) for row, (at, statement) in enumerate(lines)]


def timed(row: int, at: datetime, statement: Statement, **rest: Any) -> TimedStatement:
    """Say one statement, that counts from when it is told."""
    return TimedStatement(row, f"t{row}", f"t{row}/fact/0", at, at, statement, **rest)


def hold(value: str, **rest: object) -> Statement:
    """State a value."""
    return Statement("employer", value, **rest)  # type: ignore[arg-type]


def end(value: str = "") -> Statement:
    """Say that a value, or any, is no more."""
    return Statement("employer", value, act=Act.END)


def spans(found: list[Version]) -> list[Span]:
    """Show values with their ends."""
    return [(one.stated[0].statement.value, one.start, one.end) for one in found]


STATEMENTS = st.one_of(
    st.builds(hold, st.sampled_from("ABC"), functional=st.booleans()),
    st.builds(hold, st.sampled_from("ABC"), until=st.dates(DAY0.date(), DAY0.date() + timedelta(days=30))),
    st.builds(hold, st.sampled_from("ABCD"), over=st.just(value=True), until=st.just(date(2024, 2, 1))),
    st.builds(end, st.sampled_from(["", "A", "B"])),
)
LINES = st.lists(st.tuples(st.integers(0, 30), STATEMENTS), max_size=8, unique_by=lambda line: line[0])


@given(LINES, st.randoms(use_true_random=False))
def test_the_order_of_arrival_does_not_matter(lines: list[tuple[int, Statement]], random: object) -> None:
    """What was said at different times gives the same versions, in whatever order it arrives."""
    shuffled = list(lines)
    random.shuffle(shuffled)  # type: ignore[attr-defined] # Hypothesis' Random has no public type
    one, other = versions(said(*lines)), versions(said(*shuffled))
    assert spans(one) == spans(other)
    stated = [[{day_of.at for day_of in version.stated} for version in found] for found in (one, other)]
    assert stated[0] == stated[1]


@given(LINES, st.integers(-40, 60))
def test_one_value_at_a_time(lines: list[tuple[int, Statement]], at: int) -> None:
    """At no moment do two values hold that take each other's place, unless one was told of the past."""
    holding = [
        version
        for version in versions(said(*lines))
        if version.start is not None and version.start <= day(at) and version.holds(day(at)) and version.functional
    ]
    assert len(holding) <= 1


@given(LINES)
def test_what_is_told_of_the_past_is_never_present(lines: list[tuple[int, Statement]]) -> None:
    """A version without a beginning has an end, and it lies before it was told."""
    for version in versions(said(*lines)):
        if version.start is None:
            assert version.end is not None
            assert version.end <= min(one.at for one in version.stated)


def test_a_mention_keeps_the_beginning() -> None:
    """Saying the same again adds a source and changes no time, however it is written."""
    (version,) = versions(said((1, hold("Acme")), (5, hold("the  ACME"))))
    assert (version.start, version.end, version.turns) == (day(1), None, ("t0", "t1"))


def test_an_earlier_mention_that_arrives_late_moves_the_beginning() -> None:
    """What was said first begins the version; what came first still names it."""
    (version,) = versions(said((5, hold("Acme")), (1, hold("Acme"))))
    assert (version.start, version.first.name, version.turns) == (day(1), "t0/fact/0", ("t0", "t1"))


def test_an_older_value_that_arrives_late_changes_nothing_of_the_present() -> None:
    """It holds until the newer one begins."""
    found = versions(said((1, hold("Acme")), (8, hold("Globex")), (4, hold("Hooli"))))
    assert spans(found) == [("Acme", day(1), day(4)), ("Hooli", day(4), day(8)), ("Globex", day(8), None)]


def test_an_end_that_arrives_before_its_beginning_holds() -> None:
    """The end was said later, so it ends what was said before it."""
    assert spans(versions(said((5, end()), (1, hold("Acme"))))) == [("Acme", day(1), day(5))]


def test_a_value_that_comes_back_is_a_version_of_its_own() -> None:
    """Back to the old state does not make the time between untrue."""
    found = versions(said((1, hold("Acme")), (3, hold("Globex")), (5, hold("Acme"))))
    assert spans(found) == [("Acme", day(1), day(3)), ("Globex", day(3), day(5)), ("Acme", day(5), None)]


def test_the_last_of_one_moment_holds() -> None:
    """Sessions share one time: of two values said then, the later one is true."""
    found = versions(said((1, hold("Acme")), (1, hold("Globex"))))
    assert spans(found) == [("Acme", day(1), day(1)), ("Globex", day(1), None)]


def test_many_values_hold_side_by_side() -> None:
    """What has many values ends one by one, or all at once."""
    several = [(n, hold(value, functional=False)) for n, value in enumerate("ABC")]
    assert [end for _, _, end in spans(versions(said(*several)))] == [None] * 3
    assert [end for _, _, end in spans(versions(said(*several, (5, end("B")))))] == [None, day(5), None]
    assert [end for _, _, end in spans(versions(said(*several, (5, end()))))] == [day(5)] * 3


def test_until_ends_after_its_day_and_can_be_extended() -> None:
    """The last day still counts; a later word about the end wins, one without an end changes nothing."""
    first = hold("4711", until=date(2024, 3, 5))
    (version,) = versions(said((0, first), (1, hold("4711"))))
    assert version.end == midnight(2024, 3, 6)
    (version,) = versions(said((0, first), (1, hold("4711", until=date(2024, 3, 9)))))
    assert version.end == midnight(2024, 3, 10)
    assert after(date.max) is None


def test_an_end_in_the_past_is_the_past() -> None:
    """A value whose last day was over when it was told is not taken for the present."""
    old = hold("Acme", until=date(2020, 5, 1))
    assert is_over(old, DAY0)
    assert not is_over(old, ALWAYS)
    found = versions(said((0, hold("Globex")), (1, old)))
    assert spans(found) == [("Globex", day(0), None), ("Acme", None, midnight(2020, 5, 1))]


def test_the_past_of_a_value_that_was_taken_for_present_ends_it() -> None:
    """Until day 4 it was Acme: then it is Acme no longer; said twice, it is one version."""
    over = hold("Acme", until=date(2024, 3, 5), over=True)
    (version,) = versions(said((0, hold("Acme")), (8, over), (9, over)))
    assert (version.start, version.end) == (day(0), midnight(2024, 3, 5))
    assert version.turns == ("t0", "t1", "t2")


def test_the_past_without_a_day_ended_before_it_was_told() -> None:
    """A look back with a day that does not exist never becomes the present."""
    assert spans(versions(said((3, hold("Acme", over=True))))) == [("Acme", None, day(3))]
    undated = timed(0, ALWAYS, hold("Acme", over=True, until=date(2024, 3, 5)))
    assert spans(versions([undated])) == [("Acme", None, midnight(2024, 3, 5))]


def test_what_is_forgotten_still_took_the_place_of_something() -> None:
    """Of a forgotten value only the moment is left, and nothing that ended then comes back."""
    gone = timed(1, day(3), hold(""), forgotten=True)
    assert spans(versions([*said((1, hold("Acme"))), gone])) == [("Acme", day(1), day(3))]
    many = timed(1, day(3), hold("", functional=False), forgotten=True)
    assert spans(versions([*said((1, hold("Acme"))), many])) == [("Acme", day(1), None)]
    ended = timed(1, day(3), end(), text="t0/fact/0", forgotten=True)
    assert spans(versions([*said((1, hold("Acme"))), ended])) == [("Acme", day(1), day(3))]


def test_a_version_expires_with_the_last_that_states_it() -> None:
    """One statement without an end is enough to keep it."""
    one, other = said((1, hold("Acme")), (2, hold("Acme")))
    ends = [timed(s.row, s.at, s.statement, expires=day(9 + s.row)) for s in (one, other)]
    assert versions(ends)[0].expires == day(10)
    assert versions([one, ends[1]])[0].expires is None
