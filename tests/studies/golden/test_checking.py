"""Checking: what came back, named by what the ledger knows of it."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from memgauge.records import Scope
from memgauge.studies.golden.anomalies import Anomaly
from memgauge.studies.golden.checking import Events, Read, check_read, foreign
from memgauge.studies.golden.driver import ReturnedText
from memgauge.studies.golden.ledger import LedgerWrite, Mood, ScenarioLedger

NOON = datetime(2026, 1, 5, 12)  # noqa: DTZ001 - scenarios live in naive local time
ALICE = Scope("alice")
OLD, NEW, OTHER = "Zqbadoba", "Zqfigofi", "Zqkumeku"


def said(value: str, step: int, *, at: int = 0, ends: int | None = None, slot: str = "city") -> LedgerWrite:
    """Write down what was said on a day."""
    start = NOON + timedelta(days=at)
    end = None if ends is None else NOON + timedelta(days=ends)
    return LedgerWrite(0, step, ALICE, "s0", slot, value, f"t{step}", start, start, end)


def told(*writes: LedgerWrite) -> ScenarioLedger:
    """Hand writes to a ledger."""
    ledger = ScenarioLedger()
    for write in writes:
        ledger.write(write)
    return ledger


def read(at: int = 10, *, layer: str = "recall", session: str = "s0", past: bool = False) -> Read:
    """Ask alice's city in step 9."""
    return Read(9, layer, ALICE, session, "city", NOON + timedelta(days=at), past)


def named(
    ledger: ScenarioLedger, *texts: str | ReturnedText, of: Read | None = None, events: Events | None = None
) -> list[Anomaly]:
    """Return the anomalies that these texts are."""
    seen = [text if isinstance(text, ReturnedText) else ReturnedText(text) for text in texts]
    return [finding.anomaly for finding in check_read(of or read(), seen, ledger, events or Events()).findings]


CORRECTED = (said(OLD, 1), said(NEW, 2, at=5))
ANNOUNCED = (said(OLD, 1), replace(said(NEW, 2), valid_from=NOON + timedelta(days=20)))


@pytest.mark.parametrize(
    ("writes", "texts", "anomalies"),
    [
        (CORRECTED, [f"It is {NEW}."], []),
        (CORRECTED, [f"It is {OLD}."], [Anomaly.OMISSION, Anomaly.STALE_READ]),
        (CORRECTED, [f"It is {OLD}, it is {NEW}."], [Anomaly.MIXED_VERSIONS]),
        (CORRECTED, [f"It was {OLD}, it is {NEW}."], []),
        (ANNOUNCED, [f"It is {OLD}."], []),
        (ANNOUNCED, [f"It is {OLD}.", f"From 25 January 2026 on it is {NEW}."], []),
        (ANNOUNCED, [f"It is {OLD}.", f"It is {NEW}."], [Anomaly.FUTURE_READ]),
        (ANNOUNCED, [f"From 25 January 2026 on it is {NEW}."], [Anomaly.OMISSION]),
        (CORRECTED, [f"{NEW} (until Monday it was {OLD})"], []),
        (CORRECTED, [ReturnedText(f"It was {OLD}.", marked=True), f"It is {NEW}."], []),
        (CORRECTED, [], [Anomaly.OMISSION]),
        ([said(OLD, 1, ends=3)], [f"It is {OLD}."], [Anomaly.EXPIRED_READ]),
        ([said(OLD, 1, at=20)], [f"It is {OLD}."], [Anomaly.FUTURE_READ]),
        ([said(NEW, 1, at=5), said(OLD, 2)], [f"{OLD}, {NEW}"], [Anomaly.TIME_AXIS_CONFUSION]),
        (
            [said(NEW, 1), replace(said(OLD, 2, ends=-9), valid_from=None, backfilled=True)],
            [f"{OLD}, {NEW}"],
            [Anomaly.TIME_AXIS_CONFUSION],
        ),
        ([replace(said(OLD, 1), mood=Mood.SUPPOSED)], [OLD], [Anomaly.FALSE_APPLY]),
        ([replace(said(OLD, 1), mood=Mood.PLANTED)], [OLD], [Anomaly.POISON_ACTIVE]),
        ([said(OTHER, 1, slot="job"), said(NEW, 2)], [f"{OTHER}, {NEW}"], []),
        ([said(NEW, 1)], [f"{NEW} and zqzozozozo"], [Anomaly.GARBAGE_READ]),
        ([replace(said(OLD, 1), scope=Scope("bob"))], [OLD], [Anomaly.CROSS_USER_LEAK]),
        ([replace(said(OLD, 1), scope=Scope("alice", "acme"))], [OLD], [Anomaly.CROSS_TENANT_LEAK]),
        ([replace(said(OLD, 1), scope=Scope("alice", agent="doctor"))], [OLD], [Anomaly.CROSS_AGENT_LEAK]),
        ([replace(said(OLD, 1), scope=Scope("alice", session="aside"))], [OLD], [Anomaly.CROSS_SESSION_LEAK]),
        ([replace(said(OLD, 1), scope=Scope("alice", agent="a", session="b"))], [OLD], [Anomaly.CROSS_AGENT_LEAK]),
    ],
)
def test_what_comes_back_is_named(
    writes: list[LedgerWrite], texts: list[str | ReturnedText], anomalies: list[Anomaly]
) -> None:
    """A value that does not belong there is named by who said it, when, and what became of it."""
    assert named(told(*writes), *texts) == anomalies


