"""EverOS against recorded shapes: a server on this machine plays them, and every report says so."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.errors import CallTimeout, ConfigError, ContractBreach
from memgauge.products.everos.adapter import LABEL, EverOS
from memgauge.records import Turn, Verdict
from memgauge.systems.conformance import check
from memgauge.systems.protocol import supported
from support.products import ALICE, BOB, told, turn
from support.services import Answer, RefusedRequest, ServiceDouble, best, served

if TYPE_CHECKING:
    from collections.abc import Iterator


class EverOSDouble(ServiceDouble):
    """Sessions whose messages are episodes once they were flushed, and are indexed after ``lag`` questions."""

    def __init__(self) -> None:
        super().__init__()
        self.lag = self.waits = 0
        self.buffers: dict[str, list[dict[str, Any]]] = {}
        self.episodes: list[dict[str, Any]] = []

    def _add(self, *, query: Any, body: Any) -> Answer:
        if not 1 <= len(body["messages"]) <= 500 or any(each["timestamp"] <= 0 for each in body["messages"]):
            raise RefusedRequest(422, "messages")
        self.buffers.setdefault(body["session_id"], []).extend(body["messages"])
        return 200, {"request_id": "r", "data": {"message_count": 1, "status": "accumulated"}}

    def _flush(self, *, query: Any, body: Any) -> Answer:
        for message in self.buffers.pop(body["session_id"], []):
            at = datetime.fromtimestamp(message["timestamp"] / 1000, UTC).isoformat()
            owned = {"user_id": message["sender_id"], "sender_ids": [message["sender_id"]], "timestamp": at}
            told = {"summary": "…", "subject": "…", "episode": message["content"], "type": "Conversation"}
            self.episodes.append({"id": self.new_id(), **body, **owned, **told})
        self.waits = self.lag
        return 200, {"request_id": "r", "data": {"status": "extracted"}}

    def _health(self, *, query: Any, body: Any) -> Answer:
        left, self.waits = self.waits, max(0, self.waits - 1)
        return 200, {"status": "ok", "cascade": {"pending": left}, "memorize_queue": None}

    def _own(self, body: Any) -> list[dict[str, Any]]:
        names = ("user_id", "app_id", "project_id")
        return [each for each in self.episodes if all(each[name] == body[name] for name in names)]

    def _search(self, *, query: Any, body: Any) -> Answer:
        if not body["query"] or not 1 <= body["top_k"] <= 100:
            raise RefusedRequest(422, "query")
        ranked = best(body["query"], self._own(body), "episode")[: body["top_k"]]
        hits = [{**each, "score": 1 / (1 + place), "atomic_facts": []} for place, each in enumerate(ranked)]
        return 200, {"request_id": "r", "data": {"episodes": hits, "profiles": []}}

    def _get(self, *, query: Any, body: Any) -> Answer:
        own, start = self._own(body), (body["page"] - 1) * body["page_size"]
        page = own[start : start + body["page_size"]]
        return 200, {"request_id": "r", "data": {"episodes": page, "total_count": len(own), "count": len(page)}}

    ROUTES = (
        ("POST", "api/v2/memory/add", _add),
        ("POST", "api/v2/memory/flush", _flush),
        ("POST", "api/v2/memory/search", _search),
        ("POST", "api/v2/memory/get", _get),
        ("GET", "health", _health),
    )


@pytest.fixture
def double() -> Iterator[EverOSDouble]:
    """Play EverOS's API on this machine."""
    made = EverOSDouble()
    with served(made, "EVEROS_URL", "EVEROS_API_KEY"):
        yield made


@pytest.fixture
def everos(double: EverOSDouble) -> Iterator[EverOS]:
    """Open a store."""
    with closing(EverOS(poll=0)) as system:
        yield system


def test_the_protocol_is_kept_in_the_recorded_shapes(double: EverOSDouble) -> None:
    """Every probe that applies passes."""
    checks = check(lambda: EverOS(poll=0)).checks
    assert [each.name for each in checks if each.verdict not in {Verdict.PASS, Verdict.UNSUPPORTED}] == []
    assert double.episodes


def test_what_was_never_run_says_so(everos: EverOS) -> None:
    """The label comes first, then who was asked and how; what the API has no call for is not claimed."""
    declared = everos.capabilities()
    assert declared.interventions[:2] == (LABEL, "asked at 127.0.0.1, by keyword")
    assert "never run" in LABEL
    assert (declared.k_cap, declared.needs) == (100, ("network",))
    assert supported(everos) == ()
    with pytest.raises(ConfigError, match="keyword, vector, hybrid"):
        EverOS(method="agentic")


def test_an_episode_is_of_the_turn_whose_session_it_names(everos: EverOS, double: EverOSDouble) -> None:
    """A session a turn, flushed at once; the moment is in milliseconds, and there is one where nobody knows."""
    told(everos, "I keep bees.", "I play chess.")
    everos.ingest([Turn("later", "Ada", "I run.", "s1")], ALICE)
    (hit,) = everos.search("Who keeps bees?", ALICE, 5).hits
    assert (hit.memory.text, hit.memory.sources, hit.score) == ("I keep bees.", ("t0",), 1.0)
    assert hit.memory.event_at == datetime(2023, 5, 8, 10)  # noqa: DTZ001 - turns are naive
    assert not everos.search("bees", BOB, 5).hits
    assert not everos.search("", ALICE, 5).hits
    sent = [body["messages"][0] for _, path, body in double.asked if path.endswith("/add")]
    assert [message["timestamp"] for message in sent] == [1683540000000, 1683540000000, 86400000]
    assert sent[2]["sender_name"] == "Ada"


def test_all_pages_are_listed_and_a_merged_episode_names_no_turn(everos: EverOS, double: EverOSDouble) -> None:
    """A page holds a hundred."""
    everos.ingest([turn(f"t{n}", f"note {n}") for n in range(120)], ALICE)
    double.episodes[0]["session_id"] = None
    listed = list(everos.dump(ALICE))
    assert [memory.sources for memory in listed] == [(), *((f"t{n}",) for n in range(1, 120))]
    assert not list(everos.dump(BOB))


def test_what_waits_to_be_indexed_is_waited_for(everos: EverOS, double: EverOSDouble) -> None:
    """As the server counts it; too long fails."""
    double.lag = 3
    told(everos, "I sing.")
    assert double.waits == 0
    double.waits = 1_000_000
    with pytest.raises(CallTimeout, match=r"writes left after 0\.05 s"):
        everos.flush(ALICE, 0.05)


def test_a_reset_takes_new_names(everos: EverOS, double: EverOSDouble) -> None:
    """Nothing is deleted, and nothing of it is found."""
    told(everos, "I sing.")
    everos.reset()
    assert not list(everos.dump(ALICE))
    assert len(double.episodes) == 1


def test_a_time_that_is_none_is_refused(everos: EverOS, double: EverOSDouble) -> None:
    """It breaks the shapes."""
    told(everos, "I sing.")
    double.episodes[0]["timestamp"] = "yesterday"
    with pytest.raises(ContractBreach, match="'yesterday'"):
        list(everos.dump(ALICE))
