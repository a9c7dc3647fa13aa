"""Honcho against recorded shapes: a server on this machine plays them, and every report says so."""

from __future__ import annotations

from contextlib import closing
from datetime import datetime
from typing import TYPE_CHECKING

import pytest

from memgauge.errors import CallFailed, CallTimeout, ConfigError, ContractBreach
from memgauge.products.honcho.adapter import LABEL, Honcho
from memgauge.records import Turn, Verdict
from memgauge.systems.conformance import check
from memgauge.systems.protocol import supported
from support.products import ALICE, BOB, told, turn
from support.services import HonchoDouble, served

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def double() -> Iterator[HonchoDouble]:
    """Play Honcho's API on this machine."""
    made = HonchoDouble()
    with served(made, "HONCHO_URL", "HONCHO_API_KEY"):
        yield made


@pytest.fixture
def honcho(double: HonchoDouble) -> Iterator[Honcho]:
    """Open the lane of messages."""
    with closing(Honcho(poll=0)) as system:
        yield system


@pytest.mark.parametrize("lane", ["raw", "extract"])
def test_the_protocol_is_kept_in_the_recorded_shapes(double: HonchoDouble, lane: str) -> None:
    """Every probe that applies passes, and no workspace is left behind."""
    checks = check(lambda: Honcho(lane=lane, poll=0)).checks
    unheld = [probe.name for probe in checks if probe.verdict not in {Verdict.PASS, Verdict.UNSUPPORTED}]
    assert unheld == (["memories bear their sources"] if lane == "extract" else [])  # conclusions name none
    assert double.workspaces == {}


def test_what_was_never_run_says_so(honcho: Honcho) -> None:
    """The label comes first, then who was asked; what the API has no call for is not claimed."""
    declared = honcho.capabilities()
    assert declared.interventions[:2] == (LABEL, "asked at 127.0.0.1")
    assert "never run" in LABEL
    assert (declared.k_cap, declared.needs) == (100, ("network",))
    assert supported(honcho) == ("erasable",)


def test_a_message_is_sent_as_the_api_takes_it(honcho: Honcho, double: HonchoDouble) -> None:
    """A hundred at a time, a peer a speaker by a name that fits, with turn, role and time; long texts are cut."""
    turns = [Turn(f"t{n}", "Ada Löwe", "x" * 30_000, "s 1", role="user") for n in range(101)]
    at = datetime(2023, 5, 8, 10)  # noqa: DTZ001 - turns are naive
    honcho.ingest([*turns, Turn("t101", "bot", "yes", "s2", at, "assistant")], ALICE)
    sent = [body["messages"] for _, path, body in double.asked if path.endswith("/messages")]
    assert [len(messages) for messages in sent] == [100, 1, 1]
    assert len(sent[0][0]["content"]) == 25_000
    assert sent[2][0] == {
        "content": "yes",
        "peer_id": "bot",
        "metadata": {"turn": "t101", "role": "assistant"},
        "created_at": "2023-05-08T10:00:00Z",
    }
    (sessions,) = (workspace["sessions"] for workspace in double.workspaces.values())
    assert sorted(map(len, (session["messages"] for session in sessions.values()))) == [1, 101]
    assert all(name.isalnum() for name in sessions)
    assert len(list(honcho.dump(ALICE))) == 102


def test_messages_are_found_with_their_turns_and_no_scores(honcho: Honcho) -> None:
    """In the order of the API; another scope finds nothing, and is not asked for."""
    told(honcho, "I keep bees.", "I play chess.")
    (hit,) = honcho.search("Who keeps bees?", ALICE, 5).hits
    assert (hit.memory.text, hit.memory.sources, hit.score) == ("I keep bees.", ("t0",), None)
    assert hit.memory.event_at == datetime(2023, 5, 8, 10)  # noqa: DTZ001 - turns are naive
    assert not honcho.search("bees", BOB, 5).hits


def test_conclusions_are_waited_for_and_taken_from_each_peer_in_turn(double: HonchoDouble) -> None:
    """They name no turn; a flush that takes too long fails."""
    double.lag = 3
    with closing(Honcho(lane="extract", poll=0.01)) as system:
        for speaker in ("ada", "bob"):
            turns = [Turn(f"{speaker}{n}", speaker, f"the kiln is {n}", "s1") for n in (1, 2)]
            system.ingest(turns, ALICE)
        with pytest.raises(CallTimeout, match="3 units of work left"):
            system.flush(ALICE, 0)
        system.flush(ALICE, 5)
        hits = system.search("kiln", ALICE, 3).hits
        assert [hit.memory.text[:3] for hit in hits] == ["ada", "bob", "ada"]
        assert {hit.memory.sources for hit in hits} == {()}
        assert system.capabilities().declares_sources is False


def test_erasing_waits_for_what_is_deleted_in_the_background(honcho: Honcho, double: HonchoDouble) -> None:
    """A workspace whose sessions are still going is asked to go again; then nothing of it is listed."""
    told(honcho, "I keep bees.")
    double.slow = 1
    honcho.erase(ALICE)
    assert double.workspaces == {}
    assert not list(honcho.dump(ALICE))
    deletions = [path for method, path, _ in double.asked if method == "DELETE"]
    assert len(deletions) == 3


def test_a_mistake_is_said_in_a_sentence(monkeypatch: pytest.MonkeyPatch, double: HonchoDouble) -> None:
    """No address, no such lane, a wrong key, a page of a proxy, fewer messages than were sent."""
    with pytest.raises(ConfigError, match="no lane 'deep'"):
        Honcho(lane="deep")
    system = Honcho()
    double.next = [(401, b'{"detail": "no"}')]
    with pytest.raises(ConfigError, match="refuses the key of HONCHO_API_KEY"):
        system.ingest([turn("t0", "I sing.")], ALICE)
    double.next = [(502, b"<html>")]
    with pytest.raises(CallFailed, match="refused with HTTP 502: <html>"):
        system.ingest([turn("t0", "I sing.")], ALICE)
    double.next = [(200, b"hello")]
    with pytest.raises(ContractBreach, match="no JSON"):
        system.ingest([turn("t0", "I sing.")], ALICE)
    double.next = [(200, b"{}"), (200, b"{}"), (201, b"[]")]
    with pytest.raises(ContractBreach, match="added 0 of 1"):
        system.ingest([turn("t0", "I sing.")], BOB)
    double.next = [(200, b'{"items": [], "pages": 0}'), (202, b"{}"), (404, b"{}")]
    system.close()
    monkeypatch.setenv("HONCHO_URL", "")
    with pytest.raises(ConfigError, match="HONCHO_URL is not set"):
        Honcho()
    monkeypatch.setenv("HONCHO_URL", "http://honcho.example")
    with pytest.raises(ConfigError, match="in the clear"):
        Honcho()
