"""Foreign code against a clock."""

from __future__ import annotations

import threading

import pytest

from memgauge.errors import CallFailed, CallTimeout
from memgauge.runs.call import Caller


def test_a_call_returns_its_value_and_its_time() -> None:
    """Time is read before and after the call, in milliseconds."""
    ticks = iter([1.0, 1.25])
    caller = Caller(clock=lambda: next(ticks))
    timed = caller.call("add", lambda: 2 + 2, 5)
    caller.close()
    assert (timed.value, timed.ms) == (4, 250.0)


def test_calls_run_on_one_thread_of_their_own() -> None:
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