@pytest.mark.parametrize(
    ("events", "anomaly"),
    [
        (Events(), Anomaly.ERASED_READ),
        (Events(revivals=(3,)), Anomaly.ERASED_READ),
        (Events(revivals=(6,)), Anomaly.RESURRECTION),
    ],
)
def test_what_was_erased_is_read_or_has_come_back(events: Events, anomaly: Anomaly) -> None:
    """What is read after something could have revived it is a resurrection."""
    ledger = told(said(OLD, 1))
    ledger.erase(4, ALICE)
    assert named(ledger, OLD, events=events) == [anomaly]


@pytest.mark.parametrize(
    ("of", "events", "anomaly"),
    [
        (read(), Events(), Anomaly.OMISSION),
        (read(session="s1"), Events(), Anomaly.LOST_ACROSS_SESSION),
        (read(past=True), Events(), Anomaly.LOST_HISTORY),
        (read(), Events(restarts=(5,), seen=frozenset({NEW})), Anomaly.NOT_DURABLE),
        (read(), Events(restarts=(5,)), Anomaly.OMISSION),
        (read(), Events(erasures=(5,), seen=frozenset({NEW})), Anomaly.COLLATERAL_ERASURE),
    ],
)
def test_what_does_not_come_back_is_named_by_what_happened(of: Read, events: Events, anomaly: Anomaly) -> None:
    """A value that is missing was lost on the way that it can have been lost; what never came back was not."""
    assert named(told(said(NEW, 2)), "nothing", of=of, events=events) == [anomaly]


def test_a_member_of_a_list_that_gave_way_to_another_was_superseded_wrongly() -> None:
    """Values that may hold beside each other must not replace each other."""
    first, second = (replace(said(value, n), functional=False) for n, value in enumerate((OLD, NEW), 1))
    assert named(told(first, second), NEW) == [Anomaly.FALSE_SUPERSESSION]
    assert named(told(first, second), OLD) == [Anomaly.OMISSION]


@pytest.mark.parametrize(
    ("layer", "text", "anomalies"),
    [
        ("answer", f"It is {OTHER}.", [Anomaly.CONFABULATION]),
        ("answer", f"I do not know; your job is {OTHER}.", []),
        ("answer", f"You haven't told me. Your job is {OTHER}.", []),
        ("answer", "Nobody knows.", []),
        ("recall", f"Your job is {OTHER}.", []),
        ("context", f"Your job is {OTHER}.", []),
    ],
)
def test_an_answer_about_nothing_is_made_up(layer: str, text: str, anomalies: list[Anomaly]) -> None:
    """Where nothing holds, an answer declines; only a search may return what it has."""
    assert named(told(said(OTHER, 1, slot="job")), text, of=read(layer=layer)) == anomalies


def test_a_value_that_came_back_can_be_made_up_too() -> None:
    """What was said first, replaced, and said again counts as it was said last."""
    ledger = told(*(said(value, n, at=n, slot="job") for n, value in enumerate((OLD, NEW, OLD), 1)))
    assert named(ledger, OLD, of=read(layer="answer")) == [Anomaly.CONFABULATION]


def test_a_finding_has_its_witness() -> None:
    """The witness names the writes, the read, and the promise that is broken."""
    (finding,) = check_read(read(), [ReturnedText(f"{OLD} {NEW}")], told(*CORRECTED), Events()).findings
    assert finding.witness == (
        f"W1 (step 1) said city = {OLD} as alice; W2 (step 2) replaced it by {NEW}; R9 (recall) returned it. "
        "A memory that is current cannot return W1 here."
    )
    (lost,) = check_read(read(), [], told(said(NEW, 1)), Events()).findings
    assert lost.witness.endswith(
        "R9 (recall) did not return it. A memory that is session-consistent cannot lose W1."
    )


def test_checks_are_counted() -> None:
    """How many values had to come back, how many did, and how many had to stay away."""
    checked = check_read(read(), [ReturnedText(NEW)], told(*CORRECTED, said(OTHER, 3, slot="job")), Events())
    assert (checked.positive, checked.returned, checked.negative) == (1, 1, 2)
    assert checked.surfaced == {NEW}


