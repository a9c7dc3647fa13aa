"""One way to ask: whatever comes back ends in exactly one of a closed set of ways."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memgauge
from memgauge.errors import BudgetError, ModelError
from memgauge.llm.access import Access, SpendingLimits
from memgauge.llm.asking import Inquiry, ReplyEnding, ask, ask_again, ask_many, mended, resampled
from memgauge.llm.forms import FreeText, OneLabel, OneObject
from memgauge.llm.messages import Finish, Message, Request
from memgauge.llm.provider import open_model
from memgauge.llm.scripted import Scripted, scripted_reply
from support.model_server import KEY, NAME, answer, bodies, completion, serve

if TYPE_CHECKING:
    from pytest_httpserver import HTTPServer

ASKED = (Message("system", "Decide."), Message("user", "Is it?"))
YES_OR_NO = Inquiry(ASKED, OneLabel(("YES", "NO")), {"temperature": 0, "max_tokens": 9}, judged="NO, I think")
LABELS = st.sampled_from(["YES", "NO", "maybe", "YES or NO", "", "{}", '{"reason": "", "verdict": "YES"}'])


@pytest.mark.parametrize(
    ("reply", "ending", "value", "reason"),
    [
        ("YES", ReplyEnding.READ, "YES", ""),
        ("maybe", ReplyEnding.UNREADABLE, None, "no verdict could be read"),
        ("NO", ReplyEnding.REPEATED, None, "the reply only repeats what was to be judged"),
        (Finish.LENGTH, ReplyEnding.CUT, None, "ended as length"),
        (Finish.REFUSAL, ReplyEnding.DECLINED, None, "ended as refusal"),
        (Finish.CALLS, ReplyEnding.DECLINED, None, "ended as calls"),
        (ModelError("the line is dead"), ReplyEnding.FAILED, None, "the line is dead"),
    ],
)
def test_every_reply_ends_in_one_way(reply: Any, ending: ReplyEnding, value: str | None, reason: str) -> None:
    """The first has a value; all others have a reason and keep what was said, word for word."""
    request = YES_OR_NO.request("scripted")
    said = scripted_reply(request, "YES", finish=reply) if isinstance(reply, Finish) else reply
    model = Scripted([said])
    answered = ask(model, YES_OR_NO)
    assert (answered.ending, answered.value, answered.reason, answered.key) == (ending, value, reason, request.key)
    assert model.asked == [request]
    assert (answered.fault is None) == (answered.reply is not None) == (ending is not ReplyEnding.FAILED)
    assert answered.text == ("" if answered.reply is None else answered.reply.text)
    assert (answered.usage is None) == (answered.reply is None)


def test_what_is_sent_is_what_it_always_was() -> None:
    """The key of a recorded reply comes from what is sent, and not from how the reply is read."""
    request = YES_OR_NO.request("m")
    plain = Request("m", ASKED, {"temperature": 0, "max_tokens": 9}, YES_OR_NO.form.schema)
    assert request.key == plain.key
    assert replace(YES_OR_NO, judged="").request("m").key == request.key
    assert replace(YES_OR_NO, sample=1).request("m").key != request.key


@given(st.lists(LABELS, max_size=12), st.integers(1, 5), st.randoms(use_true_random=False))
def test_many_are_read_as_one_is_whatever_the_order(texts: list[str], workers: int, shuffling: Any) -> None:
    """Subjects and replies stay together, in the order asked; what one says changes no other."""

    def model() -> Scripted:
        return Scripted(lambda request: texts[request.sample])

    def asked(numbers: list[int]) -> dict[int, Any]:
        pairs = ((number, replace(YES_OR_NO, sample=number)) for number in numbers)
        answers = list(ask_many(model(), pairs, workers))
        assert [number for number, _ in answers] == numbers
        return dict(answers)

    numbers = list(range(len(texts)))
    alone = {number: ask(model(), replace(YES_OR_NO, sample=number)) for number in numbers}
    shuffled = list(numbers)
    shuffling.shuffle(shuffled)
    assert asked(numbers) == asked(shuffled) == alone


def test_inquiries_are_made_as_they_are_needed() -> None:
    """An endless line of them can be listened to."""
    endless = ((n, Inquiry(ASKED, FreeText(), sample=n)) for n in iter(int, 1))
    answers = ask_many(Scripted(lambda _: "x"), endless, 2)
    assert next(answers)[1].value == "x"
    answers.close()  # type: ignore[attr-defined] # it is a generator


def test_a_budget_ends_the_asking() -> None:
    """What a user forbade is no reply, alone and among many."""
    access = Access(Scripted(lambda _: "YES"), SpendingLimits(max_calls=1))
    assert ask(access, YES_OR_NO).value == "YES"
    assert (access.ledger.calls, access.ledger.input_tokens > 0, access.ledger.output_tokens) == (1, True, 1)
    with pytest.raises(BudgetError):
        ask(access, YES_OR_NO)
    with pytest.raises(BudgetError):
        list(ask_many(access, [("it", YES_OR_NO)]))


def test_an_unreadable_reply_may_be_asked_for_as_another_sample() -> None:
    """Until one is read or the tries are used up; a failed call is not repeated."""
    model = Scripted(["maybe", "NO", "YES", "never asked"])
    assert ask_again(model, YES_OR_NO, resampled).value == "YES"
    assert [request.sample for request in model.asked] == [0, 1, 2]
    lost = Scripted(["maybe"] * 9)
    assert ask_again(lost, YES_OR_NO, resampled, tries=2).ending is ReplyEnding.UNREADABLE
    assert len(lost.asked) == 2
    failing = Scripted([ModelError("down"), "YES"])
    assert ask_again(failing, YES_OR_NO, resampled).ending is ReplyEnding.FAILED


def test_an_unreadable_reply_may_be_mended() -> None:
    """The model is told why, in the same conversation; what was cut off is left."""
    form = OneObject({"type": "object", "required": ["n"]}, lambda data: data["n"])
    model = Scripted(['{"m": 1}', '{"n": 2}'])
    assert ask_again(model, Inquiry(ASKED, form), mended).value == 2
    told = model.asked[1].messages
    assert told[:3] == (*ASKED, Message("assistant", '{"m": 1}'))
    assert told[3].text == "That cannot be used: n is missing. Reply with the whole JSON object again, mended."
    cut = Scripted([scripted_reply(Request("scripted", ()), "{", finish=Finish.LENGTH), '{"n": 2}'])
    assert ask_again(cut, Inquiry(ASKED, form), mended).ending is ReplyEnding.CUT


def test_a_served_model_is_asked_and_replayed(
    httpserver: HTTPServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The schema goes over the wire, tokens are the provider's, and a record is read by the same guard."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    said = json.dumps({"reason": "so it is", "verdict": "YES"})
    url = serve(httpserver, answer(completion(said)))
    path = tmp_path / "replies.sqlite"
    access = Access(open_model(NAME, base_url=url), cassette=path)
    first = ask(access, YES_OR_NO)
    assert (first.value, access.ledger.input_tokens, access.ledger.output_tokens) == ("YES", 3, 2)
    (body,) = bodies(httpserver)
    assert body["response_format"]["json_schema"]["schema"] == YES_OR_NO.form.schema
    replay = Access(open_model(NAME, base_url=url), cassette=path, mode="replay")
    ((_, again),) = ask_many(replay, [("it", YES_OR_NO)])
    assert (again.value, again.key, replay.ledger.replayed, len(httpserver.log)) == ("YES", first.key, 1, 1)
    stricter = replace(YES_OR_NO, judged=said)
    assert ask(replay, stricter).ending is ReplyEnding.REPEATED


def test_nobody_asks_in_another_way() -> None:
    """Outside this room only the track's agent talks to a model, which is a conversation with tools."""
    source = Path(memgauge.__file__).parent
    speaking = re.compile(r"\.complete\(|\bcomplete_many\(|\bobject_within\(")
    files = (path for path in source.rglob("*.py") if speaking.search(path.read_text("utf-8")))
    rooms = {path.relative_to(source).as_posix() for path in files}
    assert {room for room in rooms if not room.startswith("llm/")} == {
        "studies/track/play/agents.py",
        "systems/models/writing.py",  # a model of this machine, which hands on what it is asked
        "text/jsons.py",  # where the loose reader of drafts is defined
    }
