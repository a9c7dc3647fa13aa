"""What an answer has of what was injected, and who answered, without a text of anybody being kept."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.exchange.otlp.answers import longest_runs, words_of
from memgauge.exchange.otlp.sighting import OtlpOptions
from memgauge.text.pseudonyms import Pseudonyms
from support.otlp import imported, line, memory, rows, span

if TYPE_CHECKING:
    from pathlib import Path

SAID = "You told me that the harbour café opens at seven, and that you like it."
HITS = [
    {"id": "m1", "content": "The harbour café opens at SEVEN on weekdays"},
    {"id": "m2", "content": "Her cat is called Miu and sleeps all day"},
    {"id": "m3", "content": "size 42"},
]
SEARCH = memory("search_memory", records=HITS)
CHAT = {"gen_ai.operation.name": "chat", "gen_ai.response.model": "small-2"}


def parts(text: str) -> list[dict[str, Any]]:
    """Spell an answer as the convention does, beside a call of a tool that repeats a memory."""
    call = {"type": "tool_call", "name": "search", "arguments": {"content": HITS[1]["content"]}}
    return [{"role": "assistant", "parts": [call, {"type": "text", "content": text}], "finish_reason": "stop"}]


@pytest.mark.parametrize(
    ("attributes", "events"),
    [
        ({"gen_ai.output.messages": parts(SAID)}, ()),
        ({"gen_ai.output.messages": json.dumps(parts(SAID))}, ()),
        ({"llm.output_messages.0.message.content": SAID, "llm.output_messages.0.message.role": "assistant"}, ()),
        ({"gen_ai.completion.0.content": SAID}, ()),
        ({}, [("gen_ai.choice", {"message": json.dumps([{"text": SAID}])})]),
        ({}, [("gen_ai.client.inference.operation.details", {"gen_ai.output.messages": json.dumps(parts(SAID))})]),
        ({}, [("gen_ai.content.completion", {"gen_ai.completion": SAID})]),
    ],
)
def test_an_answer_is_read_in_the_words_of_every_emitter(
    tmp_path: Path, attributes: dict[str, Any], events: list[tuple[str, dict[str, Any]]]
) -> None:
    """Five words in a row are traced; a text of two words says nothing; a call of a tool is no answer."""
    spans = span(1, SEARCH), span(2, CHAT | attributes, events=events)
    (row,) = rows(imported(tmp_path, [line(*spans, resource={"service.version": "1.4"})]))
    runs = [record["traceable"] for record in row["records"]]
    assert runs[:2] == [6.0, 1.0]
    assert runs[2] != runs[2]
    assert (row["service"], row["model"]) == ("shop-bot 1.4", "small-2")


def test_no_text_is_kept_of_what_was_compared(tmp_path: Path) -> None:
    """Under a key there are hashes and lengths of runs, and nothing of anybody's words in any file."""
    options = OtlpOptions(Pseudonyms(b"a key of some length"))
    traffic = imported(
        tmp_path, [line(span(1, SEARCH), span(2, CHAT | {"gen_ai.output.messages": parts(SAID)}))], options=options
    )
    (row,) = rows(traffic)
    assert (row["query"], {record["text"] for record in row["records"]}) == (None, {None})
    assert row["records"][0]["traceable"] == 6
    kept = b"".join(path.read_bytes() for path in traffic.folder.iterdir())
    assert b"harbour" not in kept


@pytest.mark.parametrize(
    "spans",
    [
        (span(1, SEARCH), span(2, CHAT)),
        (span(5, SEARCH), span(2, CHAT | {"gen_ai.output.messages": parts(SAID)})),
        (span(1, SEARCH), span(2, CHAT | {"gen_ai.output.messages": parts(SAID)}, parent=1)),
        (span(1, SEARCH), span(2, CHAT | {"gen_ai.output.messages": parts(SAID)}, traceId="b" * 32)),
    ],
)
def test_without_an_answer_behind_the_search_nothing_is_known(
    tmp_path: Path, spans: tuple[dict[str, Any], ...]
) -> None:
    """None was captured, it came before, it is the memory's own model that spoke, or it is of another trace."""
    (row,) = rows(imported(tmp_path, [line(*spans)]))
    assert all(record["traceable"] != record["traceable"] for record in row["records"])


def test_a_model_is_that_of_the_next_answer(tmp_path: Path) -> None:
    """Of two answers behind a search the first one says for whom it was made."""
    answers = [
        span(number, {"gen_ai.request.model": name, "gen_ai.output.messages": parts("Good morning to you.")})
        for number, name in ((3, "later"), (2, "next"))
    ]
    (row,) = rows(imported(tmp_path, [line(span(1, SEARCH), *answers)]))
    assert row["model"] == "next"


def test_a_model_is_known_without_its_words_and_an_embedder_is_none(tmp_path: Path) -> None:
    """Services that capture no content still say who answered; what embeds a query answers nothing."""
    embedder = {"gen_ai.operation.name": "embeddings", "gen_ai.request.model": "embedder"}
    (row,) = rows(imported(tmp_path, [line(span(1, SEARCH), span(2, embedder), span(3, CHAT))]))
    assert row["model"] == "small-2"


def test_only_the_next_answers_are_looked_at(tmp_path: Path) -> None:
    """The eighth behind the search counts, the ninth does not, however long the trace goes on."""
    for last, expected in ((9, 6), (10, 0)):
        texts = ["Nothing of it."] * (last - 2) + [SAID]
        answers = [
            span(number, CHAT | {"gen_ai.output.messages": parts(text)}) for number, text in enumerate(texts, 2)
        ]
        folder = tmp_path / str(last)
        folder.mkdir()
        (row,) = rows(imported(folder, [line(span(1, SEARCH), *answers)]))
        assert row["records"][0]["traceable"] == expected


words = st.lists(st.sampled_from("abc"), max_size=12)


@given(words, st.lists(words, max_size=3))
def test_a_run_is_the_longest_that_any_answer_has(text: list[str], answers: list[list[str]]) -> None:
    """Beside looking for every run of the text in every answer."""
    inside = [
        len(text[start:end])
        for start in range(len(text))
        for end in range(start + 1, len(text) + 1)
        for answer in answers
        if any(answer[place : place + end - start] == text[start:end] for place in range(len(answer)))
    ]
    spelled = [words_of(" ".join(each), 7) for each in (text, *answers)]
    expected = max(inside, default=0) if answers and len(text) >= 5 else None
    assert longest_runs(spelled[:1], spelled[1:]) == [expected]
