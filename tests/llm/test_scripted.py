from __future__ import annotations

import doctest

import pytest

from memgauge.errors import ModelError, TemporaryError
from memgauge.llm import scripted
from memgauge.llm.messages import Counted, Finish, Message, Request
from memgauge.llm.scripted import Scripted, scripted_reply

ASK = Request("scripted", (Message("user", "Hello"),))


def test_the_documented_example_holds() -> None:
    """What the module shows is what happens."""
    assert doctest.testmod(scripted).failed == 0


def test_a_function_sees_the_request() -> None:
    """A function replies with texts, which become whole replies that cost nothing."""
    model = Scripted(lambda request: request.messages[0].text * 2, name="twice")
    reply = model.complete(ASK)
    assert (model.name, reply.text, reply.finish) == ("twice", "HelloHello", Finish.STOP)
    assert (reply.usage.input_tokens, reply.usage.output_tokens, reply.usage.usd) == (2, 3, 0)
    assert reply.usage.counted is Counted.ESTIMATE
    assert model.asked == [ASK]


def test_a_list_is_said_in_order_and_ends() -> None:
    """Texts, whole replies and faults come one after the other; after the last, there is a fault that says so."""
    cut = scripted_reply(ASK, "Once upon", finish=Finish.LENGTH)
    model = Scripted(["one", cut, TemporaryError("busy")])
    assert model.complete(ASK).text == "one"
    assert model.complete(ASK) is cut
    with pytest.raises(TemporaryError, match="busy"):
        model.complete(ASK)
    with pytest.raises(ModelError, match="scripted has no reply left"):
        model.complete(ASK)
    assert len(model.asked) == 4
