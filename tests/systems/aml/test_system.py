"""A server of the leaderboard's contract as a memory system."""

from __future__ import annotations

import itertools
import json
import time
from datetime import datetime
from typing import TYPE_CHECKING, Any

import pytest
from werkzeug import Response

from memgauge.errors import CallFailed, CallTimeout, ConfigError, ContractBreach
from memgauge.records import Scope, Turn
from memgauge.runs.play.execute import execute
from memgauge.runs.play.plan import plan
from memgauge.runs.record.store import load
from memgauge.systems.aml.contract import CYCLES
from memgauge.systems.aml.system import AmlSystem
from memgauge.systems.catalogue import open_system, ours
from memgauge.systems.protocol import supported
from support.aml import KEY, client_of, face

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pytest_httpserver import HTTPServer
    from werkzeug import Request

ADA = Scope("ada")
AT = datetime.fromisoformat("2024-01-01")


def turns(count: int, session: str = "s1") -> list[Turn]:
    """Make turns of a session."""
    return [Turn(f"t{n}", "Ada", f"line {n} of {session}", session, AT) for n in range(count)]


def system_at(url: str, *, cycle: int = 2, timeout_s: float = 10) -> AmlSystem:
    """Open a system that does not wait, and whose prefixes are counted."""
    numbers = itertools.count()
    client = client_of(url.rstrip("/"), timeout_s=timeout_s)
    return AmlSystem(client, CYCLES[cycle], lambda _: None, lambda: f"run{next(numbers)}")


def scripted(server: HTTPServer, *answers: tuple[int, object]) -> list[Any]:
    """Let a server answer so, the last for ever; return what it was sent, as it comes."""
    left, sent = list(answers), list[Any]()

    def answer(request: Request) -> Response:
        sent.append(json.loads(request.data))
        status, value = left.pop(0) if len(left) > 1 else left[0]
        if value == "echo":
            value = {"success": True, **{n: sent[-1][n] for n in ("request_id", "user_id", "session_id")}}
        return Response(json.dumps(value), status, content_type="application/json")

    server.expect_request("/v1/add").respond_with_handler(answer)
    server.expect_request("/v1/search").respond_with_handler(answer)
    return sent


def test_a_session_becomes_adds_as_the_platform_sends_them(httpserver: HTTPServer) -> None:
    """Twenty messages a chunk, one session at a time, times in milliseconds, and no other field."""
    sent = scripted(httpserver, (200, "echo"))
    system_at(httpserver.url_for("")).ingest([*turns(21), *turns(1, "s2")], ADA)
    assert [len(body["messages"]) for body in sent] == [20, 1, 1]
    assert [body["session_id"] for body in sent] == ["run0:s1", "run0:s1", "run0:s2"]
    assert {body["user_id"] for body in sent} == {"run0:ada"}
    assert len({body["request_id"] for body in sent}) == 3
    assert set(sent[0]) == {"request_id", "messages", "user_id", "session_id"}
    assert sent[0]["messages"][0] == {
        "role": "user",
        "content": "Ada: line 0 of s1",
        "timestamp": 1_704_067_200_000,
    }


def test_the_same_turns_make_the_same_requests(httpserver: HTTPServer) -> None:
    """So that a server stores them once; after a reset every name is fresh."""
    sent = scripted(httpserver, (200, "echo"))
    system = system_at(httpserver.url_for(""))
    system.ingest(turns(2), ADA)
    system.ingest(turns(2), ADA)
    system.reset()
    system.ingest(turns(2), ADA)
    assert sent[0] == sent[1]
    assert sent[2]["user_id"] == "run1:ada"
    assert sent[2]["request_id"] != sent[0]["request_id"]


def test_unlike_scopes_are_unlike_users(httpserver: HTTPServer) -> None:
    """Whatever stands in their parts."""
    sent = scripted(httpserver, (200, {"data": []}))
    system = system_at(httpserver.url_for(""))
    scopes = [ADA, Scope("ada", "x"), Scope("ada:x"), Scope("ada", agent="x"), Scope("ada", agent="*"), Scope("")]
    for scope in scopes:
        system.search("x", scope, 3)
    assert len({body["user_id"] for body in sent}) == len(scopes)


