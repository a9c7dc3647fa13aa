from __future__ import annotations

import os
import subprocess
import sys
import traceback
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

import pytest
from werkzeug import Response

from memgauge.errors import BudgetError, ConfigError, MissingExtraError, ModelError, TemporaryError
from memgauge.llm.messages import Counted, Finish, Message, Request
from memgauge.llm.prices import Price
from memgauge.llm.provider import open_model
from memgauge.llm.wire import is_local, open_provider, scrub
from support.model_server import KEY, NAME, answer, ask, bodies, completion, failure, serve

if TYPE_CHECKING:
    from pytest_httpserver import HTTPServer
    from werkzeug import Request as Asked


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give every test the same key and no address."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


def test_a_request_becomes_one_call_and_its_reply_a_value(httpserver: HTTPServer) -> None:
    """Messages, parameters and usage pass unchanged; what the provider sent is kept."""
    url = serve(httpserver, answer(completion("Fine, thanks.")))
    talk = (
        Message("system", "Be short."),
        Message("user", "Hi"),
        Message("assistant", "Hm"),
        Message("user", "So?"),
    )
    reply = open_model(NAME, base_url=url, price=Price.flat(1, 10)).complete(
        Request(NAME, talk, {"temperature": 0, "seed": 7, "max_tokens": 5})
    )
    assert (reply.text, reply.finish, reply.replayed) == ("Fine, thanks.", Finish.STOP, False)
    assert (reply.usage.input_tokens, reply.usage.output_tokens, reply.usage.counted) == (3, 2, Counted.PROVIDER)
    assert reply.usage.usd == pytest.approx(23e-6)
    assert '"id": "reply-1"' in reply.raw
    (sent,) = bodies(httpserver)
    assert sent["messages"] == [{"role": message.role, "content": message.text} for message in talk]
    assert {name: sent[name] for name in ("model", "temperature", "seed", "max_tokens")} == {
        "model": "tiny",
        "temperature": 0,
        "seed": 7,
        "max_tokens": 5,
    }


def test_a_schema_is_asked_of_the_provider(httpserver: HTTPServer) -> None:
    """Structured output goes by the provider's own means."""
    url = serve(httpserver, answer(completion('{"verdict":"yes"}')))
    schema = {
        "type": "object",
        "properties": {"verdict": {"type": "string"}},
        "required": ["verdict"],
        "additionalProperties": False,
    }
    reply = open_model(NAME, base_url=url).complete(Request(NAME, ask().messages, schema=schema))
    wanted = bodies(httpserver)[0]["response_format"]
    assert wanted["type"] == "json_schema"
    assert wanted["json_schema"]["schema"] == schema
    assert reply.text == '{"verdict":"yes"}'


@pytest.mark.parametrize(
    ("content", "finish", "text"),
    [
        (completion("Because of", "length"), Finish.LENGTH, "Because of"),
        (completion("", "content_filter"), Finish.REFUSAL, ""),
        (completion("Well, ", "content_filter"), Finish.REFUSAL, "Well, "),
        (completion(None, refusal="I will not."), Finish.REFUSAL, "I will not."),
        (completion("Local servers say nothing.", None), Finish.STOP, "Local servers say nothing."),
    ],
)
def test_how_a_reply_ended_is_told(
    httpserver: HTTPServer, content: dict[str, Any], finish: Finish, text: str
) -> None:
    """A cut or refused reply is no answer; servers that give no reason stopped."""
    reply = open_model(NAME, base_url=serve(httpserver, answer(content))).complete(ask())
    assert (reply.finish, reply.text) == (finish, text)


def test_tokens_are_counted_here_where_the_server_does_not(httpserver: HTTPServer) -> None:
    """Without usage, tokens are an estimate that says so, and nothing has a price at an unknown address."""
    content = completion("12345678")
    del content["usage"]
    usage = open_model(NAME, base_url=serve(httpserver, answer(content))).complete(ask("1234")).usage
    assert (usage.input_tokens, usage.output_tokens, usage.counted, usage.usd) == (1, 2, Counted.ESTIMATE, None)


NO_CHOICES = completion() | {"choices": []}


def cut(_: Asked) -> Response:
    """Promise more than is sent."""
    return Response(iter(['{"id": "re']), headers={"Content-Length": "1000"}, content_type="application/json")


@pytest.mark.parametrize(
    ("response", "message", "paid"),
    [
        (failure(429, "slow down"), "429", False),
        (failure(500), "500", False),
        (failure(503), "503", False),
        (failure(409), "409", False),
        (answer(NO_CHOICES), "lacks what a reply holds", True),
        (answer({"id": "x"}), "Invalid response", True),
        (Response("{nonsense", content_type="application/json"), "JSON", True),
        (Response("<p>Welcome</p>", content_type="text/html"), "JSON", True),
        (cut, "Connection", True),
    ],
)
def test_what_may_pass_is_temporary_and_asked_once(
    httpserver: HTTPServer, response: Any, message: str, paid: bool
) -> None:
    """The SDK's own retries are off; replies that cannot be read may have cost money."""
    with pytest.raises(TemporaryError, match=message) as caught:
        open_model(NAME, base_url=serve(httpserver, response)).complete(ask())
    assert caught.value.paid is paid
    assert caught.value.retry_after is None
    assert len(httpserver.log) == 1


