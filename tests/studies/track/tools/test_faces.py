"""The faces under which outside clients call: the official MCP client and Slack's own SDK."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import subprocess
import sys
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.errors import ConfigError, MissingExtraError
from memgauge.studies.track.play.played import Answer, QuestionEnding
from memgauge.studies.track.play.trajectory import read_rows
from memgauge.studies.track.timeline.files import write_timeline
from memgauge.studies.track.tools.asking import Asking
from memgauge.studies.track.tools.mcp_face import mcp_servers, require_mcp
from memgauge.studies.track.tools.recording import Recorder
from memgauge.studies.track.tools.router import ToolFailed
from memgauge.studies.track.tools.serve import choose, over_http, servers_of
from memgauge.studies.track.tools.table import router
from memgauge.studies.track.world.state import World
from support import Later
from support.timeline import lamp

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterator
    from pathlib import Path

mcp = Later("mcp")
slack_sdk = Later("slack_sdk")

SERVE = (sys.executable, "-m", "memgauge", "study", "track", "serve")


@pytest.fixture
def instance(tmp_path: Path) -> Path:
    """Write the lamp's timeline."""
    path = tmp_path / "timeline.json"
    write_timeline(path, lamp())
    return path


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Serve for tests that leave channels, users and questions as they are; yield the address."""
    path = tmp_path_factory.mktemp("shared") / "timeline.json"
    write_timeline(path, lamp())
    with served(path) as address:
        yield address


@contextmanager
def served(instance: Path, *options: object) -> Iterator[str]:
    """Serve over HTTP in a process of its own, which ends well; yield the address."""
    with serving(instance, 1, *options) as (address,):
        yield address


@contextmanager
def serving(instance: Path, count: int, *options: object) -> Iterator[list[str]]:
    """Serve several times side by side."""
    command = [*SERVE, str(instance), "--http", "--sandbox", "off", *map(str, options)]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(count)]
    try:
        yield [process.stdout.readline().strip() for process in processes if process.stdout]
    finally:
        for process in processes:
            process.send_signal(signal.SIGINT)
        for process in processes:
            process.communicate(timeout=30)
    assert [process.returncode for process in processes] == [0] * count


def run(work: Coroutine[Any, Any, Any]) -> Any:
    """Run asynchronous work."""
    return asyncio.run(work)


def said(result: Any) -> str:
    """Return the text of an MCP result."""
    (content,) = result.content
    return str(content.text)


async def _look_around(server: Any) -> None:
    """Do what every MCP client has to be able to do, over any transport."""
    async with mcp.Client(server) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert len(tools) == 20
        assert tools["list_tickets"].annotations.read_only_hint
        assert tools["get_channel_messages"].input_schema["properties"]["after_id"]["type"] == ["string", "null"]
        listed = await client.call_tool("list_channels", {})
        assert (said(listed), listed.is_error, listed.structured_content) == ("#devices (3 messages)", False, None)
        page = await client.call_tool("get_channel_messages", {"channel": "devices", "after_id": None})
        assert "Hear, hear" in said(page)
        for name, given, reason in (
            ("get_ticket", {"ticket_id": "x"}, "ticket_not_found: there is no ticket 'x'"),
            ("list_users", {"page": 2}, "invalid_arguments: list_users: unknown argument 'page'"),
            ("sing", {}, "unknown_tool"),
        ):
            failed = await client.call_tool(name, given)
            assert failed.is_error
            assert reason in said(failed)


def test_mcp_in_process() -> None:
    """The client is given the server itself."""
    run(_look_around(mcp_servers(router(World(lamp())))["all"]))


def _started(parameters: Any) -> Any:
    """Start a server that complains where this process does, and not where the client's module was imported."""
    return mcp.stdio_client(parameters, errlog=sys.__stderr__)


