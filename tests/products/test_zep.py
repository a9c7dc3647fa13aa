"""Zep's cloud against recorded shapes: a server on this machine plays them, and every report says so."""

from __future__ import annotations

import json
import socket
from contextlib import closing
from datetime import datetime
from typing import TYPE_CHECKING

import pytest

from memgauge.cli import invoke
from memgauge.errors import CallFailed, CallTimeout, ConfigError, ContractBreach
from memgauge.products.zep.adapter import LABEL, Zep
from memgauge.products.zep.api import ZepApi
from memgauge.records import Form, Lineage, Operation, Scope, Turn, Verdict
from memgauge.results import plain
from memgauge.runs.record.lineage import LineageLedger
from memgauge.systems.conformance import check
from memgauge.systems.conformance.aspects import ClaimState, aspects
from memgauge.systems.conformance.matrix import matrix_of
from memgauge.systems.conformance.measure import measure_card
from memgauge.systems.conformance.show import document
from memgauge.systems.protocol import supported
from support.products import ALICE, BOB, told, turn
from support.zep_server import KEY, NOW, zep_double

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from support.zep_server import ZepDouble

ROME, OSLO, CAT = "My home city is Rome.", "My home city is Oslo.", "The cat sleeps on the red mat."


@pytest.fixture
def double() -> Iterator[ZepDouble]:
    """Play Zep's API on this machine."""
    with zep_double() as served:
        yield served


@pytest.fixture
def zep(double: ZepDouble) -> Iterator[Zep]:
    """Open a store without a name."""
    with closing(Zep(poll=0)) as system:
        yield system


def facts(system: Zep, scope: Scope = ALICE) -> dict[str, tuple[str, ...]]:
    """Return the sources of every fact by its text."""
    return {one.text: one.sources for one in system.dump(scope) if one.form is Form.EDGE}


def test_the_protocol_is_kept_in_the_recorded_shapes(double: ZepDouble) -> None:
    """Every probe that applies passes, whichever kinds are found, and nobody is left behind."""
    for find in ("edges+episodes", "edges+episodes+nodes"):
        checks = check(lambda find=find: Zep(poll=0, find=find)).checks  # type: ignore[misc] # bound at once
        assert [one for one in checks if one.verdict not in {Verdict.PASS, Verdict.UNSUPPORTED}] == []
    assert double.users == {}


def test_what_was_never_run_against_the_cloud_says_so(zep: Zep) -> None:
    """The label comes first, then who was asked in its place; what is not in the API is not claimed."""
    declared = zep.capabilities()
    assert declared.interventions[:2] == (LABEL, "asked at 127.0.0.1, in the place of the cloud")
    assert "never run against the cloud" in LABEL
    assert (declared.k_cap, declared.reports_changes, declared.declares_sources) == (100, False, True)
    assert supported(zep) == ("mutable", "erasable", "durable", "assembling")
    assert list(zep.storage_paths()) == []


def test_a_fact_names_the_turns_of_its_episodes(zep: Zep) -> None:
    """A fact that is stated twice has two sources, as Zep says; of episodes the harness saw the receipts."""
    ledger = LineageLedger()
    for place, text in enumerate((ROME, CAT, ROME)):
        said = turn(f"t{place}", text)
        ledger.wrote([said], zep.ingest([said], ALICE))
    zep.flush(ALICE, 10)
    kept = {(one.memory.channel, one.sources): one for one in map(ledger.keep, zep.dump(ALICE))}
    assert facts(zep) == {ROME: ("t0", "t2")}
    assert kept["edges", ("t0", "t2")].lineage is Lineage.DECLARED
    assert {sources: kept["episodes", sources].lineage for sources in (("t0",), ("t1",), ("t2",))} == {
        ("t0",): Lineage.EXACT,
        ("t1",): Lineage.EXACT,
        ("t2",): Lineage.EXACT,
    }