def test_what_belongs_to_others_is_foreign() -> None:
    """A probe finds what others wrote, and nothing of its own, even where both wrote the same."""
    bob = replace(said(OLD, 1), scope=Scope("bob"))
    ledger = told(bob, said(NEW, 2), replace(said(OTHER, 3), scope=Scope("bob", "acme")))
    findings, negative = foreign(9, "recall", ALICE, [ReturnedText(f"{OLD} {NEW} {OTHER}")], ledger)
    assert [finding.anomaly for finding in findings] == [Anomaly.CROSS_USER_LEAK, Anomaly.CROSS_TENANT_LEAK]
    assert negative == 2
    assert foreign(9, "recall", Scope("bob"), [ReturnedText(OLD)], ledger)[0] == ()
    (leak,) = foreign(9, "recall", Scope("", "acme", "helper"), [ReturnedText(NEW)], ledger)[0]
    assert "(nobody) of acme with helper was shown it" in leak.witness


def test_a_leak_out_of_a_session_says_in_which_direction() -> None:
    """The witness names the session that kept it to itself, and where it was shown."""
    aside, apart = Scope("alice", session="aside"), Scope("alice", session="apart")
    ledger = told(replace(said(OLD, 1), scope=aside), said(NEW, 2))
    for reader, value, words in (
        (ALICE, OLD, "as alice in session aside; alice was shown it outside of that session"),
        (apart, OLD, "as alice in session aside; alice in session apart was shown it;"),
        (apart, NEW, "as alice; alice in session apart was shown it;"),
    ):
        (leak,) = foreign(9, "recall", reader, [ReturnedText(value)], ledger)[0]
        assert leak.anomaly is Anomaly.CROSS_SESSION_LEAK
        assert words in leak.witness
        assert "A memory that is isolated cannot return" in leak.witness


TOLD = replace(said(NEW, 1, slot="locker code"), text=f"My locker code is {NEW}.")
SIZE = replace(said(OTHER, 2, slot="shoe size"), text=f"My shoe size is {OTHER}.")
WRONG_TEXTS: dict[str, list[Anomaly]] = {
    f"locker code: {NEW}": [],
    f"My locker code is {NEW}.": [],
    f"Shoe size: {NEW}": [Anomaly.MISATTRIBUTED],
    NEW: [Anomaly.MISATTRIBUTED],
    f"Favourite colour: {NEW}": [Anomaly.MISATTRIBUTED],
    f"NOT My locker code is {NEW}.": [Anomaly.NEGATED],
    f"The locker code is certainly not {NEW}.": [Anomaly.NEGATED],
    f"The locker code is no longer {NEW}.": [Anomaly.OMISSION],
    f"Perhaps the locker code is {NEW}.": [Anomaly.OMISSION],
}


@pytest.mark.parametrize("text", WRONG_TEXTS)
def test_a_value_counts_where_it_is_affirmed_of_its_thing(text: str) -> None:
    """It may be there, and denied, over, only supposed, or told of something else."""
    of = replace(read(), slot="locker code", question="What is my locker code?")
    assert named(told(TOLD, SIZE), text, of=of) == WRONG_TEXTS[text]


def test_an_answer_need_not_repeat_its_question() -> None:
    """The bare value answers; told of something else it does not."""
    of = replace(read(layer="answer"), slot="locker code", question="What is my locker code?")
    for text in (NEW, f"It is {NEW}.", f"{NEW}, as you told me.", f"Your locker code is {NEW}."):
        assert named(told(TOLD, SIZE), text, of=of) == []
    assert named(told(TOLD, SIZE), f"Your shoe size is {NEW}.", of=of) == [Anomaly.MISATTRIBUTED]


def test_words_that_deny_in_the_turn_itself_affirm() -> None:
    """A memory may repeat what was said as it was said."""
    turn = replace(said(NEW, 1, slot="disliked food"), text=f"I never eat {NEW}, I dislike that food.")
    of = replace(read(), slot="disliked food", question="Which food do I dislike?")
    for text in (turn.text, f"alice never eats {NEW} (disliked food)", f"disliked food: {NEW}"):
        assert named(told(turn), text, of=of) == []


@pytest.mark.parametrize(
    "text", ["Blue.", "Probably 42.", "It is Miller, I am not sure.", "I don't know. It is blue."]
)
def test_an_answer_about_nothing_makes_up_no_value_of_any_kind(text: str) -> None:
    """Words, numbers and names count like tokens, hedged or not; what was said may be told."""
    of = replace(read(layer="answer"), question="What is my city?")
    ledger = told(replace(said(OTHER, 1, slot="job"), text=f"My job is {OTHER}."))
    assert named(ledger, text, of=of) == [Anomaly.CONFABULATION]
    assert named(ledger, "I do not know your city. Your job is " + OTHER, of=of) == []


def test_a_value_that_is_marked_as_over_is_no_garbage() -> None:
    """It was written, whatever a memory says of its validity."""
    old, new = "Zqbadobane", "Zqfigofimu"
    ledger = told(said(old, 1), said(new, 2, at=5))
    assert named(ledger, ReturnedText(f"It was {old}.", marked=True), f"It is {new}.") == []
