"""A memory behind the leaderboard's contract."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, ClassVar

import pytest

from memgauge.errors import CallTimeout, ConfigError
from memgauge.systems.aml.face import AmlFace
from memgauge.systems.catalogue import open_here
from memgauge.systems.protocol import Capabilities
from support.aml import KEY, RECORDED, client_of, face
from support.systems import Notebook

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from memgauge.records import Receipt, Scope, Turn


def test_the_recorded_shapes_are_those_of_the_face() -> None:
    """Requests as entrants recorded them get answers as they recorded them, field by field."""
    with face() as served:
        client = client_of(served.url)
        assert client.health().status == 200
        assert client.add(RECORDED["add"]).value == RECORDED["added"]
        reply = client.search(RECORDED["search"])
        (row,), (recorded,) = reply.value["data"], RECORDED["found"]["data"]
        assert {name: type(value) for name, value in row.items()} == {n: type(v) for n, v in recorded.items()}
        assert row["content"] == recorded["content"]
        assert row["created_at"] == recorded["created_at"]
        assert client.search(RECORDED["search"] | {"user_id": "nobody"}).body == b'{"data": []}'


def test_a_replay_stores_once_and_another_body_is_refused() -> None:
    """The conflict is 422, which is never asked for again; the first body stays."""
    with face() as served:
        client = client_of(served.url)
        for _ in range(3):
            assert client.add(RECORDED["add"]).value == RECORDED["added"]
        reply = client.add(RECORDED["add"] | {"messages": [{"role": "user", "content": "My locker is 99."}]})
        assert reply.status == 422
        assert reply.value == {
            "detail": {"reason": "request_id was used with another body", "field": "request_id"}
        }
        assert [row["content"] for row in client.search(RECORDED["search"]).value["data"]] == ["My locker is 12."]


def test_replays_at_once_store_once() -> None:
    """Those that come while the first is written wait for it."""
    memory = Counting()
    with face(memory, at_once=True) as served, ThreadPoolExecutor(16) as pool:
        client = client_of(served.url)
        replies = list(pool.map(lambda _: client.add(RECORDED["add"]).status, range(16)))
    assert replies == [200] * 16
    assert memory.written == 1


class Counting(Notebook):
    """Counts writes."""

    name = "counting"

    def __init__(self) -> None:
        super().__init__()
        self.written = 0

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Count."""
        self.written += 1
        return super().ingest(turns, scope)


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/v1/add", b"{", 400),
        ("/v1/add", b"[" * 5_000, 400),
        ("/v1/add", b"[]", 422),
        ("/v1/add", b'{"user_id": 7}', 422),
        ("/v1/search", b'{"query": "x", "user_id": "u", "top_k": "3"}', 422),
        ("/v2/add", b"{}", 404),
    ],
)
def test_what_is_wrong_is_refused_in_words(path: str, body: bytes, status: int) -> None:
    """The reason stands where the contract has it; the connection stays."""
    with face() as served:
        client = client_of(served.url)
        reply = client.post(path, body)
        assert reply.status == status
        assert isinstance(reply.value["detail"]["reason"], str)
        assert client.add(RECORDED["add"]).status == 200


def test_top_k_cuts_and_sessions_do_not_filter() -> None:
    """All sessions are searched; no more comes than was asked for."""
    with face() as served:
        client = client_of(served.url)
        for number in range(5):
            body = {"request_id": f"r{number}", "session_id": f"s{number}", "messages": [
                {"role": "user", "content": f"My locker is {number}."}
            ]}  # fmt: skip
            assert client.add(RECORDED["add"] | body).status == 200
        counts = [len(client.search(RECORDED["search"] | {"top_k": k}).value["data"]) for k in (1, 3, 100, 10**9)]
    assert counts == [1, 3, 5, 5]


