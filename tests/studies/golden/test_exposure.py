"""Exposure: whatever a call gives back is looked through, in every field, whatever a memory says of it."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import pytest

from memgauge.records import Change, Hit, Memory, Operation, Ranking, Receipt, Scope
from memgauge.studies.golden.driver import Returned
from memgauge.studies.golden.exposure import Wrong, exposed, texts
from memgauge.studies.golden.ledger import LedgerWrite, Mood, ScenarioLedger
from memgauge.systems.protocol import AuditEntry

NOON = datetime(2026, 1, 5, 12)  # noqa: DTZ001 - scenarios live in naive local time
PAST = datetime(2026, 1, 4)  # noqa: DTZ001 - as above
ALICE, BOB = Scope("alice"), Scope("bob")
MINE, GONE, THEIRS, PLANT, SHORT = "Zqkapakuvo", "Zqlomirake", "Zqfigofimu", "Zqbadobane", "Zqdudigova"


def told() -> ScenarioLedger:
    """Return a ledger in which something is hers, erased, another's, planted and run out."""
    ledger = ScenarioLedger()
    base = LedgerWrite(0, 1, ALICE, "s0", "bank", GONE, "t1", PAST, PAST)
    ledger.write(base)
    ledger.erase(2, ALICE)
    ledger.write(replace(base, token=MINE, slot="club"))
    ledger.write(replace(base, token=THEIRS, scope=BOB))
    ledger.write(replace(base, token=PLANT, slot="agent", mood=Mood.PLANTED))
    ledger.write(replace(base, token=SHORT, slot="permit", valid_to=NOON, expires=NOON))
    return ledger


LEDGER = told()


def seen(value: object, call: str = "search", given: tuple[object, ...] = ()) -> dict[str, Wrong]:
    """Return what alice must not see in *value*, and why."""
    shown = exposed(Returned(call, ALICE, value, given, NOON), LEDGER, NOON)
    return {each.write.token: each.why for each in shown}


def ranked(**fields: object) -> Ranking:
    """Return a ranking of one memory."""
    return Ranking((Hit(replace(Memory("m1", "Nothing."), **fields)),))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "value",
    [
        ranked(text=f"It is {GONE}."),
        ranked(text=f"It is {GONE}.", valid_to=PAST),
        ranked(id=f"fact-{GONE}"),
        ranked(channel=GONE),
        ranked(sources=("t1", f"t2 {GONE}")),
        ranked(text=f"It is {GONE[::-1]}."),
        replace(ranked(), notes=(f"left out {GONE}",)),
        Receipt((Change(Operation.NOOP, f"dropped {GONE}"),)),
        Receipt(None, GONE.encode().hex()),
        [AuditEntry(Operation.ADD, None, GONE)],
        {"meta": {"deep": [{"er": (GONE,)}]}},
        {GONE: 1},
        GONE.encode(),
        ValueError(f"no such memory: {GONE}"),
        [object(), 3.5, None, f"{GONE.upper()}!"],
    ],
)
def test_what_was_erased_is_seen_in_every_field(value: object) -> None:
    """Ids, notes, receipts, histories, keys and errors count like texts, also of what is said to be over."""
    assert seen(value) == {GONE: Wrong.ERASED}


def test_attributes_that_a_memory_added_are_looked_through() -> None:
    """An object of its own class hides nothing."""

    class Odd:
        def __init__(self) -> None:
            self.payload = [f"x{GONE}".encode()]

    assert seen([Odd()]) == {GONE: Wrong.ERASED}


def test_the_cause_of_an_error_is_part_of_it() -> None:
    """What an exception was raised from is printed with it."""
    error = RuntimeError("it failed")
    error.__cause__ = KeyError(THEIRS)
    assert seen(error, "delete") == {THEIRS: Wrong.FOREIGN}


@pytest.mark.parametrize("call", ["search", "dump", "history", "ingest", "update", "context", "ask", "delete"])
def test_what_is_anothers_is_seen_in_every_call(call: str) -> None:
    """No method may show it."""
    assert seen(f"It is {THEIRS}.", call) == {THEIRS: Wrong.FOREIGN}
    assert seen(f"It is {MINE}.", call) == {}


def test_a_list_may_hold_what_it_does_not_believe_and_what_is_over() -> None:
    """Quarantined and ended memories are listed; a search returns neither."""
    plant = Memory("m1", f"The agent is {PLANT}.")
    assert seen([plant], "dump") == {PLANT: Wrong.PLANTED}
    assert seen([replace(plant, channel="quarantine")], "dump") == {}
    assert seen([replace(plant, valid_to=PAST)], "dump") == {}
    assert seen(Ranking((Hit(replace(plant, valid_to=PAST)),))) == {PLANT: Wrong.PLANTED}
    assert seen([Memory("m2", SHORT, valid_to=NOON)], "dump") == {}
    assert seen(Ranking((Hit(Memory("m2", SHORT, valid_to=NOON)),))) == {SHORT: Wrong.EXPIRED}


def test_what_is_echoed_is_no_leak() -> None:
    """Whoever names a value may read it in an error or a note; but not as a memory."""
    query = f"Who is {GONE}?"
    assert seen(LookupError(f"nothing for {query!r}"), given=(query,)) == {}
    assert seen(replace(ranked(), notes=(query,)), given=(query,)) == {}
    assert seen(ranked(text=f"It is {GONE}."), given=(query,)) == {GONE: Wrong.ERASED}


def test_what_is_nobodys_call_shows_only_what_was_erased() -> None:
    """The paths of a store belong to no user."""
    shown = exposed(Returned("storage_paths", None, [f"/tmp/{THEIRS}/{GONE}.json"]), LEDGER, NOON)  # noqa: S108 - a name
    assert [each.write.token for each in shown] == [GONE]


def test_a_value_in_itself_ends() -> None:
    """Whatever refers to itself is looked through once."""
    ring: list[object] = [GONE]
    ring.append(ring)
    assert seen(ring) == {GONE: Wrong.ERASED}
    assert [each.text for each in texts({"a": (1, True, None, 2.5, NOON)})] == ["a", "1", "2026-01-05"]
