"""Calling foreign code: a value, or what it raised as one."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from memgauge.foreign import Raised, call_foreign, described, message_of


class Worse(Exception):  # noqa: N818 - a double
    """Cannot say what it is."""

    def __str__(self) -> str:
        raise ValueError("no words")


def _failing(error: BaseException) -> None:
    raise error


def test_a_value_comes_back_as_it_is() -> None:
    """Nothing is wrapped where nothing went wrong."""
    assert call_foreign(lambda: 7) == 7


def test_what_is_raised_comes_back_with_its_line() -> None:
    """The error itself, so that nothing of it is lost."""
    outcome = call_foreign(lambda: _failing(KeyError("a\n b")))
    assert isinstance(outcome, Raised)
    assert isinstance(outcome.error, KeyError)
    assert str(outcome) == "KeyError: 'a\\n b'"
    assert described(outcome.error).startswith("KeyError: 'a\\n b' (test_foreign.py:")


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(3)])
def test_an_end_of_the_process_is_no_outcome(error: BaseException) -> None:
    """Whoever interrupts is heard."""
    with pytest.raises(type(error)):
        call_foreign(lambda: _failing(error))


def test_an_error_that_cannot_describe_itself_is_described() -> None:
    """Its own ``__str__`` is foreign code too."""
    assert message_of(Worse()) == "(its message raised ValueError)"
    assert str(Raised(Worse())) == described(Worse()) == "Worse: (its message raised ValueError)"


def test_a_message_is_one_line_and_may_be_cut() -> None:
    """An error without words is its name."""
    assert message_of(ValueError("a\n  b")) == "a b"
    assert described(ValueError("abc"), 2) == "ValueError: ab"
    assert described(KeyError()) == "KeyError"


def test_what_an_error_says_fits_into_any_file() -> None:
    """Half a surrogate pair, which no UTF-8 can hold, is a question mark."""
    assert message_of(RuntimeError("half \ud800 of\na pair")) == "half ? of a pair"


def test_a_message_that_holds_a_document_is_cut() -> None:
    """A file of results is read by people too, and one that no program reads any more helps nobody."""
    long = message_of(ValueError("x" * 5_000_000))
    assert len(long) < 2_100
    assert long.endswith("… (and 4,998,000 characters more)")


def test_a_thread_cannot_ask_for_the_end_of_the_process() -> None:
    """What says so there is foreign code, and is told as what it raised; on the main thread it is Ctrl-C."""

    def stopping() -> None:
        raise KeyboardInterrupt

    with ThreadPoolExecutor(1) as pool:
        raised = pool.submit(call_foreign, stopping).result()
    assert isinstance(raised, Raised)
    assert isinstance(raised.error, KeyboardInterrupt)
    with pytest.raises(KeyboardInterrupt):
        call_foreign(stopping)
