"""Foreign code against a clock."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from memgauge.errors import CallFailed, CallTimeout, ContractBreach
from memgauge.runs.play.call import Caller, let_go, shut

if TYPE_CHECKING:
    from collections.abc import Callable


def test_a_call_returns_its_value_and_its_time() -> None:
    """Time is read before and after the call, in milliseconds."""
    ticks = iter([1.0, 1.25])
    caller = Caller(clock=lambda: next(ticks))
    timed = caller.call("add", lambda: 2 + 2, 5)
    caller.close()
    assert (timed.value, timed.ms) == (4, 250.0)


def test_calls_run_on_with_threads_of_their_own() -> None:
    """A system that keeps state by thread sees one thread, and not the harness's."""
    caller = Caller()
    threads = {caller.call("who", threading.get_ident, 5).value for _ in range(3)}
    caller.close()
    assert len(threads) == 1
    assert threading.get_ident() not in threads


@pytest.mark.parametrize("error", [ValueError("a\n  b"), SystemExit("a b"), KeyboardInterrupt("a b")])
def test_whatever_is_raised_becomes_a_fault_with_its_place(error: BaseException) -> None:
    """Even an exit of the interpreter is caught; the message is one line and names the file."""

    def fail() -> None:
        raise error

    caller = Caller()
    with pytest.raises(CallFailed, match=rf"^search raised {type(error).__name__}: a b \(test_call\.py:\d+\)$"):
        caller.call("search", fail, 5)
    assert caller.call("search", lambda: 1, 5).value == 1
    caller.close()


def test_long_messages_are_cut() -> None:
    """A page of response body does not enter the record."""

    def fail() -> None:
        raise ValueError("x" * 10_000)

    caller = Caller()
    with pytest.raises(CallFailed) as caught:
        caller.call("search", fail, 5)
    caller.close()
    assert 400 < len(str(caught.value)) < 500


def test_an_error_without_words_or_frames_is_still_named() -> None:
    """The kind of the exception is enough."""
    caller = Caller()
    with pytest.raises(CallFailed, match=r"^next raised StopIteration \(test_call"):
        caller.call("next", lambda: next(iter(())), 5)
    caller.close()


def test_an_error_that_cannot_be_printed_is_still_recorded() -> None:
    """Even the message of an exception is foreign code, and may raise."""

    class Mute(Exception):  # noqa: N818 - it says nothing
        def __str__(self) -> str:
            raise ValueError

    def fail() -> None:
        raise Mute

    caller = Caller()
    with pytest.raises(CallFailed, match=r"^search raised Mute: \(its message raised ValueError\) "):
        caller.call("search", fail, 5)
    caller.close()


def test_after_a_timeout_nothing_more_is_called() -> None:
    """The instance is given up, because nobody knows what it is still doing."""
    wake, called = threading.Event(), threading.Event()
    caller = Caller()
    with pytest.raises(CallTimeout, match=r"^ingest did not return within 0\.05 s$"):
        caller.call("ingest", lambda: wake.wait(30), 0.05)
    with pytest.raises(CallTimeout, match=r"^not called: ingest did not return"):
        caller.call("search", called.set, 5)
    wake.set()
    caller.close()
    assert not called.is_set()
    assert caller.hung == "ingest did not return within 0.05 s"


class Held:
    """Something that must be let go of."""

    def __init__(self) -> None:
        self.closed: list[int] = []

    def close(self) -> None:
        """Note on which thread."""
        self.closed.append(threading.get_ident())


def test_what_comes_too_late_is_handed_to_whoever_lets_go_of_it() -> None:
    """A system that opens after its time is closed, and not kept open by nobody."""
    caller, held, go = Caller(), Held(), threading.Event()

    def opening() -> Held:
        go.wait(10)
        return held

    done = threading.Event()

    def drop(late: Held) -> None:
        let_go(late)
        done.set()

    with pytest.raises(CallTimeout, match="opening did not return"):
        caller.call("opening", opening, 0.05, late=drop)
    go.set()
    assert done.wait(10)
    assert len(held.closed) == 1
    caller.close()