def test_a_fact_that_is_contradicted_has_an_end(zep: Zep) -> None:
    """Validity runs by the times of the turns, and the moment of storing is kept apart."""
    zep.ingest([Turn("t0", "Ada", ROME, "s1", datetime(2023, 5, 8))], ALICE)  # noqa: DTZ001 - turns are naive
    zep.ingest([Turn("t1", "Ada", OSLO, "s2", datetime(2023, 6, 9))], ALICE)  # noqa: DTZ001 - as above
    zep.flush(ALICE, 10)
    known = {one.text: one for one in zep.dump(ALICE) if one.form is Form.EDGE}
    rome, oslo = known[ROME], known[OSLO]
    assert (rome.valid_from, rome.valid_to) == (datetime(2023, 5, 8), datetime(2023, 6, 9))  # noqa: DTZ001 - as above
    assert (oslo.valid_to, oslo.stored_at) == (None, datetime.fromisoformat(NOW).replace(tzinfo=None))
    hits = zep.search("Which is my home city?", ALICE, 10).hits
    assert {hit.memory.text for hit in hits} == {ROME, OSLO}


def test_a_message_is_sent_as_the_api_takes_it(zep: Zep, double: ZepDouble) -> None:
    """Thirty at a time, a thread a session, with the turn's id, speaker and time; long texts are cut."""
    turns = [Turn(f"t{n}", "Ada", "x" * 3000, "s1", role="narrator") for n in range(31)]
    zep.ingest([*turns, Turn("t31", "Bot", "yes", "s2", role="assistant")], ALICE)
    sent = [body["messages"] for _, path, body, _ in double.asked if path.endswith("/messages")]
    assert [len(one) for one in sent] == [30, 1, 1]
    assert sent[0][0] == {"role": "user", "name": "Ada", "content": "x" * 2500, "metadata": {"turn": "t0"}}
    assert sent[2][0]["role"] == "assistant"
    assert len(double.threads) == 2


def test_a_flush_waits_until_every_episode_is_processed(zep: Zep, double: ZepDouble) -> None:
    """What is not processed is not found; a flush that takes too long fails, and so does a failed task."""
    double.lag = 3
    zep.ingest([turn("t0", CAT)], ALICE)
    assert not zep.search("cat", ALICE, 5).hits
    zep.flush(ALICE, 10)
    assert [hit.memory.sources for hit in zep.search("cat", ALICE, 5).hits] == [("t0",)]
    double.lag = 1_000
    zep._poll = 100  # longer than may be waited: asked once, however long an answer takes on this machine
    zep.ingest([turn("t1", CAT)], ALICE)
    with pytest.raises(CallTimeout, match="has not processed 1 messages after 60 s"):
        zep.flush(ALICE, 60)
    double.failing = "the model gave up"
    with pytest.raises(CallFailed, match="ended as failed: the model gave up"):
        zep.flush(ALICE, 10)


def test_a_search_is_cut_to_k_and_a_long_query_is_cut(zep: Zep, double: ZepDouble) -> None:
    """Fifty of each kind are asked for, whatever k is; that a query was cut stands in the notes."""
    told(zep, *(f"{CAT} {n}" for n in range(60)))
    assert len(zep.search("cat", ALICE, 100).hits) == 50
    assert [len(zep.search("cat", ALICE, k).hits) for k in (0, 7)] == [0, 7]
    found = zep.search("cat " * 200, ALICE, 5)
    assert "the query was cut after 400 characters" in found.notes
    assert len(double.asked[-1][2]["query"]) == 400


def test_users_are_kept_apart_and_reading_makes_nobody(zep: Zep, double: ZepDouble) -> None:
    """Scopes are users of Zep; where nothing was written there is none."""
    told(zep, ROME)
    assert list(zep.dump(BOB)) == []
    assert not zep.search("Rome", BOB, 5).hits
    assert zep.context("Rome", BOB, 100) == ""
    assert zep.delete(["x"], BOB) == 0
    zep.erase(BOB)
    assert len(double.users) == 1
    told(zep, OSLO, scope=BOB)
    assert (set(facts(zep)), set(facts(zep, BOB))) == ({ROME}, {OSLO})
    zep.erase(ALICE)
    assert list(zep.dump(ALICE)) == []
    assert set(facts(zep, BOB)) == {OSLO}


