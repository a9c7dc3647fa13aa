"""Claims: sources and times that a memory states are facts, and are checked."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from memgauge.records import Memory, Scope, Turn
from memgauge.studies.golden.claims import false_sources, false_times
from memgauge.studies.golden.ledger import LedgerWrite, ScenarioLedger

NOON = datetime(2026, 1, 5, 12)  # noqa: DTZ001 - scenarios live in naive local time
ALICE, BOB = Scope("alice"), Scope("bob")
OLD, NEW, PERMIT = "Zqkapakuvo", "Zqlomirake", "Zqfigofimu"
LATER, MIDNIGHT = NOON + timedelta(days=3), datetime(2026, 1, 11)  # noqa: DTZ001 - as above


def told() -> ScenarioLedger:
    """Return a ledger with a correction, and something that ends after a day."""
    ledger = ScenarioLedger()
    for turn, scope, text, at in (
        ("t1", ALICE, f"My bank is {OLD}.", NOON),
        ("t2", ALICE, f"My bank is {NEW} now.", LATER),
        ("t3", ALICE, f"My permit is {PERMIT} until 10 January 2026.", NOON),
        ("t4", ALICE, "Nice weather.", NOON),
        ("b1", BOB, "My dog barks.", NOON),
    ):
        ledger.hear(scope, Turn(turn, scope.user, text, "s0", at))
    base = LedgerWrite(0, 1, ALICE, "s0", "bank", OLD, "t1", NOON, NOON)
    ledger.write(base)
    ledger.write(replace(base, token=NEW, turn="t2", said_at=LATER, valid_from=LATER))
    ledger.write(replace(base, slot="permit", token=PERMIT, turn="t3", valid_to=MIDNIGHT))
    return ledger


LEDGER = told()


@pytest.mark.parametrize(
    ("sources", "wrong"),
    [
        ((), ""),
        (("t1",), ""),
        (("t4", "t1"), ""),
        (("t9",), "'t9', which nobody said"),
        (("t1", "b1"), "'b1', which somebody else said"),
        (("t4",), "'t4', which does not bear its text"),
        (("t2",), "'t2', which does not bear its text"),
    ],
)
def test_sources_exist_belong_and_bear_the_text(sources: tuple[str, ...], wrong: str) -> None:
    """One of them has to bear what is said; none may be another's or made up."""
    assert false_sources(Memory("m", f"bank: {OLD}", sources=sources), ALICE, LEDGER) == wrong


def test_what_is_said_of_something_else_elsewhere_is_no_source() -> None:
    """A whole session may be named, and what was once said of the same thing; what is beside it may not."""
    ledger = told()
    ledger.hear(ALICE, Turn("t5", "alice", "My hotel is Zqbadoku.", "s9", NOON))
    ledger.write(LedgerWrite(0, 1, ALICE, "s9", "hotel", "Zqbadoku", "t5", NOON, NOON))
    memory = Memory("m", f"bank: {NEW}", sources=("t1", "t2", "t3"))
    assert not false_sources(memory, ALICE, ledger)
    assert false_sources(replace(memory, sources=("t2", "t5")), ALICE, ledger) == "'t5', which is about hotel"


def test_a_value_put_in_by_its_id_keeps_the_source_of_what_it_replaced() -> None:
    """No turn says it, and its text may tell of still older values."""
    ledger = told()
    ledger.restate(2, next(write for write in ledger if write.token == NEW), "Zqbadoku")
    assert not false_sources(Memory("m", f"bank: Zqbadoku (before: {OLD})", sources=("t2",)), ALICE, ledger)


@pytest.mark.parametrize(
    ("value", "times", "wrong"),
    [
        (OLD, {}, ""),
        (OLD, {"valid_from": NOON, "valid_to": LATER, "event_at": NOON}, ""),
        (OLD, {"valid_from": NOON.replace(hour=0)}, ""),
        (OLD, {"valid_from": NOON.replace(tzinfo=UTC)}, ""),
        (OLD, {"stored_at": datetime(2030, 1, 1)}, ""),  # noqa: DTZ001 - as above
        (OLD, {"valid_from": NOON + timedelta(hours=8)}, "valid_from"),
        (OLD, {"valid_from": LATER}, "valid_from"),
        (OLD, {"valid_to": LATER + timedelta(days=1)}, "valid_to"),
        (OLD, {"event_at": NOON - timedelta(days=1)}, "event_at"),
        (NEW, {"valid_to": LATER + timedelta(days=9)}, "valid_to"),
        (PERMIT, {"valid_to": MIDNIGHT}, ""),
        (PERMIT, {"valid_to": MIDNIGHT - timedelta(seconds=1)}, ""),
        (PERMIT, {"valid_to": MIDNIGHT - timedelta(days=1)}, ""),
        (PERMIT, {"valid_to": MIDNIGHT - timedelta(hours=8)}, "valid_to"),
        (PERMIT, {"valid_to": MIDNIGHT + timedelta(hours=8)}, "valid_to"),
    ],
)
def test_times_are_those_that_were_said(value: str, times: dict[str, datetime], wrong: str) -> None:
    """To the second; a midnight states a day, and a day ends at either of its midnights."""
    stated = replace(Memory("m", f"it: {value}"), **times)  # type: ignore[arg-type]
    assert false_times(stated, ALICE, LEDGER).startswith(wrong)
    assert bool(false_times(stated, ALICE, LEDGER)) == bool(wrong)


def test_a_merged_text_may_state_the_time_of_any_of_its_values() -> None:
    """Nobody can say which of them it means."""
    text = f"bank: {NEW} (until 8 January it was {OLD})"
    assert not false_times(Memory("m", text, valid_from=LATER), ALICE, LEDGER)
    assert not false_times(Memory("m", text, valid_from=NOON), ALICE, LEDGER)


def test_what_was_to_run_out_may_say_so_though_it_was_replaced_before() -> None:
    """A memory states the end that it was told; the end that another value brought is as true."""
    ledger, ends = told(), LATER + timedelta(days=30)
    desk = LedgerWrite(0, 3, ALICE, "s0", "desk", "Zqdesulavo", "t7", NOON, NOON, ends, expires=ends)
    ledger.write(desk)
    ledger.write(LedgerWrite(0, 4, ALICE, "s0", "desk", "Zqrivokela", "t8", LATER, LATER))
    assert [write.valid_to for write in ledger if write.turn == "t7"] == [LATER]
    for end in (ends, LATER):
        assert not false_times(Memory("m", "desk: Zqdesulavo", valid_to=end), ALICE, ledger)
    assert false_times(Memory("m", "desk: Zqdesulavo", valid_to=ends + timedelta(days=1)), ALICE, ledger)


def test_a_turn_that_repeats_a_value_has_its_own_time() -> None:
    """What is returned may be the repetition."""
    ledger = told()
    ledger.hear(ALICE, Turn("t9", "assistant", f"Noted: {NEW}.", "s0", LATER + timedelta(hours=2)))
    assert not false_times(Memory("m", NEW, event_at=LATER + timedelta(hours=2)), ALICE, ledger)
