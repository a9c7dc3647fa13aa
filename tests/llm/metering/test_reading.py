"""Tokens are read from replies as servers write them, and counted where they write none or nonsense."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.llm.metering.reading import UNKNOWN, ReplyReader, TokenCount, sent_tokens
from memgauge.metering import CostSource
from memgauge.text.tokens import count_tokens
from support.model_server import completion
from support.raw_server import DELTAS, DONE, USAGE, piece

STREAM = b"".join(map(piece, DELTAS))
WRITTEN = "".join(DELTAS)


def read(content: bytes, *, whole: bool = True) -> ReplyReader:
    """Read a reply in one part."""
    reader = ReplyReader()
    reader.feed(content)
    reader.end(whole=whole)
    return reader


def reported(value: int) -> TokenCount:
    """Make a number that a server says."""
    return TokenCount(value, CostSource.REPORTED)


@given(st.lists(st.integers(1, 40), max_size=30), st.booleans(), st.sampled_from([b"\n", b"\r\n"]))
def test_a_stream_is_read_however_it_is_cut(sizes: list[int], says: bool, end: bytes) -> None:
    """The same tokens come out whatever parts a network makes of it; the last usage counts."""
    content = (STREAM + (USAGE if says else b"") + DONE).replace(b"\n", end)
    reader = ReplyReader()
    for size in sizes:
        reader.feed(content[:size])
        content = content[size:]
    reader.feed(content)
    reader.end()
    assert reader.legible
    assert reader.taken() == (reported(11) if says else None)
    assert reader.written() == (reported(7) if says else TokenCount.counted(count_tokens(WRITTEN)))


def test_a_whole_reply_says_what_it_took() -> None:
    """In OpenAI's names, and in the newer ones."""
    assert read(json.dumps(completion()).encode()).written() == reported(2)
    newer = {"usage": {"input_tokens": 9, "output_tokens": 0}}
    assert read(json.dumps(newer).encode()).taken() == reported(9)
    assert read(json.dumps(newer).encode()).written() == reported(0)


@pytest.mark.parametrize(
    "usage",
    [
        None,
        [],
        "7",
        *({"completion_tokens": value} for value in ("2", -1, True, 10**12, 2.5)),
    ],
)
def test_what_is_no_count_is_counted_here(usage: Any) -> None:
    """A usage that is malformed is none; texts and uses of tools are counted in its place."""
    used = [{"function": {"name": "add", "arguments": '{"a": 1}'}}]
    reader = read(json.dumps({**completion("Fine.", tool_calls=used), "usage": usage}).encode())
    assert reader.taken() is None
    assert reader.written() == TokenCount.counted(count_tokens("Fine.add" + '{"a": 1}'))


@pytest.mark.parametrize("content", [b"<html>", b"{", b'{"choices": ', b"", b"data: {no\n\n", b"\xff\xfe\x00"])
def test_of_what_cannot_be_read_nothing_is_known(content: bytes) -> None:
    """That is not 0."""
    reader = read(content)
    assert not reader.legible
    assert reader.written() == UNKNOWN


def test_of_a_stream_that_broke_off_what_came_is_counted() -> None:
    """Up to the last whole event."""
    reader = read(piece("Fine") + piece(", thanks") + b'data: {"cho', whole=False)
    assert reader.written() == TokenCount.counted(count_tokens("Fine, thanks"))


@pytest.mark.parametrize("body", [
    {"messages": [{"role": "user", "content": "How are you?"}]},
    {"messages": [{"role": "user", "content": [{"type": "text", "text": "How are you?"}]}]},
    {"input": "How are you?"}, {"input": ["How are you?"]}, {"input": [5, 6, 7]}, {"input": [[5, 6], [7]]},
])  # fmt: skip
def test_what_is_sent_is_counted(body: dict[str, Any]) -> None:
    """Texts by our rule, tokens as they are."""
    assert sent_tokens(body) == TokenCount.counted(3)


@pytest.mark.parametrize("body", [
    None, {}, {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:"}}]}]},
    {"messages": [{"role": "user", "content": 7}]}, {"input": [["no"]]}, {"input": {"a": 1}, "messages": None},
])  # fmt: skip
def test_what_is_no_text_is_unknown(body: dict[str, Any] | None) -> None:
    """A picture has tokens that nobody here can count."""
    assert sent_tokens(body) == UNKNOWN
