"""Sessions are cut as the platform cuts them."""

from __future__ import annotations

from datetime import datetime

from hypothesis import given
from hypothesis import strategies as st

from memgauge.systems.aml.chunks import AddMessage, chunks, milliseconds, time_of

MESSAGES = st.lists(
    st.text(st.sampled_from("ab .!?\n"), min_size=1, max_size=60).map(lambda text: AddMessage("user", text)),
    max_size=30,
)


@given(MESSAGES, st.integers(1, 5), st.integers(1, 8))
def test_nothing_is_lost_and_no_chunk_is_too_large(messages: list[AddMessage], most: int, words: int) -> None:
    """What was said is said again, in order; each chunk keeps both limits."""
    cut = list(chunks(messages, most, words))
    assert "".join(message.content for chunk in cut for message in chunk) == "".join(m.content for m in messages)
    assert all(1 <= len(chunk) <= most for chunk in cut)
    assert all(sum(message.words for message in chunk) <= words for chunk in cut)


def test_twenty_messages_are_one_chunk_and_the_next_begins_another() -> None:
    """The limits are the platform's, and a message that fits is never cut."""
    messages = [AddMessage("user", f"line {number}") for number in range(41)]
    assert [len(chunk) for chunk in chunks(messages)] == [20, 20, 1]
    halves = [AddMessage("user", "word " * 1_000), AddMessage("assistant", "word " * 1_001)]
    assert [len(chunk) for chunk in chunks(halves)] == [1, 1]


def test_a_long_message_is_cut_after_a_sentence() -> None:
    """Its parts keep role and time; a sentence that is too long is cut after a word."""
    at = datetime.fromisoformat("2024-01-01")
    cut = list(chunks([AddMessage("user", "One two three. Four five. Six seven eight nine.", at)], 20, 5))
    assert [chunk[0].content for chunk in cut] == ["One two three. Four five. ", "Six seven eight nine."]
    assert {(chunk[0].role, chunk[0].at) for chunk in cut} == {("user", at)}
    assert [c[0].content for c in chunks([AddMessage("user", "a b c d e")], 20, 2)] == ["a b ", "c d ", "e"]


@given(st.datetimes(datetime.fromisoformat("0001-01-01"), datetime.fromisoformat("9999-12-31")))
def test_times_survive_as_milliseconds(at: datetime) -> None:
    """Any time of the calendar is sent and read back, to the millisecond."""
    again = time_of(milliseconds(at))
    assert again is not None
    assert abs((at - again).total_seconds()) < 0.001


def test_what_is_no_time_is_no_time() -> None:
    """Nonsense is never an error."""
    strange: list[object] = [10**20, -(10**20), "yesterday", None, True, float("nan"), float("inf"), [], {}]
    assert [time_of(value) for value in strange] == [None] * len(strange)
    assert time_of(253_402_300_799_999) == datetime.fromisoformat("9999-12-31T23:59:59.999")