def test_the_wait_that_a_provider_asks_for_is_passed_on(httpserver: HTTPServer) -> None:
    """Retry-After arrives as seconds."""
    url = serve(httpserver, failure(429, headers={"Retry-After": "7"}))
    with pytest.raises(TemporaryError) as caught:
        open_model(NAME, base_url=url).complete(ask())
    assert caught.value.retry_after == 7


def test_a_call_that_takes_too_long_is_given_up(httpserver: HTTPServer) -> None:
    """The limit holds for the whole call; the provider may charge for it."""
    release = Event()

    def slow(_: Asked) -> Response:
        release.wait(30)
        return answer(completion())

    try:
        with pytest.raises(TemporaryError, match=r"(?i)time") as caught:
            open_model(NAME, base_url=serve(httpserver, slow), timeout_s=0.2).complete(ask())
    finally:
        release.set()
    assert caught.value.paid


def test_nobody_there(httpserver: HTTPServer) -> None:
    """A refused connection is temporary, and cannot have cost anything."""
    with pytest.raises(TemporaryError, match="Connection") as caught:
        open_model(NAME, base_url="http://127.0.0.1:9/v1").complete(ask())
    assert not caught.value.paid


@pytest.mark.parametrize(
    ("response", "kind"),
    [
        (failure(400, "too long"), ModelError),
        (failure(418), ModelError),
        (answer(completion("", "tool_calls")), ModelError),
        (failure(401), ConfigError),
        (failure(404), ConfigError),
        (failure(429, "pay", code="insufficient_quota"), BudgetError),
    ],
)
def test_what_will_not_pass_is_not_temporary(
    httpserver: HTTPServer, response: Response, kind: type[Exception]
) -> None:
    """A rejected request is an outcome; a wrong key, a wrong name and an empty account stop everything."""
    with pytest.raises(kind) as caught:
        open_model(NAME, base_url=serve(httpserver, response)).complete(ask())
    assert not isinstance(caught.value, TemporaryError)


def test_the_key_never_gets_out(httpserver: HTTPServer) -> None:
    """A server that echoes the key finds it nowhere: not in a reply, an error, a traceback or a repr."""

    def echo(asked: Asked) -> Response:
        said = asked.headers["Authorization"]
        assert KEY in said
        return answer(completion(f"You sent {said}."))

    def complain(asked: Asked) -> Response:
        return failure(500, f"Bad key {asked.headers['Authorization']}")

    model = open_model(NAME, base_url=serve(httpserver, echo, complain))
    reply = model.complete(ask())
    assert reply.text == "You sent Bearer ***."
    assert KEY not in repr(reply)
    assert KEY not in repr(model)
    with pytest.raises(TemporaryError) as caught:
        model.complete(ask())
    assert caught.value.__cause__ is caught.value.__context__ is None
    assert KEY not in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Incorrect key sk-abc***xyz9.", "Incorrect key ***."),
        ("Authorization: Bearer abcdef123", "Authorization: ***"),
        ("http://me:secret@host/v1", "http://***@host/v1"),
        ("the answer of a friend", "the answer of a friend"),
    ],
)
def test_words_like_keys_are_scrubbed(text: str, said: str) -> None:
    """Keys that are not in the environment are known by their look."""
    assert scrub(text) == said


