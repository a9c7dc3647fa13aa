"""Calls that are handed over together are what they are one by one."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memgauge.records import Change, Form, Hit, Memory, Operation, Ranking, Receipt, ScoreKind, Turn
from memgauge.runs.play import session
from memgauge.runs.play.engine import run_case
from memgauge.runs.play.probing import Probing
from memgauge.runs.record.manifest import Limits
from memgauge.streams import Ask, SessionEnd, Write, clean
from memgauge.systems.protocol import Capabilities
from support.handmade import five_questions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.records import Scope
    from memgauge.streams import Stream

(CASE,) = five_questions().cases()
QUESTIONS = [event for event in clean(CASE) if isinstance(event, Ask)]
STREAM: Stream = (
    *(Write((Turn(f"t{n}", "Ada", f"Word {n}.", f"s{n // 3}"),)) for n in range(6)),
    SessionEnd("s1"),
    *QUESTIONS,
    Write((Turn("t6", "Ada", "Last.", "s2"),)),
    *QUESTIONS[:2],
)
CLOCKS = {"ms", "wall_ms", "cpu_ms"}


class Faulty:
    """Declares sources, and does what is planned for each of its calls by number."""

    name = "faulty"
    version = "1"

    def __init__(self, plan: Sequence[str]) -> None:
        self.plan = dict(enumerate(plan))
        self.calls: list[str] = []
        self.stored: dict[str, Memory] = {}
        self.wake = threading.Event()

    def _next(self, call: str) -> str:
        planned = self.plan.get(len(self.calls), "")
        self.calls.append(call)
        if planned == "raises":
            raise ValueError(call)
        if planned == "hangs":
            self.wake.wait(30)
        return planned

    def capabilities(self) -> Capabilities:
        """Declare sources, so that writes need no dump between them."""
        return Capabilities(declares_sources=True, score_kind=ScoreKind.SIMILARITY)

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Keep turns."""
        planned = self._next(f"ingest {turns[0].id}")
        for turn in turns:
            self.stored[turn.id] = Memory(turn.id, turn.text, Form.RAW, (turn.id,))
        return Receipt(None if planned == "breaks" else tuple(Change(Operation.ADD, turn.id) for turn in turns))

    def flush(self, scope: Scope, timeout_s: float) -> None:
        """Do what is planned."""
        self._next("flush")

    def search(self, query: str, scope: Scope, k: int, as_of: object = None) -> Any:
        """Return everything, or no ranking."""
        if self._next(f"search {query}") == "breaks":
            return "nothing"
        return Ranking(tuple(Hit(memory, 1.0) for memory in self.stored.values()), ScoreKind.SIMILARITY)

    def dump(self, scope: Scope) -> tuple[Memory, ...]:
        """List everything."""
        return tuple(self.stored.values())

    def reset(self) -> None:
        """Forget everything."""
        self.stored.clear()


def played(plan: Sequence[str], together: int, monkeypatch: pytest.MonkeyPatch) -> tuple[list[str], list[Any]]:
    """Play the stream, *together* calls at a time, and return the calls and the rows without clocks."""
    monkeypatch.setattr(session, "_WRITES", together)
    monkeypatch.setattr(session, "_SEARCHES", together)
    system = Faulty(plan)
    limits = Limits(timeout_s=1 if "hangs" in plan else 60, retries=1)
    rows = run_case("c1", STREAM, lambda: system, limits, probing=Probing("0", 2))
    system.wake.set()
    return system.calls, [{**row, **dict.fromkeys(row.keys() & CLOCKS)} for row in rows]


@pytest.mark.parametrize("before", [4, 8])
def test_a_call_that_hangs_ends_its_batch(before: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Be it a write or a search: nothing behind it is called, and the record says so."""
    plan = [*([""] * before), "hangs"]
    calls, rows = played(plan, 64, monkeypatch)
    assert (calls, rows) == played(plan, 1, monkeypatch)
    assert len(calls) == before + 1
    assert [row["outcome"] for row in rows if row["t"] in {"write", "question"}].count("timeout") == 1


def test_ends_of_sessions_are_recorded_as_they_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that raised is an error; the others went well, with the time that they took."""
    for plan, outcomes in (((), ["ok", "ok"]), ((*([""] * 6), "raises"), ["error", "ok"])):
        _, rows = played(plan, 64, monkeypatch)
        assert [row["outcome"] for row in rows if row["t"] == "flush"] == outcomes


def test_what_was_searched_since_the_last_write_is_searched_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Behind the record, in its order and in another one; what was asked before the write is not."""
    calls, rows = played((), 64, monkeypatch)
    last = calls.index("ingest t6")
    searches = [call for call in calls[last:] if call.startswith("search")]
    asked = [f"search {event.question.text}" for event in QUESTIONS[:2]]
    assert searches[:2] == asked
    assert searches[2:]
    assert set(searches[2:]) == set(asked)
    probes = [row for row in rows if row["t"] == "probe"]
    assert [(row["asked"], row["differ"]) for row in probes] == [(2, 0), (2, 0)]


def test_a_system_that_opens_too_late_is_closed_when_it_does() -> None:
    """Nobody waits for it, and nothing of it stays behind."""
    opening, closed = threading.Event(), threading.Event()

    class Late(Faulty):
        def close(self) -> None:
            closed.set()

    def opened() -> Late:
        opening.wait(30)
        return Late(())

    rows = run_case("c1", STREAM, opened, Limits(timeout_s=1))
    assert {row["outcome"] for row in rows if row["t"] == "question"} == {"error"}
    opening.set()
    assert closed.wait(30)


@settings(max_examples=12, deadline=None)
@given(st.lists(st.sampled_from(["", "", "", "", "", "raises", "breaks"]), max_size=16))
def test_batches_change_neither_calls_nor_rows(plan: list[str]) -> None:
    """Whatever raises or returns nonsense: the same calls in the same order, and the same record."""
    with pytest.MonkeyPatch.context() as patch:
        assert played(plan, 64, patch) == played(plan, 1, patch)
