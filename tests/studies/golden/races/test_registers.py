"""Whether reads of one value are explained by an order of its writes, beside every order that there is."""

from __future__ import annotations

from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from memgauge.studies.golden.races.registers import RegisterCall, orderable


@st.composite
def registers(draw: st.DrawFn) -> tuple[RegisterCall, ...]:
    """Draw up to five calls, some at once; each write has a value of its own."""
    calls = []
    for place in range(draw(st.integers(1, 5))):
        begun = draw(st.integers(0, 6))
        reads = draw(st.booleans())
        value = draw(st.sampled_from("0123")) if reads else str(place)
        ended = begun + draw(st.integers(1, 4)) - 0.5
        calls.append(RegisterCall(begun, ended, value, reads=reads, optional=not reads and draw(st.booleans())))
    return tuple(calls)


def explained(calls: tuple[RegisterCall, ...]) -> bool:
    """Try every order of every choice of calls that happened."""
    optional = [call for call in calls if call.optional]
    for chosen in range(2 ** len(optional)):
        gone = {id(call) for place, call in enumerate(optional) if not chosen >> place & 1}
        happened = [call for call in calls if id(call) not in gone]
        if any(_holds(order) for order in permutations(happened)):
            return True
    return False


def _holds(order: tuple[RegisterCall, ...]) -> bool:
    value = ""
    for place, call in enumerate(order):
        if any(later.ended < call.begun for later in order[place + 1 :] if not later.optional):
            return False
        if call.reads and call.value != value:
            return False
        value = call.value
    return True


@given(registers())
def test_an_order_is_found_where_there_is_one(calls: tuple[RegisterCall, ...]) -> None:
    """The search agrees with trying all orders."""
    assert orderable(calls) == explained(calls)