def test_a_context_is_assembled_by_zep(zep: Zep) -> None:
    """Within the budget that it is given."""
    told(zep, ROME)
    assert zep.context("home", ALICE, 1_000_000) == ROME
    assert len(zep.context("home", ALICE, 5)) == 5


def test_what_is_known_is_learnt_again_after_reopening(double: ZepDouble) -> None:
    """A named store is found by another process, with the turns of its episodes; a reset empties it."""
    with closing(Zep(poll=0, store="kept")) as first:
        told(first, ROME, CAT)
        first.reopen()
        assert facts(first) == {ROME: ("t0",)}
    with closing(Zep(poll=0, store="kept", find="edges")) as second:
        (hit,) = second.search("home city", ALICE, 5).hits
        assert (hit.memory.text, hit.memory.sources) == (ROME, ("t0",))
        second.ingest([turn("t2", OSLO)], ALICE)
        second.reopen()
        second.flush(ALICE, 10)
        assert set(facts(second)) == {ROME, OSLO}
        with closing(Zep(poll=0, store="other")) as other:
            told(other, CAT)
            second.reset()
            assert list(second.dump(ALICE)) == []
            assert len(list(other.dump(ALICE))) == 1


def test_an_update_changes_a_fact_and_replaces_an_episode(zep: Zep, double: ZepDouble) -> None:
    """The new episode keeps the turn, the speaker and the time; a name or an unknown id is not changed."""
    told(zep, ROME, CAT)
    fact = next(one for one in zep.dump(ALICE) if one.form is Form.EDGE)
    (change,) = zep.update(fact.id, OSLO, ALICE).changes or ()
    assert (change.op, facts(zep)) == (Operation.UPDATE, {OSLO: ("t0",)})
    old = next(one for one in zep.dump(ALICE) if one.text == CAT)
    gone, added = zep.update(old.id, "The dog sleeps.", ALICE).changes or ()
    zep.flush(ALICE, 10)
    (new,) = [one for one in zep.dump(ALICE) if one.text == "The dog sleeps."]
    assert [(gone.op, gone.memory), (added.op, added.memory)] == [
        (Operation.DELETE, old.id),
        (Operation.ADD, new.id),
    ]
    assert (new.sources, new.event_at) == (("t1",), old.event_at)
    assert len(double.threads) == 1
    for name in ("nobody", next(iter(next(iter(double.graphs.values())).nodes))):
        (nothing,) = zep.update(name, "x", ALICE).changes or ()
        assert nothing.op is Operation.NOOP


def test_an_episode_takes_its_facts_along(zep: Zep, double: ZepDouble) -> None:
    """What Zep removes with an episode counts where it was asked for; a task is waited for."""
    double.slow = 2
    told(zep, ROME, CAT)
    episode, fact = (
        next(one.id for one in zep.dump(ALICE) if one.channel == kind) for kind in ("episodes", "edges")
    )
    assert zep.delete([episode, fact, episode, "nobody"], ALICE) == 2
    assert [one.text for one in zep.dump(ALICE)] == [CAT]
    zep._poll = 1e9
    double.slow = 1_000
    with pytest.raises(CallTimeout, match="is not done in time"):
        zep.erase(ALICE)


def test_names_are_found_where_they_are_asked_for(double: ZepDouble) -> None:
    """With their summaries and the turns that they rest on."""
    with closing(Zep(poll=0, find="nodes")) as system:
        told(system, ROME)
        (hit,) = system.search("home", ALICE, 5).hits
        assert (hit.memory.text, hit.memory.form) == (f"home city: {ROME}", Form.NODE)
        assert hit.memory.sources == ("t0",)
        assert {one.channel for one in system.dump(ALICE)} == {"episodes", "edges", "nodes"}
    with pytest.raises(ConfigError, match=r"cannot find 'facts'\. There are: episodes, edges, nodes"):
        Zep(find="facts")