def test_any_text_and_any_time_is_taken() -> None:
    """Ids come back byte for byte, also where no store could hold them."""
    odd = {"request_id": "\ud800\0", "user_id": "e\u0301 \udfff", "session_id": " \t"}
    messages = [
        {"role": "user", "content": "half \ud83d NUL \0 whole 😀", "timestamp": at} for at in (-1, 10**30, "x")
    ]
    with face() as served:
        client = client_of(served.url)
        assert client.add({**odd, "messages": messages}).value == {"success": True, **odd}
        rows = client.search({"query": "half \ud83d", "user_id": odd["user_id"], "top_k": 9}).value["data"]
    assert [row["content"] for row in rows] == ["half \ufffd NUL \ufffd whole 😀"] * 3
    assert [("created_at" in row) for row in rows].count(True) == 1


def test_whoever_is_full_says_when_to_come_again() -> None:
    """One request more than there is room for is 429 with Retry-After, and the others are answered."""
    memory = Holding()
    with face(memory, most=1, at_once=True) as served:
        client = client_of(served.url)
        first = threading.Thread(target=client.add, args=(RECORDED["add"],))
        first.start()
        assert memory.entered.wait(5)
        reply = client.search(RECORDED["search"])
        memory.leave.set()
        first.join()
        assert (reply.status, reply.retry_after) == (429, 1.0)
        assert client.search(RECORDED["search"]).status == 200


class Holding(Notebook):
    """Writes when it is let."""

    name = "holding"

    def __init__(self) -> None:
        super().__init__()
        self.entered, self.leave = threading.Event(), threading.Event()

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Wait."""
        self.entered.set()
        self.leave.wait(5)
        return super().ingest(turns, scope)


class Failing(Notebook):
    """Fails with what it was given, or is slow."""

    name = "failing"
    promises: ClassVar[Capabilities] = Capabilities()

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Fail."""
        raise ValueError(turns[0].text)

    def search(self, *_: Any, **__: Any) -> Any:
        """Take too long."""
        raise CallTimeout("it is slow")


def test_a_memory_that_fails_is_told_without_what_it_was_given() -> None:
    """500, or 503 where it may pass; an Add that failed is no replay when it comes again."""
    with face(Failing()) as served:
        client = client_of(served.url)
        for _ in range(2):
            reply = client.add(RECORDED["add"])
            assert (reply.status, reply.value) == (500, {"detail": {"reason": "the memory failed: ValueError"}})
        slow = client.search(RECORDED["search"])
    assert (slow.status, slow.retry_after) == (503, 5.0)


def test_nothing_is_printed(capfd: pytest.CaptureFixture[str]) -> None:
    """What was said stands in no log."""
    with face() as served:
        client_of(served.url).add(RECORDED["add"])
        client_of(served.url).add(b"nonsense")
    assert capfd.readouterr() == ("", "")


def test_a_restart_loses_nothing(tmp_path: Path) -> None:
    """A memory in RAM is filled again from the journal, and a replay is still one."""
    journal = tmp_path / "journal.db"
    for _ in range(3):
        with face(journal=journal) as served:
            client = client_of(served.url)
            assert client.add(RECORDED["add"]).status == 200
            assert len(client.search(RECORDED["search"]).value["data"]) == 1
            assert client.add(RECORDED["add"] | {"session_id": "x"}).status == 422


def test_only_what_a_memory_has_lost_is_added_again(tmp_path: Path) -> None:
    """One that outlives its process is not written twice; a user that it has lost is written again."""
    memory = Counting()
    journal = tmp_path / "journal.db"
    with face(memory, journal=journal) as served:
        assert client_of(served.url).add(RECORDED["add"]).status == 200
    with face(memory, journal=journal):
        assert memory.written == 1
    memory.stored.clear()
    with face(memory, journal=journal):
        assert memory.written == 2


def test_a_port_that_is_taken_is_a_sentence() -> None:
    """The remedy is another port."""
    with face() as served, pytest.raises(ConfigError, match="Choose another --port"):
        AmlFace(open_here("bm25"), key=KEY, port=int(served.server_address[1]))