def test_a_missing_key_is_named_and_local_addresses_need_none(
    httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The variable is named; a server on this machine is asked without a key."""
    monkeypatch.delenv("OPENAI_API_KEY")
    for address in (None, "https://example.org/v1"):
        with pytest.raises(ConfigError, match="openai needs OPENAI_API_KEY"):
            open_model(NAME, base_url=address).complete(ask())
    monkeypatch.delenv("OLLAMA_BASE_URL", raising=False)
    with pytest.raises(ConfigError, match="ollama needs OLLAMA_BASE_URL"):
        open_model("ollama:tiny").complete(Request("ollama:tiny", ask().messages))
    monkeypatch.setenv("OPENAI_BASE_URL", serve(httpserver, answer(completion())))
    assert open_model(NAME).complete(ask()).text == "Fine."


def test_other_providers_take_an_address_too(httpserver: HTTPServer) -> None:
    """Providers that run at home are reached under their own name."""
    url = serve(httpserver, answer(completion()))
    assert open_model("ollama:tiny", base_url=url).complete(Request("ollama:tiny", ask().messages)).text == "Fine."


@pytest.mark.parametrize(
    ("ref", "message"),
    [("gpt", "names no model"), ("openai:", "names no model"), ("opnai:tiny", "No provider is called 'opnai'")],
)
def test_a_wrong_name_is_told(ref: str, message: str) -> None:
    """A model is a provider and a name; an unknown provider is told at the first call."""
    with pytest.raises(ConfigError, match=message):
        open_model(ref).complete(Request(ref, ask().messages))


@pytest.mark.parametrize("name", ["temprature", "extra_headers", "max_retries"])
def test_parameters_are_those_that_change_a_reply(name: str) -> None:
    """A misspelt parameter would be ignored in silence, and a header could hold a key."""
    with pytest.raises(ConfigError, match=f"takes no parameter '{name}'.*temperature"):
        open_model(NAME).complete(Request(NAME, (), {name: 1}))


def test_a_request_to_another_model_is_refused() -> None:
    """A reply must not be kept under a name that did not give it."""
    with pytest.raises(ConfigError, match="A request to openai:tiny was given to openai:big"):
        open_model("openai:big").complete(ask())


@pytest.mark.parametrize(
    ("ref", "missing", "remedy"),
    [
        (NAME, "pydantic_ai.direct", r"pip install .*llm\.lock"),
        (NAME, "pydantic_ai.providers", r"pip install .*llm\.lock"),
        ("anthropic:claude", "anthropic", r"pip install 'pydantic-ai-slim\[anthropic\]'"),
    ],
)
def test_missing_packages_say_how_to_get_them(
    monkeypatch: pytest.MonkeyPatch, ref: str, missing: str, remedy: str
) -> None:
    """The error holds the command."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(MissingExtraError, match=remedy):
        open_model(ref).complete(Request(ref, ask().messages))


def test_an_address_is_not_for_every_provider(monkeypatch: pytest.MonkeyPatch) -> None:
    """A provider without a choice of address says so."""
    monkeypatch.setenv("DEEPSEEK_API_KEY", KEY)
    with pytest.raises(ConfigError, match="deepseek takes no address"):
        open_model("deepseek:chat", base_url="http://localhost/v1").complete(Request("deepseek:chat", ()))


def test_threads_share_a_model(httpserver: HTTPServer) -> None:
    """Calls from several threads end up on one loop and with the right caller."""
    url = serve(httpserver, lambda asked: answer(completion(asked.get_json()["messages"][0]["content"])))
    model = open_model(NAME, base_url=url)
    told: dict[int, str] = {}

    def work(number: int) -> None:
        told[number] = model.complete(ask(str(number))).text

    threads = [Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert told == {number: str(number) for number in range(8)}


@pytest.mark.parametrize(
    ("url", "local"),
    [
        ("http://localhost:8000/v1", True),
        ("http://127.0.0.1/v1", True),
        ("http://10.0.0.7:11434/v1", True),
        ("http://gpu/v1", True),
        ("http://gpu.local/v1", True),
        ("https://api.example.org/v1", False),
        ("https://8.8.8.8/v1", False),
    ],
)
def test_local_addresses(url: str, local: bool) -> None:
    """This machine and its network are local."""
    assert is_local(url) is local


TWICE = """
import os, sys
from support.model_server import NAME, ask
from memgauge.llm.provider import open_model

model = open_model(NAME, base_url=sys.argv[1])
print(model.complete(ask()).text, flush=True)
if os.fork() == 0:
    print(model.complete(ask()).text, flush=True)
    os._exit(0)
os.wait()
"""


def test_a_forked_process_asks_too(httpserver: HTTPServer) -> None:
    """Threads do not survive a fork, so that the child makes a loop and connections of its own."""
    url = serve(httpserver, answer(completion()))
    assert run(TWICE, url) == "Fine.\nFine.\n"


LAZY = """
import importlib, pkgutil, sys
import memgauge.llm

for module in pkgutil.walk_packages(memgauge.llm.__path__, "memgauge.llm."):
    importlib.import_module(module.name)
memgauge.llm.provider.open_model("openai:tiny", base_url="http://localhost/v1")
print(sorted({"pydantic_ai", "openai", "httpx2"} & set(sys.modules)))
"""


def test_nothing_heavy_is_imported_before_the_first_call() -> None:
    """Naming and opening a model is free."""
    assert run(LAZY) == "[]\n"


def test_importing_the_packages_warns_of_nothing() -> None:
    """Warnings are errors in tests, and annoying elsewhere."""
    assert not run("import pydantic_ai.direct, pydantic_ai.embeddings, pydantic_ai.models.openai", flag="error")


def run(program: str, *arguments: str, flag: str = "default") -> str:
    """Run *program* in a process of its own and return what it printed."""
    command = [sys.executable, "-W", flag, "-c", program, *arguments]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout


def test_openai_itself_is_asked_at_its_own_address(monkeypatch: pytest.MonkeyPatch) -> None:
    """An address that is given counts more than the environment's."""
    monkeypatch.setenv("OPENAI_BASE_URL", "http://localhost/v1")
    own = "https://api.openai.com/v1"
    assert open_provider("openai", own).base_url.rstrip("/") == own
    assert open_provider("openai", None).base_url.rstrip("/") == "http://localhost/v1"


@pytest.mark.parametrize("key", ["EMPTY", "not-needed"])
def test_words_in_place_of_a_key_do_not_change_replies(
    httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    """Local servers take any word for a key, and a reply may hold that word."""
    monkeypatch.setenv("OPENAI_API_KEY", key)
    url = serve(httpserver, answer(completion(f"It is {key}.")))
    assert open_model(NAME, base_url=url).complete(ask()).text == f"It is {key}."