def test_lists_are_read_to_their_end(zep: Zep) -> None:
    """Pages of a hundred, one after the other."""
    zep.ingest([turn(f"t{n}", f"note {n}") for n in range(120)], ALICE)
    zep.flush(ALICE, 20)
    assert [one.sources for one in zep.dump(ALICE)] == [(f"t{n}",) for n in range(120)]


def test_a_key_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without one nothing is sent, and what to do is said."""
    monkeypatch.delenv("ZEP_API_KEY", raising=False)
    with pytest.raises(ConfigError, match=r"ZEP_API_KEY is not set\. Set ZEP_API_KEY to the key of a project"):
        Zep()


def test_a_wrong_key_or_address_is_told_at_once(double: ZepDouble, monkeypatch: pytest.MonkeyPatch) -> None:
    """With its remedy: the key is refused, nobody answers, no address, a key in the clear."""
    monkeypatch.setenv("ZEP_API_KEY", "wrong")
    with pytest.raises(
        ConfigError, match=r"refuses the key of ZEP_API_KEY \(HTTP 401: no such key\)\. Set ZEP_API"
    ):
        Zep()
    monkeypatch.setenv("ZEP_API_KEY", KEY)
    for url, said in (
        ("http://127.0.0.1:9/api/v4", r"zep cannot be asked: .* broke off .*Check ZEP_API_URL"),
        ("zep", "'zep' is no address"),
        ("http://127.0.0.1:port", "is no address"),
        ("http://zep.example/api/v4", "the key would be sent in the clear"),
    ):
        monkeypatch.setenv("ZEP_API_URL", url)
        with pytest.raises(ConfigError, match=said):
            Zep()
    monkeypatch.delenv("ZEP_API_URL")
    assert ZepApi.from_environment().elsewhere == ""


def test_no_answer_is_waited_for_beyond_its_time(double: ZepDouble, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody who listens and says nothing is a sentence too."""
    monkeypatch.setattr("memgauge.products.zep.api.REQUEST_S", 0.05)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.setenv("ZEP_API_URL", f"http://127.0.0.1:{silent.getsockname()[1]}")
        with pytest.raises(ConfigError, match="GET tasks of Zep did not return in time"):
            Zep()


def test_limits_on_rates_are_kept(zep: Zep, double: ZepDouble) -> None:
    """A request is sent again when the server said, under the same key of idempotency; not after its time."""
    limited = (429, {"Retry-After": "0"}, b'{"error": {"message": "slow down"}}')
    double.next.extend([limited] * 5)
    zep.ingest([turn("t0", CAT)], ALICE)
    looked_up = [heads["Idempotency-Key"] for _, path, _, heads in double.asked if path.endswith("users/lookup")]
    assert len(looked_up) == 6
    assert len(set(looked_up)) == 1
    double.next.append((429, {"Retry-After": "3600"}, b""))
    with pytest.raises(CallFailed, match="HTTP 429; it asks to wait 3600 s"):
        zep.search("cat", ALICE, 5)