def test_mcp_over_stdio(instance: Path, tmp_path: Path) -> None:
    """The client starts `memgauge study track serve`, and every call is a row."""
    out = tmp_path / "out"
    parameters = mcp.StdioServerParameters(
        command=SERVE[0], args=[*SERVE[1:], str(instance), "--sandbox", "off", "--out", str(out)]
    )
    run(_look_around(_started(parameters)))
    rows = [json.loads(line) for line in (out / "trajectory.jsonl").read_text().splitlines()]
    assert [(row["tool"], row["ok"]) for row in rows] == [
        ("list_channels", True),
        ("get_channel_messages", True),
        ("get_ticket", False),
        ("list_users", False),
        ("all.sing", False),
    ]
    assert rows[1]["events"] == ["e2", "e5"]


def test_mcp_over_http(shared: str) -> None:
    """The client is given an address; each platform has a server of its own over the same world."""

    async def both(address: str) -> None:
        await _look_around(f"{address}/all/mcp")
        async with mcp.Client(f"{address}/slack/mcp") as slack, mcp.Client(f"{address}/linear/mcp") as linear:
            assert len((await slack.list_tools()).tools) == 8
            assert len((await linear.list_tools()).tools) == 12
            wrong = await slack.call_tool("list_tickets", {})
            assert "there is no tool 'slack.list_tickets'" in said(wrong)
            ticket = re.findall(r"^\S+", said(await linear.call_tool("list_tickets", {})))[0]
            await linear.call_tool("assign_ticket", {"ticket_id": ticket, "lead": "ines"})
            told = said(await slack.call_tool("get_direct_messages", {"with_user": "ines"}))
            assert f"You lead ticket {ticket} now." in told

    run(both(shared))


def test_slack_sdk(instance: Path, tmp_path: Path) -> None:
    """Slack's own client reads and posts, page by page, and its failures are its own exceptions."""
    out = tmp_path / "out"
    with served(instance, "--out", out) as address:
        client = slack_sdk.WebClient(token="xoxb-any", base_url=f"{address}/slack/api/")  # noqa: S106 - any does
        assert client.api_test()["ok"]
        assert client.auth_test()["user"] == "CodeAgent"
        users = {one["id"]: one["name"] for one in client.users_list()["members"]}
        assert set(users.values()) == {"CodeAgent", "pia", "ines", "omar"}
        (channel,) = client.conversations_list(types="public_channel")["channels"]
        assert client.conversations_info(channel=channel["id"])["channel"]["name"] == "devices"
        (parent,) = client.conversations_history(channel=channel["id"])["messages"]
        assert (users[parent["user"]], parent["reply_count"]) == ("ines", 2)
        pages = client.conversations_replies(channel=channel["id"], ts=parent["ts"], limit=2)
        assert [len(page["messages"]) for page in pages] == [2, 1]
        posted = client.chat_postMessage(channel=channel["id"], text="Hi.", thread_ts=parent["ts"])
        assert posted["message"]["thread_ts"] == parent["ts"]
        assert client.conversations_replies(channel="devices", ts=parent["ts"])["messages"][-1]["text"] == "Hi."
        pia = next(key for key, name in users.items() if name == "pia")
        assert client.users_info(user=pia)["user"]["name"] == "pia"
        direct = client.conversations_open(users=pia)["channel"]["id"]
        client.chat_postMessage(channel=direct, text="Ready.")
        newest = client.conversations_history(channel=direct, limit=1)["messages"]
        assert [one["text"] for one in newest] == ["Ready."]
        for call, code in (
            (lambda: client.conversations_history(channel="C0"), "channel_not_found"),
            (lambda: client.users_info(user="U0"), "user_not_found"),
            (lambda: client.chat_postMessage(channel="devices", text="x", thread_ts="1.2"), "thread_not_found"),
            (lambda: client.conversations_replies(channel="devices", ts="1.2"), "thread_not_found"),
            (lambda: client.conversations_history(channel="devices", cursor="x"), "invalid_cursor"),
            (lambda: client.conversations_history(channel="devices", oldest="x"), "invalid_ts"),
            (client.reactions_list, "unknown_method"),
            (lambda: slack_sdk.WebClient(base_url=client.base_url).auth_test(), "not_authed"),
        ):
            with pytest.raises(slack_sdk.errors.SlackApiError) as caught:
                call()
            assert caught.value.response["error"] == code
    rows = [json.loads(line) for line in (out / "trajectory.jsonl").read_text().splitlines()]
    assert {row["tool"] for row in rows} >= {"auth.test", "conversations.history", "chat.postMessage"}
    history = next(row for row in rows if row["tool"] == "conversations.history")
    assert (history["events"], history["effect"], history["platform"]) == (["e2"], "read", "slack")


