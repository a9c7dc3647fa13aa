"""`memgauge study attribution`."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from support.model_server import KEY, answer, bodies, completion, failure, serve

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_httpserver import HTTPServer
    from werkzeug import Request as Asked
    from werkzeug import Response

    from support.cli import Said

FEW = ("--questions", "2")


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give every test the same key and no address."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


def obeys_memory(asked: Asked) -> Response:
    """Answer from memory, and guess where memory holds nothing."""
    text = json.loads(asked.get_data())["messages"][-1]["content"]
    slot = re.search(r"What is my ([\w ]+)\?", text)
    assert slot is not None
    found = re.search(rf"\[(\d+)\] <.*>\nMemory: My {slot[1]} is (.+)\.", text)
    return answer(completion(f"{found[2]}\nSources: {found[1]}" if found else "New York\nSources: none"))


def options(url: str, tmp_path: Path, *more: object) -> tuple[object, ...]:
    """Ask the server, and keep replies beside the test."""
    return ("--base-url", url, "--cassette", tmp_path / "replies.sqlite", *FEW, *more)


def test_a_wiring_is_measured(memgauge: Callable[..., Said]) -> None:
    """Matrix, rates and likeness on a terminal."""
    said = memgauge("study", "attribution", "run", "--wiring", "guesser", *FEW)
    assert said.code == 0
    assert said.out.startswith(
        "wiring:guesser: 1 of 2 questions right (1 from no source).\nAttribution: wiring:guesser"
    )
    assert "It answers, in 1.000 of asks, most like guesser." in said.out


def test_all_wirings_are_data(memgauge: Callable[..., Said]) -> None:
    """Each is recognised."""
    cards = memgauge("study", "attribution", "run", "--wiring", "all", *FEW, "--json").data["value"]["cards"]
    assert len(cards) == 8
    assert all(f"wiring:{card['nearest'][0]}" == card["reader"] for card in cards)


def test_what_is_broken_exits_with_1(memgauge: Callable[..., Said]) -> None:
    """Influence that no log shows, and an order that is not kept; the memory is named as it was asked for."""
    ref = "wired:memory-first,logs=false"
    unlogged = memgauge("study", "attribution", "run", "-s", ref, *FEW)
    assert unlogged.code == 1
    assert f"{ref}: 2 of 2 questions right (2 from memory). UNLOGGED_INFLUENCE: 2 effects" in unlogged.out
    order = ("--declared-order", "state,memory,document")
    assert memgauge("study", "attribution", "run", "--wiring", "memory-first", *FEW, *order).code == 1
    assert memgauge("study", "attribution", "run", "--wiring", "state-first", *FEW, *order).code == 0


def test_memories_are_left_out_and_layers_are_named(memgauge: Callable[..., Said]) -> None:
    """The truth is found as a group."""
    said = memgauge("study", "attribution", "run", "-s", "bm25", "--layer", "recall", "--memories", "4", *FEW)
    assert said.code == 0
    assert re.search(r"all that say the truth +1\.000", said.out)


def test_a_history_shows_a_trend(memgauge: Callable[..., Said], tmp_path: Path) -> None:
    """Run by run, on the terminal, in the data and on the page; another reader has its own."""
    path, page = tmp_path / "h" / "history.jsonl", tmp_path / "p" / "card.html"
    run = ("study", "attribution", "run", "--wiring", "guesser", *FEW, "--history", path)
    first = memgauge(*run, "--build", "one")
    assert "Trend" not in first.out
    order = ("--declared-order", "state,memory,document")
    second = memgauge(*run, "--build", "two", "--wiring", "majority", "--out", page, *order)
    assert "Trend over 2 runs" in second.out
    assert f"Written:{page}" in "".join(second.out.split())
    assert f"Written:{path}" in "".join(second.err.split())  # a long path breaks anywhere
    assert "Trend over 2 runs" in page.read_text("utf-8")
    assert "state,memory,document" in page.read_text("utf-8")
    assert len(path.read_text("utf-8").splitlines()) == 3
    history = memgauge(*run, "--json").data["value"]["history"]
    assert [[card["build"] for card in entries] for entries in history] == [["one", "two", ""]]


def test_a_file_that_is_no_history_stays_as_it_is(memgauge: Callable[..., Said], tmp_path: Path) -> None:
    """Nothing is appended to what cannot be read."""
    path = tmp_path / "notes.txt"
    path.write_text("mine\n")
    said = memgauge("study", "attribution", "run", "--wiring", "guesser", *FEW, "--history", path)
    assert (said.code, "notes.txt:1: not JSON" in said.err) == (2, True)
    assert path.read_text() == "mine\n"


def test_designs_and_wirings_are_listed(memgauge: Callable[..., Said]) -> None:
    """The table of the design, for both kinds of truth, and the eight with what they do."""
    said = memgauge("study", "attribution", "designs")
    assert re.search(r"15 cells +15 +8 of 8", said.out)
    assert "the truth is what anybody would guess" in said.out
    power = memgauge("study", "attribution", "designs", "--json").data["value"]
    assert power["guessable"] is True
    counts = [design["separates"] for design in power["separations"]]
    assert counts == [1, 2, 4, 5, 7, 7, 8]
    made_up = memgauge("study", "attribution", "designs", "--made-up", "--json").data["value"]
    assert [design["separates"] for design in made_up["separations"]] == [2, 5, 6, 6, 8, 8, 8]
    assert "the truth is made up" in memgauge("study", "attribution", "designs", "--made-up").out
    assert "Take memory, and guess where it holds nothing." in memgauge("study", "attribution", "wirings").out
    assert len(memgauge("study", "attribution", "wirings", "--json").data) == 8


def test_a_model_is_measured_over_http(
    httpserver: HTTPServer, memgauge: Callable[..., Said], tmp_path: Path
) -> None:
    """The whole path; the second time, and with the server gone, everything comes from the record."""
    url = serve(httpserver, obeys_memory)
    run = ("study", "attribution", "run", "--model", "openai:tiny")
    said = memgauge(*run, *options(url, tmp_path))
    assert said.code == 0, said.err
    assert "openai:tiny attribute-sources-1: 2 of 2 questions right (2 from memory)." in said.out
    data = memgauge(*run, *options(url, tmp_path, "--json")).data["value"]
    (card,) = data["cards"]
    assert card["rates"]["parametric"]["hits"] == 1  # of two questions, one is about a city
    assert card["citations"]["faithfulness"]["share"]["mean"] == 1
    assert len(httpserver.log) == 36
    gone = memgauge(*run, *options("http://127.0.0.1:9/v1", tmp_path, "--mode", "replay", "--json")).data["value"]
    assert gone["cards"] == data["cards"]
    assert data["spent"]["openai:tiny"]["replayed"] == 36
    assert not any(KEY.encode() in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())


def test_requests_tell_neither_cell_nor_truth(
    httpserver: HTTPServer, memgauge: Callable[..., Said], tmp_path: Path
) -> None:
    """The instructions are the same in all of them, and name no cell."""
    url = serve(httpserver, obeys_memory)
    memgauge("study", "attribution", "run", "--model", "openai:tiny", *options(url, tmp_path))
    sent = bodies(httpserver)
    assert len({body["messages"][0]["content"] for body in sent}) == 1
    assert not re.search("swap|conflict|joint|agree", json.dumps([body["messages"][1] for body in sent]))


def test_what_fails_is_told_and_exits_with_1(
    httpserver: HTTPServer, memgauge: Callable[..., Said], tmp_path: Path
) -> None:
    """A refused and a cut reply are no answers; a wrong key ends the study without being printed."""
    replies = [answer(completion("I would rather", "content_filter")), answer(completion("Pa", "length"))]
    url = serve(httpserver, *replies, obeys_memory)
    said = memgauge(
        "study", "attribution", "run", "--model", "openai:tiny", *options(url, tmp_path, "--workers", "1")
    )
    assert said.code == 1
    assert "Failed: the reply is no answer: it ended as" in said.out
    httpserver.clear()
    url = serve(httpserver, failure(401, f"Incorrect API key provided: {KEY}"))
    refused = memgauge("study", "attribution", "run", "--model", "openai:other", *options(url, tmp_path))
    assert refused.code == 2
    assert KEY not in refused.err + refused.out


def test_a_budget_stops_and_a_plan_asks_nothing(
    httpserver: HTTPServer, memgauge: Callable[..., Said], tmp_path: Path
) -> None:
    """The plan counts asks of every reader; money is said where a price is known."""
    url = serve(httpserver, obeys_memory)
    run = ("study", "attribution", "run", "--model", "openai:tiny")
    planned = memgauge(*run, "--wiring", "guesser", *options(url, tmp_path, "--plan", "--memories", "3", "--json"))
    assert planned.data["asks"] == {"wiring:guesser": 46, "openai:tiny attribute-sources-1": 46}
    assert planned.data["model"]["calls"] == 46
    assert httpserver.log == []
    priced = memgauge(
        "study", "attribution", "run", "--model", "openai:gpt-4.1-mini", "--plan", *options("", tmp_path)[2:]
    )
    assert "36 asks." in priced.out
    assert "USD" in priced.out
    assert memgauge("study", "attribution", "run", "-s", "bm25", "--plan", *FEW).out == "bm25: 6 asks.\n"
    poor = memgauge(*run, *options(url, tmp_path, "--max-calls", "3"))
    assert poor.code == 1
    assert len(httpserver.log) == 3


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "nothing to measure"),
        (("--wiring", "gueser"), "Did you mean guesser"),
        (("--wiring", "guesser", "--questions", "1"), "too few"),
        (("--wiring", "guesser", "--repeats", "0"), "Give a whole number from 1"),
        (("--wiring", "guesser", "--declared-order", "memory"), "not of all three"),
        (("--wiring", "guesser", "--memories", "2"), "Take 3 to 24"),
        (("-s", "bm25", "--layer", "answer"), "has no layer 'answer'"),
        (("-s", "bm26"), "Did you mean bm25"),
        (("-s", "bm25", "--k", "0"), "Give a whole number from 1"),
        (("-s", "bm25", "--call-timeout", "nan"), "Give a number above 0"),
        (("-s", "bm25", "--call-timeout", "0"), "Give a number above 0"),
        (("--model", "openai:tiny", "--prompt", "attribute-source"), "Did you mean attribute-sources"),
    ],
)
def test_mistakes_are_one_sentence(
    memgauge: Callable[..., Said], tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    """What cannot be measured exits with 2 and says what to do."""
    found = memgauge("study", "attribution", "run", *arguments, "--cassette", tmp_path / "replies.sqlite")
    assert (found.code, said in found.err) == (2, True), found.err


@pytest.mark.parametrize("command", ["run", "designs", "wirings"])
def test_help_says_what_it_does(memgauge: Callable[..., Said], command: str) -> None:
    """Every option has a sentence."""
    said = memgauge("study", "attribution", command, "--help")
    assert said.code == 0
    assert "--json" in said.out