def test_search_asks_for_a_hundred_at_most(httpserver: HTTPServer) -> None:
    """What comes is kept in its order; a blank question is not sent."""
    rows = [
        {"id": f"m{n}", "content": f"line {n}", "score": 1 - n, "created_at": "2024-01-01T00:00:00Z"}
        for n in (2, 1)
    ]
    sent = scripted(httpserver, (200, {"data": rows}))
    system = system_at(httpserver.url_for(""))
    ranking = system.search("Which line?", ADA, 500, AT)
    assert sent == [{"query": "Which line?", "user_id": "run0:ada", "top_k": 100}]
    assert [(hit.memory.id, hit.memory.text, hit.score) for hit in ranking.hits] == [
        ("m2", "line 2", -1),
        ("m1", "line 1", 0),
    ]
    assert system.search(" ", ADA, 5).hits == ()
    assert system.search("x", ADA, 0).hits == ()
    assert len(sent) == 1


def test_more_than_top_k_is_cut_in_one_cycle_and_an_error_in_the_other(httpserver: HTTPServer) -> None:
    """The rule changed in September."""
    scripted(httpserver, (200, {"data": [{"id": f"m{n}", "content": "x"} for n in range(3)]}))
    ranking = system_at(httpserver.url_for(""), cycle=1).search("x", ADA, 2)
    assert len(ranking.hits) == 2
    assert ranking.notes == ("1 hits beyond top_k were not read",)
    with pytest.raises(ContractBreach, match="3 hits for top_k 2"):
        system_at(httpserver.url_for("")).search("x", ADA, 2)


@pytest.mark.parametrize(
    ("answers", "error", "words"),
    [
        ([(503, {}), (409, {}), (200, "echo")], None, ""),
        ([(422, {"detail": {"reason": "no"}})], CallFailed, "Add: HTTP 422: .*no.*ends the run"),
        ([(503, {})], CallFailed, "after 32 attempts"),
        ([(200, {"success": True})], ContractBreach, "request_id None"),
        ([(202, "echo")], CallFailed, "HTTP 202"),
    ],
)
def test_an_add_ends_as_the_platform_would_end_it(
    httpserver: HTTPServer, answers: Sequence[tuple[int, object]], error: type[Exception] | None, words: str
) -> None:
    """What may pass is asked again; what is final is a failure, and so is an echo that is none."""
    scripted(httpserver, *answers)
    system = system_at(httpserver.url_for(""))
    if error is None:
        system.ingest(turns(1), ADA)
        return
    with pytest.raises(error, match=words):
        system.ingest(turns(1), ADA)


def test_silence_is_a_timeout(httpserver: HTTPServer) -> None:
    """Of a Search, which is not asked again for it."""

    def dawdle(_: Request) -> Response:
        time.sleep(0.6)
        return Response("{}")

    httpserver.expect_request("/v1/search").respond_with_handler(dawdle)
    with pytest.raises(CallTimeout, match=r"Search: no answer within 0.2 s"):
        system_at(httpserver.url_for(""), timeout_s=0.2).search("x", ADA, 3)


def test_it_promises_no_more_than_the_contract_has() -> None:
    """No deletion, no change, no list; what was adapted is said."""
    system = system_at("http://127.0.0.1:9")
    assert supported(system) == ()
    assert list(system.dump(ADA)) == []
    promised = system.capabilities()
    assert (promised.k_cap, promised.declares_sources, promised.reports_changes) == (100, False, False)
    assert any("no time of asking" in what for what in promised.interventions)


def test_a_reference_opens_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """The key comes from the environment and stands nowhere; a stranger is behind the name."""
    monkeypatch.setenv("AML_KEY", KEY)
    with face() as served:
        ref = f"aml:{served.url},key=AML_KEY,auth=token,cycle=1"
        system = open_system(ref)
        system.ingest(turns(2), ADA)
        assert [hit.memory.text for hit in system.search("line 1", ADA, 1).hits] == ["Ada: line 1 of s1"]
        assert system.version == "cycle 1"
        assert KEY not in repr(system) + system.name
        system.close()  # type: ignore[attr-defined] # it can be closed
    assert not ours(ref)
    with pytest.raises(ConfigError, match="There are 1, 2"):
        open_system("aml:http://127.0.0.1:9,cycle=9")


def test_a_dataset_is_played_through_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run is whole, and lineage is inferred by the text of what comes back."""
    monkeypatch.setenv("AML_KEY", KEY)
    with face() as served:
        (folder,) = execute(
            plan(["synthetic:tiny"], [f"aml:{served.url},key=AML_KEY"], conversations=1, probes=0), tmp_path
        )
    run = load(folder)
    assert set(run.questions["outcome"].tolist()) <= {"ok", "empty"}
    lineage = run.memories["lineage"].tolist()
    assert set(lineage) == {"inferred"}
    assert KEY.encode() not in b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