def test_slack_ranges(shared: str) -> None:
    """`oldest` and `latest` cut, with the ends or without; JSON bodies and odd ones are read."""

    def ask(method: str, body: bytes, kind: str) -> Any:
        connection = HTTPConnection(shared.removeprefix("http://"))
        headers = {"Content-Type": kind, "Authorization": "Bearer x"}
        with closing(connection):
            connection.request("POST", f"/slack/api/{method}", body, headers)
            return json.load(connection.getresponse())

    def found(**given: Any) -> int:
        body = json.dumps({"channel": "#devices", **given}).encode()
        return len(ask("conversations.history", body, "application/json")["messages"])

    (message,) = ask("conversations.history", b"channel=devices", "application/x-www-form-urlencoded")["messages"]
    ts = message["ts"]
    assert (found(oldest=ts), found(oldest=ts, inclusive=True), found(latest=ts, inclusive="true")) == (
        0,
        1,
        1,
    )
    assert (found(latest=ts), found(latest="9999999999"), found(oldest="1", limit="5")) == (0, 1, 1)
    assert ask("conversations.history", b"{", "application/json")["error"] == "invalid_arguments"
    assert ask("api.test", b"[]", "application/json")["ok"]
    assert ask("chat.postMessage", b'{"channel": "devices"}', "application/json")["error"] == "no_text"
    assert ask("conversations.open", b"", "text/plain")["error"] == "user_not_found"


def test_outside_agents_are_asked_one_question_after_another(instance: Path, tmp_path: Path) -> None:
    """The next question comes when the last is answered; rows say which one was being answered."""
    out = tmp_path / "out"

    async def work(address: str) -> None:
        async with mcp.Client(f"{address}/questions/mcp") as asking, mcp.Client(f"{address}/slack/mcp") as slack:
            early = await asking.call_tool("submit_answer", {"answer": "x"})
            assert "nothing_asked" in said(early)
            first = said(await asking.call_tool("next_question", {}))
            assert first == said(await asking.call_tool("next_question", {})) == "Who took the ticket over?"
            await slack.call_tool("list_users", {})
            assert (await asking.call_tool("submit_answer", {"answer": " "})).is_error
            await asking.call_tool("submit_answer", {"answer": "omar"})
            assert "buffer" in said(await asking.call_tool("next_question", {}))
            await slack.call_tool("list_channels", {})
            await asking.call_tool("submit_answer", {"answer": "96"})
            assert "no further questions" in said(await asking.call_tool("next_question", {}))

    with served(instance, "--out", out) as address:
        run(work(address))
    rows = [json.loads(line) for line in (out / "trajectory.jsonl").read_text().splitlines()]
    assert [(row["tool"], row["question"]) for row in rows] == [("list_users", "q1"), ("list_channels", "q2")]
    answers = list(read_rows(out / "answers.jsonl", Answer, "an answer"))
    assert [(one.question, one.text, one.ended, one.after) for one in answers] == [
        ("q1", "omar", QuestionEnding.ANSWERED, 1),
        ("q2", "96", QuestionEnding.ANSWERED, 2),
    ]