def test_a_server_that_fails_is_asked_three_times(zep: Zep, double: ZepDouble) -> None:
    """Twice is stood, the third time is told; what a proxy says is no answer, and nonsense is a breach."""
    told(zep, CAT)
    failed = (502, {"Retry-After": "0"}, b"<html>bad gateway</html>")
    double.next.extend([failed] * 2)
    assert zep.search("cat", ALICE, 5).hits
    double.next.extend([failed] * 3)
    with pytest.raises(CallFailed, match=r"POST graphs/\S+ of Zep was refused with HTTP 502$"):
        zep.search("cat", ALICE, 5)
    double.next.append((500, {"Retry-After": "soon"}, b'{"error": {"code": "internal"}}'))
    assert zep.search("cat", ALICE, 5).hits
    for content, said in ((b"[]", "no JSON object"), (b"so so", "no JSON object")):
        double.next.append((200, {}, content))
        with pytest.raises(ContractBreach, match=said):
            zep.search("cat", ALICE, 5)
    double.next.append((403, {}, b"{}"))
    with pytest.raises(ConfigError, match=r"refuses the key of ZEP_API_KEY \(HTTP 403\)"):
        zep.search("cat", ALICE, 5)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ({"messages": []}, "added 0 of 1 messages"),
        ({"messages": [{"content": "x"}]}, "a message without a uuid"),
    ],
)
def test_an_answer_in_another_shape_is_a_breach(
    zep: Zep, double: ZepDouble, content: dict[str, object], said: str
) -> None:
    """Nothing is made up where a uuid or a message is absent."""
    told(zep, CAT)
    double.next.append((202, {}, json.dumps(content).encode()))
    with pytest.raises(ContractBreach, match=said):
        zep.ingest([turn("t1", CAT)], ALICE)


def test_other_refusals_and_odd_times_are_told(zep: Zep, double: ZepDouble) -> None:
    """A refusal while looking somebody up or removing something is no absence."""
    double.next.append((400, {}, b'{"error": {"message": "what?"}}'))
    with pytest.raises(CallFailed, match=r"HTTP 400: what\?"):
        zep.search("cat", BOB, 5)
    told(zep, CAT)
    double.next.append((400, {}, b"{}"))
    with pytest.raises(CallFailed, match="DELETE users/"):
        zep.erase(ALICE)
    episode = next(iter(next(iter(double.graphs.values())).episodes.values()))
    episode["created_at"] = "yesterday"
    with pytest.raises(ContractBreach, match="the time 'yesterday'"):
        zep.dump(ALICE)
    episode["created_at"] = ""


def test_a_run_carries_the_label(
    double: ZepDouble, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In a process of its own, from the board to the report; the key stands in no file."""
    monkeypatch.setenv("MEMGAUGE_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    for command in (
        ["systems", "install", "zep"],
        ["run", "-d", "synthetic:tiny", "-s", "zep:poll=0,fresh=false", "--conversations", "1"],
        ["score"],
    ):
        assert invoke(command) == 0
        assert command[0] == "run" or "never run against the cloud" in " ".join(capsys.readouterr().out.split())
    assert invoke(["results", "report", "runs", "--out", "report.html"]) == 0
    assert "never run against the cloud" in (tmp_path / "report.html").read_text("utf-8")
    assert all(KEY.encode() not in one.read_bytes() for one in tmp_path.rglob("*") if one.is_file())


def test_a_card_and_a_matrix_carry_the_label(double: ZepDouble) -> None:
    """On the terminal and as data; a matrix lists it beside what other adapters patched."""
    card = measure_card("zep", lambda: Zep(poll=0), patience_s=0.05, settle_s=0)
    shown = document(matrix_of([card]))
    (note,) = [note.text for note in shown.notes if note.about == "Interventions"]
    assert LABEL in note
    assert LABEL in json.dumps(plain(shown.data))
    tables = {table.key: table for table in document(matrix_of([card, card])).tables}
    assert any(LABEL in cell.text for row in tables["interventions"].rows for cell in row)
    assert [one.name for one in aspects(card) if one.state is ClaimState.BROKEN] == []


def test_a_wrong_key_is_a_sentence_on_the_command_line(
    double: ZepDouble, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also from a process of its own, with the exit code of a mistake."""
    monkeypatch.setenv("MEMGAUGE_HOME", str(tmp_path / "home"))
    assert invoke(["systems", "install", "zep"]) == 0
    for key, said in (("wrong", "refuses the key of ZEP_API_KEY (HTTP 401"), ("", "ZEP_API_KEY is not set")):
        monkeypatch.setenv("ZEP_API_KEY", key)
        assert invoke(["systems", "check", "zep"]) == 2
        assert said in " ".join(capsys.readouterr().err.split())