def test_closing_happens_on_the_thread_of_the_calls_or_beside_one_that_hangs() -> None:
    """A system sees one thread while all is well; when a call hangs, another thread closes it."""
    caller, held = Caller(), Held()
    own = caller.call("who", threading.get_ident, 5).value
    shut(caller, held.close)
    assert held.closed == [own]
    go = threading.Event()
    with pytest.raises(CallTimeout):
        caller.call("hang", lambda: go.wait(10), 0.05)
    shut(caller, held.close)
    assert held.closed[1] != own
    go.set()
    caller.close()


def test_what_closing_raises_changes_nothing() -> None:
    """Everything that the system showed is known by then."""
    caller = Caller()

    closed = []

    def fails() -> None:
        closed.append("once")
        raise OSError("busy")

    shut(caller, fails)
    let_go(object())
    caller.close()
    assert closed == ["once"]


@pytest.mark.parametrize(
    ("raised", "fault", "said"),
    [
        (CallTimeout("its own deadline"), CallTimeout, "search: its own deadline"),
        (CallFailed("its process died"), CallFailed, "search: its process died"),
        (ContractBreach("no JSON"), ContractBreach, "search: no JSON"),
        (ContractBreach("search returned None"), ContractBreach, "search returned None"),
    ],
)
def test_a_system_behind_a_wire_says_itself_what_happened(
    raised: Exception, fault: type[Exception], said: str
) -> None:
    """A timeout and a broken contract stay what they are, and the sentence is not wrapped into another."""
    caller = Caller()

    def fails() -> None:
        raise raised

    with pytest.raises(fault) as caught:
        caller.call("search", fails, 5)
    assert (type(caught.value), str(caught.value)) == (fault, said)
    caller.close()


def test_a_caller_is_of_use_again_when_its_late_call_has_returned() -> None:
    """What came too late is dropped; one that does not return in as long again is never waited for once more."""
    caller, wake = Caller(), threading.Event()
    assert caller.came_back(0)
    with pytest.raises(CallTimeout):
        caller.call("write", lambda: wake.wait(30), 0.01)
    wake.set()
    assert caller.came_back(30)
    assert caller.call("search", lambda: 7, 5).value == 7
    wake.clear()
    with pytest.raises(CallTimeout):
        caller.call("write", lambda: wake.wait(30), 0.01)
    assert not caller.came_back(0.01)
    wake.set()
    assert not caller.came_back(30)
    caller.close()


def test_calls_that_are_handed_over_together_are_made_in_turn() -> None:
    """Each has a clock of its own; all are made on the one thread."""
    ticks = iter([1.0, 1.5, 2.0, 2.25])
    caller = Caller(clock=lambda: next(ticks))
    ended = caller.calls([("first", threading.get_ident), ("second", threading.get_ident)], 5)
    caller.close()
    timed = [each for each in ended if not isinstance(each, CallFailed | CallTimeout | ContractBreach)]
    assert [each.ms for each in timed] == [500.0, 250.0]
    assert len({each.value for each in timed}) == 1  # type: ignore[union-attr] # the same


def test_what_lies_behind_a_call_that_raised_is_not_made() -> None:
    """Nor behind one whose value is the last that is wanted: what becomes of it may change what is called next."""
    made: list[int] = []

    def fails() -> int:
        made.append(1)
        raise ValueError

    def returns() -> int:
        made.append(2)
        return 2

    caller = Caller()
    (first,) = caller.calls([("search", fails), ("search", returns)], 5)
    assert isinstance(first, CallFailed)
    assert len(caller.calls([("search", returns), ("search", fails)], 5, lambda value: value == 2)) == 1
    caller.close()
    assert made == [1, 2]


def test_the_clock_of_a_call_begins_with_the_call() -> None:
    """Together they may take longer than one may; the first that does is a timeout, and the last that is made."""
    caller, wake, after = Caller(), threading.Event(), threading.Event()
    slow = [("write", lambda: wake.wait(0.15))] * 4
    assert len(caller.calls(slow, 0.4)) == 4
    calls: list[tuple[str, Callable[[], object]]] = [
        ("write", lambda: True),
        ("flush", lambda: wake.wait(30)),
        ("write", after.set),
    ]
    ended = caller.calls(calls, 0.2)
    assert str(ended[1]) == "flush did not return within 0.2 s"
    assert len(ended) == 2
    wake.set()
    assert caller.came_back(30)
    assert caller.call("search", lambda: 7, 5).value == 7
    assert not after.is_set()
    caller.close()