def test_time_passes_between_questions() -> None:
    """What happened between two questions comes with the second one, and not with the first."""
    recorder = Recorder(router(World(lamp())), lambda: World(lamp()).now, lambda _: None)
    answers: list[Answer] = []
    asking = Asking(lamp().questions, recorder.progress, lambda: "[notification] something.", answers.append)
    with pytest.raises(ToolFailed, match="nothing_asked"):
        asking.submit_answer({"answer": "x"})
    first = asking.next_question({})
    assert (first.notice, asking.next_question({}).text, recorder.progress.question) == ("", first.text, "q1")
    with pytest.raises(ToolFailed, match="the answer is empty"):
        asking.submit_answer({"answer": " "})
    asking.submit_answer({"answer": "x"})
    assert asking.next_question({}).notice == "[notification] something."
    asking.submit_answer({"answer": "y"})
    assert asking.next_question({}).text.startswith("There are no further questions.")
    assert [(one.question, one.text) for one in answers] == [("q1", "x"), ("q2", "y")]
    servers = servers_of(router(World(lamp())), recorder, asking)
    assert choose(servers, "questions").name == "memgauge-questions"
    with pytest.raises(ConfigError, match="Choose one of: slack, linear, all, questions"):
        choose(servers, "fs")


def test_a_taken_port_is_a_sentence(shared: str) -> None:
    """Nobody sees a traceback for it."""
    port = int(shared.rpartition(":")[2])
    with pytest.raises(ConfigError, match="Cannot listen on"):
        over_http(None, "127.0.0.1", port, print)  # type: ignore[arg-type] # nothing is served


def test_serving_needs_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the packages the remedy is named."""
    monkeypatch.setitem(sys.modules, "mcp", None)
    with pytest.raises(MissingExtraError, match=r"pip install .*track\.lock"):
        require_mcp()


@pytest.mark.slow
def test_ten_instances_side_by_side(instance: Path) -> None:
    """No two take the same port, and each has a world of its own."""

    async def post(address: str, text: str) -> str:
        async with mcp.Client(f"{address}/all/mcp") as client:
            await client.call_tool("send_channel_message", {"channel": "devices", "message": text})
            return said(await client.call_tool("get_channel_messages", {"channel": "devices"}))

    async def everybody(addresses: list[str]) -> list[str]:
        return await asyncio.gather(*(post(one, f"from {n}.") for n, one in enumerate(addresses)))

    with serving(instance, 10) as addresses:
        shown = run(everybody(addresses))
    assert len(set(addresses)) == 10
    assert [re.findall(r"from \d\.", text) for text in shown] == [[f"from {n}."] for n in range(10)]


def test_a_failed_call_keeps_its_reason() -> None:
    """The in-process server gives the very words of the failure."""
    called = router(World(lamp()))
    with pytest.raises(ToolFailed) as caught:
        called.call("get_ticket", {"ticket_id": "x"})

    async def ask() -> str:
        async with mcp.Client(mcp_servers(called)["linear"]) as client:
            return said(await client.call_tool("get_ticket", {"ticket_id": "x"}))

    assert run(ask()) == str(caught.value)


def test_git_and_files_are_served_too(instance: Path) -> None:
    """A clone through the sandbox shows the timeline's commit, and a push is refused."""
    from memgauge.studies.track.sandbox.choose import open_sandbox

    try:
        open_sandbox().close()
    except ConfigError as error:
        pytest.skip(str(error))
    parameters = mcp.StdioServerParameters(command=SERVE[0], args=[*SERVE[1:], str(instance), "--memory", "bm25"])

    async def work() -> None:
        async with mcp.Client(_started(parameters)) as client:
            assert len((await client.list_tools()).tools) == 29
            listed = said(await client.call_tool("list_remote_git_repositories", {}))
            assert "git clone http://git.local:3000/pgym/lamp.git" in listed
            command = "git clone -q http://git.local:3000/pgym/lamp.git && cd lamp && git push origin HEAD:other"
            assert "exit code" in said(await client.call_tool("run_shell_command", {"command": command}))
            source = await client.call_tool("read_file", {"file_path": "lamp/src/buffer.c"})
            assert said(source).strip() == "int size = 96;"
            await client.call_tool("store_memory", {"content": "size is 96"})
            assert "size is 96" in said(await client.call_tool("search_memory", {"query": "size"}))

    run(work())
