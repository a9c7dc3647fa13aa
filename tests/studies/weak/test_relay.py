"""A relay passes on what comes, as it comes, and notes it."""

from __future__ import annotations

from threading import Event, Thread
from typing import TYPE_CHECKING, Any

from memgauge.studies.weak.relay import LiveModel, RecordingRelay
from support.engines import ToyWriter, serving
from support.weak import CAP, TODAY, ask, body, relayed

if TYPE_CHECKING:
    from collections.abc import Mapping

SCHEMA = {"type": "object", "properties": {"a": {"type": "string", "description": "an a"}}, "required": ["a"]}


def test_requests_and_replies_go_through_and_are_noted() -> None:
    """With what the request was for, what its reply has to be, and what the reply took."""
    with relayed() as relay:
        relay.during = "s01:t01"
        status, reply = ask(relay.url, body("Turn s01:t01.", max_tokens=20))
        (noted,) = relay.taken()
    assert (status, reply["choices"][0]["message"]["content"]) == (200, '{"fact": "it was said"}')
    assert (noted.during, noted.purpose, noted.shape, noted.cap) == ("s01:t01", "unknown: text", "text", 20)
    assert (noted.status, noted.finish, noted.text) == (200, "stop", '{"fact": "it was said"}')
    assert noted.input_tokens
    assert noted.output_tokens
    assert relay.taken() == ()


def test_equal_requests_are_asked_again_and_have_one_key_whatever_the_day() -> None:
    """A retry is an exchange of its own; today and ids are no part of a key, and of no recorded reply."""
    with relayed() as relay:
        for _ in range(2):
            ask(relay.url, body(f"Today is {TODAY}."))
        ask(relay.url, body("Today is another day."))
        first, again, other = relay.taken()
    assert first.key == again.key != other.key


def test_a_schema_is_noted_without_its_descriptions() -> None:
    """Descriptions are words of whoever asks."""
    asked = {"type": "json_schema", "json_schema": {"name": "A", "schema": SCHEMA}}
    with relayed() as relay:
        ask(relay.url, body(response_format=asked))
        (noted,) = relay.taken()
    assert noted.shape == "schema"
    assert noted.schemas["A"] == {
        "type": "object",
        "required": ["a"],
        "properties": {"a": {"type": "string"}},
    }


def test_what_is_refused_or_cut_is_passed_on_and_noted() -> None:
    """The one who asks sees the status and the words of the server, and how a reply ended."""
    with serving(ToyWriter("too long for it")) as server:
        relay = RecordingRelay(LiveModel(server.url, 10), cap=CAP, today=TODAY)
        with relay:
            status, said = ask(relay.url, body())
            (noted,) = relay.taken()
    assert (status, noted.status) == (400, 400)
    assert "too long for it" in said["error"]["message"]
    assert "too long for it" in noted.why
    with (
        serving(ToyWriter(), cap=CAP) as server,
        RecordingRelay(LiveModel(server.url, 10), cap=CAP, today=TODAY) as relay,
    ):
        _, said = ask(relay.url, body())
        (noted,) = relay.taken()
    assert said["choices"][0]["finish_reason"] == noted.finish == "length"
    assert noted.output_tokens == CAP


def test_a_request_without_a_reply_is_noted_once() -> None:
    """What comes for it later belongs to no lane."""
    begun, go_on = Event(), Event()

    class Slow(ToyWriter):
        def chat(self, asked: Mapping[str, Any], cap: int, limit_s: float) -> dict[str, Any]:
            begun.set()
            go_on.wait(10)
            return super().chat(asked, cap, limit_s)

    with (
        serving(Slow(), cap=CAP) as server,
        RecordingRelay(LiveModel(server.url, 10), cap=CAP, today=TODAY) as relay,
    ):
        asking = Thread(target=ask, args=(relay.url, body()))
        asking.start()
        begun.wait(10)
        (noted,) = relay.taken()
        go_on.set()
        asking.join(10)
        assert (noted.status, noted.text) == (0, "")
        assert relay.taken() == ()


def test_a_server_that_is_gone_is_a_refusal_with_the_reason() -> None:
    """Nothing is invented in its place."""
    with RecordingRelay(LiveModel("http://127.0.0.1:9/v1", 2), cap=CAP, today=TODAY) as relay:
        status, _ = ask(relay.url, body())
        (noted,) = relay.taken()
    assert status == noted.status == 502
    assert "refused" in noted.why


def test_a_reply_is_recorded_without_what_it_quotes_of_a_prompt() -> None:
    """Unless the prompt is our own; whether it fits is as was seen."""
    prompt = "Turn: " + " ".join(str(number) for number in range(30))
    with (
        serving(ToyWriter(), cap=CAP) as server,
        RecordingRelay(LiveModel(server.url, 10), cap=CAP, today=TODAY) as relay,
    ):
        ask(relay.url, body(prompt, max_tokens=10))
        relay.prompts_are_ours = True
        ask(relay.url, body(prompt, max_tokens=10))
        quoting, whole = relay.taken()
    assert (quoting.text, quoting.quoted) == ("[10 words of the prompt] ", 10)
    assert (whole.text, whole.quoted) == ("0 1 2 3 4 5 6 7 8 9 ", 0)
