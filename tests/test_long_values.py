"""Long sequences are the tuples that they stand for."""

from __future__ import annotations

from copy import deepcopy

from hypothesis import given
from hypothesis import strategies as st

from memgauge.long_values import LongBytes, LongSequence, sequence_of
from support.peaks import measured

VALUES = st.lists(st.integers(), max_size=9).map(lambda few: [*few, *range(1020), *few, *range(2000)])


@given(values=VALUES, start=st.integers(-4000, 4000), stop=st.integers(-4000, 4000), place=st.integers(0, 3000))
def test_a_long_sequence_is_its_tuple(values: list[int], start: int, stop: int, place: int) -> None:
    """In order, by place, in slices of slices, backwards, and after a journey."""
    plain, written = tuple(values), LongSequence(values)
    assert tuple(written) == plain == written
    assert len(written) == len(plain)
    assert tuple(written[start:stop]) == plain[start:stop]
    assert tuple(written[start:stop][1:-1]) == plain[start:stop][1:-1]
    assert (written[place], written[-1 - place]) == (plain[place], plain[-1 - place])
    assert tuple(reversed(written[:20])) == plain[:20][::-1] == tuple(written[:20][::-1])
    assert deepcopy(written[start:stop]) == plain[start:stop]


def test_only_what_is_many_is_written() -> None:
    """Up to the limit a tuple comes back; behind it the same values in the same order."""
    assert sequence_of(range(5), short=5) == (0, 1, 2, 3, 4)
    many = sequence_of(iter(range(6)), short=5)
    assert isinstance(many, LongSequence)
    assert tuple(many) == tuple(range(6))


def test_a_view_stays_as_long_as_it_was() -> None:
    """What is written behind it does not reach into it."""
    written = LongSequence(range(1500))
    view = written[1400:]
    written.extend(range(10))
    assert tuple(view) == tuple(range(1400, 1500))
    assert tuple(written[1500:]) == tuple(range(10))


@given(portions=st.lists(st.binary(max_size=5), max_size=9))
def test_portions_come_back_as_they_went(portions: list[bytes]) -> None:
    """In order, by number, and after a journey."""
    written = LongBytes()
    for portion in portions:
        written.append(portion)
    assert list(written) == portions == list(deepcopy(written))
    assert written.size == sum(map(len, portions))


def test_memory_does_not_grow_with_a_sequence() -> None:
    """Ten times as many values take no more of it."""
    script = """
from memgauge.long_values import sequence_of
kept = sequence_of((f"a text of its own {{n}}" * 3 for n in range({n})), short=1000)
print(len(kept))
"""
    (few,), small = measured(script.format(n=20_000))
    (many,), large = measured(script.format(n=200_000))
    assert (few, many) == (20_000, 200_000)
    assert large - small < 8 * 1024
