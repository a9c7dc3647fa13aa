"""One conversation through systems that behave and through systems that do not."""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np
import pytest

from memgauge.records import Case, Change, Form, Hit, Memory, Operation, Outcome, Ranking, Receipt, ScoreKind
from memgauge.runs.play import engine
from memgauge.runs.play.call import Caller
from memgauge.runs.play.disclosure import Disclosed
from memgauge.runs.play.engine import refuse_case, run_case
from memgauge.runs.record.manifest import Limits
from memgauge.runs.record.rows import failures
from memgauge.runs.record.spelling import encode
from memgauge.streams import Ask, Clock, Reset, SessionEnd, Write, clean
from memgauge.systems.protocol import Capabilities, Role, Unit
from support.handmade import conversation, five_questions, question, two_questions
from support.systems import Backwards, Digest, Failing, Flaky, Minutes, Notebook, Nothing, Silent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from memgauge.records import Scope, Turn
    from memgauge.runs.record.rows import Row
    from memgauge.systems.protocol import MemorySystem

(CASE,) = two_questions().cases()
QUICK = Limits(timeout_s=0.2, retries=0)


def ran(
    system: Callable[[], Any],
    case: Case = CASE,
    limits: Limits | None = None,
    relevant: Mapping[str, Sequence[str]] | None = None,
) -> list[Row]:
    """Run *case* and make sure of what holds for every system: nothing is lost and every row can be written."""
    opened = cast("Callable[[], MemorySystem]", system)
    rows = run_case(
        case.conversation.id, clean(case), opened, limits or Limits(), evidence=Disclosed(relevant or {})
    )
    assert [row["question"] for row in table(rows, "question")] == [
        event.question.id for event in clean(case) if isinstance(event, Ask)
    ]
    assert {row["outcome"] for row in table(rows, "question")} <= set(Outcome)
    assert [turn for row in table(rows, "write") for turn in row["turns"]] == [
        turn.id for turn in case.conversation.turns()
    ]
    assert (rows[0]["t"], rows[-1]["t"], rows[-1]["failed"]) == ("case", "end", failures(rows))
    assert [row["row"] for row in table(rows, "memory")] == list(range(len(table(rows, "memory"))))
    assert encode(rows).count(b"\n") == len(rows)
    return rows


def table(rows: list[Row], name: str) -> list[Row]:
    """Pick the rows of one table."""
    return [row for row in rows if row["t"] == name]


def answers(rows: list[Row]) -> list[Row]:
    """Pick the questions."""
    return table(rows, "question")


def returned(rows: list[Row], number: int = 0) -> list[Row]:
    """Look up the memories that the numbered question was given."""
    memories = table(rows, "memory")
    return [memories[row] for row in answers(rows)[number]["memories"]]


def test_a_good_system_is_recorded_whole() -> None:
    """Writes, flushes, questions in order and memories with lineage are all there, times included."""
    rows = ran(Notebook)
    assert Counter(row["t"] for row in rows) == {
        "case": 1, "write": 9, "flush": 3, "question": 2, "memory": 9, "spent": 3, "end": 1,
    }  # fmt: skip
    first = answers(rows)[0]
    assert (first["outcome"], first["tries"], first["position"], first["asked_at"]) == (
        "ok", 1, 0, "2024-04-01T00:00:00",
    )  # fmt: skip
    assert first["ms"] >= 0
    assert [m["sources"] for m in returned(rows)] == [[f"t{n}"] for n in range(1, 10)]
    assert {(m["form"], m["lineage"]) for m in returned(rows)} == {("raw", "exact")}
    assert first["scores"] == [1.0 / n for n in range(1, 10)]
    assert rows[-1]["failed"] == 0


def test_order_is_never_touched() -> None:
    """The rank of a hit is its place in what was returned, whatever its score."""
    assert [m["memory"] for m in returned(ran(Backwards))] == [f"m-t{n}" for n in range(9, 0, -1)]


def test_questions_wait_for_their_session() -> None:
    """A question after the first session sees three memories only, one at the end sees nine."""
    (case,) = five_questions().cases()
    seen = {row["question"]: len(row["memories"]) for row in answers(ran(Notebook, case))}
    assert seen == {"c1-q2": 3, "c1-q1": 9, "c1-q3": 9, "c1-q4": 9, "c1-q5": 9}


def test_an_empty_answer_is_an_outcome_of_its_own() -> None:
    """Returning nothing is neither an error nor a hit."""
    assert [row["outcome"] for row in answers(ran(Nothing))] == ["empty", "empty"]


def test_coverage_and_tokens_are_counted_over_whole_memories() -> None:
    """Everything returned is all that was said; tokens round up for each memory."""
    rows = ran(Notebook)
    texts = [turn.text for turn in CASE.conversation.turns()]
    assert answers(rows)[0]["coverage"] == 1.0
    assert answers(rows)[0]["tokens"] == sum(-(-len(text) // 4) for text in texts)
    part = answers(ran(Notebook, limits=Limits(k=2)))[0]
    assert part["coverage"] == (len(texts[0]) + len(texts[1])) / sum(map(len, texts))


def test_without_anything_said_there_is_no_coverage() -> None:
    """A conversation of no words has no share to cover."""
    mute = Case(replace(conversation(), sessions=()), CASE.questions)
    assert [row["coverage"] for row in answers(ran(Notebook, mute))] == [None, None]


def test_a_search_that_always_raises_is_an_error_with_its_reason() -> None:
    """Every question is tried as often as allowed and keeps the message and the line."""
    rows = answers(ran(Failing, limits=Limits(retries=3)))
    assert [(row["outcome"], row["tries"], row["memories"]) for row in rows] == [("error", 4, [])] * 2
    assert rows[0]["reason"].startswith("search raised LookupError: the index is gone: What about 1? (systems.py")
    assert (rows[0]["coverage"], rows[0]["tokens"], rows[0]["ms"]) == (None, None, None)


def test_a_search_that_raises_once_is_tried_again() -> None:
    """The second try counts, and the record says that there were two."""

    class Shaky(Notebook):
        calls = 0

        def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
            self.calls += 1
            if self.calls % 2:
                raise OSError
            return super().search(query, scope, k, as_of)

    assert [(row["outcome"], row["tries"]) for row in answers(ran(Shaky))] == [("ok", 2), ("ok", 2)]


def test_the_time_of_a_search_is_that_of_all_its_tries() -> None:
    """A search that raises twice after 20 ms and then returns took three times 20 ms."""
    rows = answers(ran(Flaky))
    assert [(row["outcome"], row["tries"]) for row in rows] == [("ok", 3), ("ok", 3)]
    assert all(row["ms"] >= 60 for row in rows)


def test_a_search_that_hangs_ends_in_a_timeout_and_nothing_waits_for_it() -> None:
    """The question times out; where the call is still out as long again, the next is not asked."""
    wake = threading.Event()

    class Hanging(Notebook):
        def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
            wake.wait(30)
            return Ranking(())

    rows = ran(Hanging, limits=QUICK)
    wake.set()
    assert [(row["outcome"], row["reason"], row["tries"]) for row in answers(rows)] == [
        ("timeout", "search did not return within 0.2 s", 1),
        ("error", "not asked: search did not return within 0.2 s", 0),
    ]
    assert table(rows, "memory") == []


def test_a_write_that_raises_costs_its_turns_only() -> None:
    """The write is recorded as failed; everything else goes on."""

    class Picky(Notebook):
        def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
            if turns[0].id == "t2":
                raise ValueError
            return super().ingest(turns, scope)

    rows = ran(Picky)
    assert Counter(row["outcome"] for row in table(rows, "write")) == {"ok": 8, "error": 1}
    assert table(rows, "write")[1]["reason"].startswith("ingest raised ValueError (")
    assert [row["outcome"] for row in answers(rows)] == ["ok", "ok"]


def test_a_write_that_hangs_fails_what_follows_with_the_reason() -> None:
    """Later writes and all questions say that the instance was lost."""
    wake = threading.Event()

    class Stuck(Notebook):
        def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
            if turns[0].id == "t2":
                wake.wait(30)
            return super().ingest(turns, scope)

    rows = ran(Stuck, limits=QUICK)
    wake.set()
    assert [row["outcome"] for row in table(rows, "write")] == ["ok", "timeout", *["error"] * 7]
    assert table(rows, "write")[2]["reason"] == "not written: ingest did not return within 0.2 s"
    assert {row["reason"] for row in answers(rows)} == {"not asked: ingest did not return within 0.2 s"}
    assert table(rows, "flush") == []


@pytest.mark.parametrize("late", ["ingest", "search"])
def test_a_call_that_is_late_costs_itself_and_nothing_else(late: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is a timeout, and the instance is used again as soon as it has returned."""
    wake = threading.Event()

    class Waking(Caller):
        def came_back(self, within_s: float) -> bool:
            wake.set()
            return super().came_back(30)

    class Late(Notebook):
        def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
            if late == "ingest" and turns[0].id == "t2":
                wake.wait(30)
            return super().ingest(turns, scope)

        def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
            if late == "search":
                wake.wait(30)
            return super().search(query, scope, k, as_of)

    monkeypatch.setattr(engine, "Caller", Waking)
    rows = ran(Late, limits=QUICK)
    writes, asked = ([row["outcome"] for row in table(rows, name)] for name in ("write", "question"))
    assert writes == (["ok", "timeout", *["ok"] * 7] if late == "ingest" else ["ok"] * 9)
    assert asked == (["ok", "ok"] if late == "ingest" else ["timeout", "ok"])


@pytest.mark.parametrize(("hang", "outcome"), [(False, "error"), (True, "timeout")])
def test_a_flush_that_fails_is_recorded(hang: bool, outcome: str) -> None:
    """A flush that raises leaves the system in use; one that hangs does not."""
    wake = threading.Event()

    class Leaking(Notebook):
        def flush(self, scope: Scope, timeout_s: float) -> None:
            if hang:
                wake.wait(30)
            raise RuntimeError("cannot flush")

    rows = ran(Leaking, limits=QUICK)
    wake.set()
    assert table(rows, "flush")[0]["outcome"] == outcome
    assert [row["outcome"] for row in answers(rows)] == (["error"] * 2 if hang else ["ok"] * 2)


@pytest.mark.parametrize(("hang", "outcome"), [(False, "error"), (True, "timeout")])
@pytest.mark.parametrize("base", [Notebook, Silent])
def test_a_dump_that_fails_is_recorded_and_costs_no_answer(base: type[Notebook], hang: bool, outcome: str) -> None:
    """What a search returned is still known; only a dump that hangs takes the instance with it."""
    wake = threading.Event()

    class Closed(base):  # type: ignore[valid-type, misc]
        def dump(self, scope: Scope) -> Iterable[Memory]:
            if hang:
                wake.wait(30)
            raise PermissionError("no listing")

    rows = ran(Closed, limits=QUICK)
    wake.set()
    if base is Silent and hang:
        assert {row["reason"] for row in answers(rows)} == {"not asked: dump did not return within 0.2 s"}
        return
    assert [row["outcome"] for row in answers(rows)] == ["ok", "ok"]
    last = table(rows, "flush")[-1]
    assert (last["session"], last["outcome"]) == ("", outcome)


def _raise(*_: object) -> Any:
    raise RuntimeError("no key")


@pytest.mark.parametrize("method", ["opening the system", "capabilities", "reset"])
def test_a_system_that_fails_at_the_start_fails_every_question(method: str) -> None:
    """Nothing is written and nothing asked, and every row says why."""

    class Broken(Notebook):
        pass

    if method != "opening the system":
        setattr(Broken, method, _raise)
    rows = ran(_raise if method == "opening the system" else Broken)
    assert [row["outcome"] for row in answers(rows)] == ["error", "error"]
    assert answers(rows)[0]["reason"].startswith(
        f"not asked: {method} raised RuntimeError: no key (test_engine.py:"
    )
    assert {row["outcome"] for row in table(rows, "write")} == {"error"}


@pytest.mark.parametrize(
    ("promise", "reason"),
    [
        ("everything", "capabilities returned a str, not Capabilities"),
        (Capabilities(unit=cast("Unit", "word")), "there are turn, pair, session"),
    ],
)
def test_capabilities_that_are_none_fail_every_question(promise: Any, reason: str) -> None:
    """What the harness relies on is checked before the first write."""

    class Boasting(Notebook):
        promises = promise

    rows = ran(Boasting)
    assert {row["outcome"] for row in answers(rows)} == {"error"}
    assert reason in answers(rows)[0]["reason"]


def test_the_unit_that_a_system_asks_for_is_handed_over() -> None:
    """A system of sessions gets three writes, and its joined text is still the turns word for word."""
    rows = ran(Minutes)
    assert [row["turns"] for row in table(rows, "write")] == [
        ["t1", "t2", "t3"], ["t4", "t5", "t6"], ["t7", "t8", "t9"],
    ]  # fmt: skip
    assert {m["form"] for m in returned(rows)} == {"raw"}
    assert returned(rows)[1]["sources"] == ["t4", "t5", "t6"]


def test_a_rewritten_memory_gets_a_version_and_keeps_its_origin() -> None:
    """Each text that was seen is a row; the last one descends from every turn."""
    (case,) = five_questions().cases()
    rows = ran(Digest, case)
    assert [(m["version"], len(m["sources"]), m["lineage"]) for m in table(rows, "memory")] == [
        (1, 3, "exact"), (2, 9, "exact"),
    ]  # fmt: skip
    assert {m["form"] for m in table(rows, "memory")} == {"summary"}


def test_a_system_that_says_nothing_is_found_out_by_dumps() -> None:
    """The memory that is new after a write descends from it."""
    rows = ran(Silent)
    assert [(m["sources"], m["lineage"]) for m in returned(rows)] == [
        ([f"t{n}"], "inferred") for n in range(1, 10)
    ]


@pytest.mark.parametrize(
    ("receipt", "reason"),
    [
        (None, ""),
        (
            Receipt(cast("tuple[Change, ...]", ("m-t1",))),
            "no receipt: ingest returned a str among its changes, not a Change",
        ),
        (
            Receipt(cast("tuple[Change, ...]", 3)),
            "no receipt: ingest returned a Receipt whose changes are an int, not a tuple of Changes",
        ),
        (cast("Receipt", ["m-t1"]), "no receipt: ingest returned a list, not a Receipt or None"),
        (Receipt(()), ""),
    ],
)
def test_what_is_no_receipt_is_no_witness(receipt: Any, reason: str) -> None:
    """The write stands, its row says why the receipt does not count."""

    class Vague(Notebook):
        def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
            super().ingest(turns, scope)
            return cast("Receipt", receipt)

    rows = ran(Vague)
    assert {(row["outcome"], row["reason"]) for row in table(rows, "write")} == {("ok", reason)}
    assert {m["lineage"] for m in returned(rows)} == {"inferred"}


def scripted(*results: Any, kind: ScoreKind = ScoreKind.NONE) -> type[Notebook]:
    """Make a system whose search returns *results* as they are."""

    class Scripted(Notebook):
        def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
            return cast("Ranking", results[0])

    return Scripted


def memory(number: int, **changes: Any) -> Memory:
    """Return the memory that a notebook makes of turn *number*."""
    text = [turn.text for turn in CASE.conversation.turns()][number - 1]
    return replace(Memory(f"m-t{number}", text, form=Form.RAW), **changes)


def test_duplicates_count_once() -> None:
    """The first of equal ids stays, and the row says that there were more."""
    hits = tuple(Hit(memory(n)) for n in (3, 3, 1, 3))
    row = answers(ran(scripted(Ranking(hits))))[0]
    assert len(row["memories"]) == 2
    assert row["notes"] == ["duplicate hits returned; the first counts"]


def test_more_than_k_is_cut() -> None:
    """A system that ignores k is cut at k, and the row says how many went."""
    row = answers(ran(scripted(Ranking(tuple(Hit(memory(n)) for n in range(1, 8)))), limits=Limits(k=3)))[0]
    assert (len(row["memories"]), row["capped"], row["k"]) == (3, 4, 3)
    assert row["notes"] == ["more than k hits returned; cut by the harness"]


def test_a_budget_is_counted_over_whole_memories() -> None:
    """The first memory that does not fit ends the list."""
    texts = [turn.text for turn in CASE.conversation.turns()]
    costs = [-(-len(text) // 4) for text in texts]
    row = answers(ran(Notebook, limits=Limits(budget_tokens=costs[0] + costs[1] + costs[2] - 1)))[0]
    assert (len(row["memories"]), row["tokens"], row["capped"]) == (2, costs[0] + costs[1], 7)


@pytest.mark.parametrize("score", [float("nan"), float("inf"), float("-inf"), "high", np.float32("nan")])
def test_scores_that_are_no_numbers_are_dropped_and_noted(score: Any) -> None:
    """The hit stays at its rank, without a score."""
    row = answers(ran(scripted(Ranking((Hit(memory(1), score), Hit(memory(2), 0.5))))))[0]
    assert row["scores"] == [None, 0.5]
    assert row["notes"] == ["scores that are no numbers; kept without score"]


@pytest.mark.parametrize("score", [1, np.float32(1), np.int64(1), True])
def test_scores_of_any_numeric_type_are_kept(score: Any) -> None:
    """A number from a numeric library is written like any other."""
    row = answers(ran(scripted(Ranking((Hit(memory(1), score),)))))[0]
    assert (row["scores"], row["notes"]) == ([1.0], [])


def test_hits_of_unknown_origin_are_kept_and_noted() -> None:
    """An invented memory keeps its rank, has no sources and is not raw, whatever it claims."""
    rows = ran(scripted(Ranking((Hit(Memory("x", "nobody said this", form=Form.RAW)), Hit(memory(1))))))
    assert [(m["form"], m["sources"], m["lineage"]) for m in returned(rows)] == [
        ("unknown", [], "absent"), ("raw", ["t1"], "exact"),
    ]  # fmt: skip
    assert answers(rows)[0]["notes"] == ["hits of unknown origin: nothing ties them to what was written"]


@pytest.mark.parametrize(
    ("result", "reason"),
    [
        ([Hit(memory(1))], "search returned a list, not a Ranking"),
        (None, "search returned None, not a Ranking"),
        (Ranking(cast("Any", iter(()))), "a Ranking whose hits are a tuple_iterator, not a tuple"),
        (Ranking((), notes=cast("Any", "merged")), "a Ranking whose notes are a str, not a tuple"),
        (Ranking((cast("Any", memory(1)),)), "search returned a Memory among its hits, not a Hit"),
        (Ranking((Hit(cast("Any", "text")),)), "search returned a str where a Memory belongs"),
        (Ranking((Hit(memory(1, id=7)),)), "search returned a Memory with a wrong id (an int, not a str)"),
        (
            Ranking((Hit(memory(1, text=None, channel=None)),)),
            "a Memory with a wrong text (None, not a str), channel (None, not a str)",
        ),
        (
            Ranking((Hit(memory(1, form="poem")),)),
            "search returned a Memory with a wrong form ('poem', not a Form)",
        ),
        (
            Ranking((Hit(memory(1, sources=("t1", 2))),)),
            "a wrong sources (a tuple with an int, not a tuple of str)",
        ),
        (Ranking((Hit(memory(1, sources=None)),)), "with a wrong sources (None, not a tuple of str)"),
        (
            Ranking((Hit(memory(1, event_at="May")),)),
            "search returned a Memory with a wrong event_at (a str, not a datetime)",
        ),
    ],
)
def test_what_is_no_ranking_is_an_error(result: Any, reason: str) -> None:
    """A breach of the protocol is tried again like a failure and then recorded in words."""
    rows = answers(ran(scripted(result), limits=Limits(retries=1)))
    assert [(row["outcome"], row["tries"]) for row in rows] == [("error", 2)] * 2
    assert reason in rows[0]["reason"]


def test_a_dump_of_something_else_is_recorded() -> None:
    """What is stored at the end stays unknown, and the record says so."""

    class Odd(Notebook):
        def dump(self, scope: Scope) -> Iterable[Memory]:
            return cast("Iterable[Memory]", ["a text"])

    rows = ran(Odd)
    assert table(rows, "flush")[-1]["reason"] == "dump returned a str where a Memory belongs"
    assert [row["outcome"] for row in answers(rows)] == ["ok", "ok"]


def test_the_end_says_how_many_bytes_the_store_holds(tmp_path: Path) -> None:
    """Of a system that names its files; of another, or of one that cannot say, nothing stands there."""

    class Filed(Notebook):
        def reopen(self) -> None:
            """Keep everything."""

        def storage_paths(self) -> Sequence[Path]:
            (tmp_path / "store").write_bytes(bytes(1234))
            return (tmp_path,)

    class Lost(Filed):
        def storage_paths(self) -> Sequence[Path]:
            raise OSError("no disk")

    assert ran(Filed)[-1]["stored"] == 1234
    assert "stored" not in ran(Notebook)[-1]
    assert "stored" not in ran(Lost)[-1]


def test_half_a_surrogate_pair_can_be_recorded() -> None:
    """A text that UTF-8 cannot hold does not cost the run; its hash is that of what is written."""
    rows = ran(scripted(Ranking((Hit(Memory("x", "half \ud83d here")),))))
    encoded = encode(rows)
    assert b"half ? here" in encoded
    twin = ran(scripted(Ranking((Hit(Memory("x", "half ? here")),))))
    assert returned(rows)[0]["sha256"] == returned(twin)[0]["sha256"]


def test_times_and_channel_of_a_memory_are_recorded() -> None:
    """What a system says about validity enters the record in ISO form."""
    at = datetime(2024, 5, 1, 8)  # noqa: DTZ001 - a conversation's time is naive
    told = memory(1, event_at=at, valid_from=at, valid_to=at, stored_at=at, channel="facts")
    (found,) = returned(ran(scripted(Ranking((Hit(told),), notes=("merged",)))))
    assert [found[key] for key in ("event_at", "valid_from", "valid_to", "stored_at", "channel")] == [
        *["2024-05-01T08:00:00"] * 4, "facts",
    ]  # fmt: skip


def test_notes_of_a_system_are_kept() -> None:
    """What a reader must know about a list stays with the question."""
    assert answers(ran(scripted(Ranking((), notes=("capped", "capped")))))[0]["notes"] == ["capped"]


class Told(Notebook):
    """Remembers what was revealed."""

    heard: ClassVar[list[object]] = []

    def reveal(self, relevant: Mapping[str, Sequence[str]]) -> None:
        """Listen."""
        self.heard.append(relevant)


def test_only_a_declared_ceiling_is_told_the_truth() -> None:
    """A system that could listen, but is no ceiling, hears nothing."""

    class Ceiling(Told):
        promises = Capabilities(reports_changes=True, role=Role.CEILING)

    Told.heard.clear()
    first, second = CASE.questions
    ran(Told, relevant={first.id: ("t1",)})
    assert Told.heard == []
    ran(Ceiling, relevant={first.id: ("t1",)})
    assert Told.heard == [{first.text: ("t1",), second.text: ()}]


def test_a_question_without_retries_is_asked_once() -> None:
    """Zero retries means one try."""
    assert [row["tries"] for row in answers(ran(Failing, limits=Limits(retries=0)))] == [1, 1]


def test_time_alone_changes_nothing_yet() -> None:
    """A clock event passes without a row."""
    timed = (Clock(datetime(2024, 1, 1)), *clean(CASE))  # noqa: DTZ001 - as above
    rows = run_case(CASE.conversation.id, timed, Notebook, Limits())
    assert len(rows) == len(ran(Notebook))


def test_a_refused_conversation_has_a_row_for_every_question() -> None:
    """Where a conversation could not be run at all, every question is an error with the same reason."""
    rows = refuse_case("c", clean(CASE), Limits(), "the machine burned", 4, 2)
    assert [(row["outcome"], row["reason"], row["attempt"]) for row in answers(rows)] == [
        ("error", "not asked: the machine burned", 2),
    ] * 2
    assert (rows[0]["number"], rows[-1]["t"], rows[-1]["failed"]) == (4, "end", 2)


def test_two_questions_of_one_text_are_two_rows() -> None:
    """Rows are told apart by id, not by text."""
    twice = Case(conversation(), (question(1), replace(question(2), text=question(1).text)))
    assert [row["question"] for row in answers(ran(Notebook, twice))] == ["c1-q1", "c1-q2"]


def test_an_update_receipt_adds_the_turn_as_a_source() -> None:
    """A memory that a later write confirmed without changing descends from both turns, but only from then on."""

    class Merging(Notebook):
        def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
            op = Operation.NOOP if self.stored else Operation.ADD
            self.stored.setdefault("only", Memory("only", "Ada likes cats."))
            return Receipt((Change(op, "only"),))

    (case,) = five_questions().cases()
    rows = ran(Merging, case)
    assert [m["sources"] for m in returned(rows, 0)] == [["t1", "t2", "t3"]]
    assert [m["sources"] for m in returned(rows, 1)] == [[f"t{n}" for n in range(1, 10)]]


def test_a_question_in_the_middle_of_a_session_finds_what_was_said_before_it() -> None:
    """Before such a question the harness waits until the writes are searchable."""
    turns, (first, _) = tuple(CASE.conversation.turns()), CASE.questions
    stream = (Write(turns[:1]), Ask(first), Ask(first), SessionEnd("s"))
    rows = run_case("c", stream, cast("Callable[[], MemorySystem]", Slow), Limits())
    assert [row["t"] for row in rows if row["t"] in {"write", "flush", "question"}] == [
        "write",
        "flush",
        "question",
        "question",
        "flush",
    ]
    assert answers(rows)[0]["outcome"] == "ok"


class Slow(Notebook):
    """Finds nothing that was not flushed."""

    flushed = False

    def flush(self, scope: Scope, timeout_s: float) -> None:
        """Note that it was waited for."""
        super().flush(scope, timeout_s)
        self.flushed = True

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Find what was flushed."""
        return super().search(query, scope, k, as_of) if self.flushed else Ranking(())


def test_what_a_stream_takes_back_is_not_found() -> None:
    """After a reset only what is said again is there."""
    turns, (first, _) = tuple(CASE.conversation.turns()), CASE.questions
    stream = (Write(turns), Reset(), Write(turns[:1]), Ask(first))
    rows = run_case("c", stream, cast("Callable[[], MemorySystem]", Notebook), Limits())
    memories = {row["row"]: row for row in table(rows, "memory")}
    (answer,) = answers(rows)
    assert [memories[row]["sources"] for row in answer["memories"]] == [[turns[0].id]]
    assert answer["coverage"] == 1.0


class Stubborn(Notebook):
    """Resets once."""

    resets = 0

    def reset(self) -> None:
        """Refuse the second time."""
        self.resets += 1
        if self.resets > 1:
            raise RuntimeError("never again")
        super().reset()


def test_a_system_that_cannot_forget_is_asked_no_more() -> None:
    """What it would find after a failed reset belongs to another protocol, so it is an error with its reason."""
    turns, (first, _) = tuple(CASE.conversation.turns()), CASE.questions
    stream = (Write(turns), Reset(), Write(turns), Ask(first), Reset())
    rows = run_case("c", stream, cast("Callable[[], MemorySystem]", Stubborn), Limits())
    (answer,) = answers(rows)
    assert (answer["outcome"], "never again" in answer["reason"]) == ("error", True)


class Pupil(Notebook):
    """Keeps what it is told of its answers."""

    told: ClassVar[list[float]] = []

    def reward(self, value: float) -> None:
        """Note it."""
        self.told.append(value)


def test_a_system_that_learns_is_told_of_its_own_answers() -> None:
    """One for evidence among the hits, zero without; nothing for a question whose evidence is not known."""
    Pupil.told.clear()
    first, second = CASE.questions
    turns = [turn.id for turn in CASE.conversation.turns()]
    ran(Pupil, relevant={first.id: turns, second.id: ("elsewhere",)})
    assert Pupil.told == [1.0, 0.0]
    ran(Pupil, relevant={first.id: turns})
    assert Pupil.told == [1.0, 0.0, 1.0]


class Sulking(Notebook):
    """Cannot bear to be told."""

    def reward(self, value: float) -> None:
        """Refuse."""
        raise RuntimeError(f"told {value}")


def test_a_system_that_fails_to_learn_is_asked_no_more() -> None:
    """What it answers after that is of another experiment."""
    first, second = CASE.questions
    rows = ran(Sulking, relevant={first.id: (), second.id: ()})
    assert [row["outcome"] for row in answers(rows)] == ["ok", "error"]


class Holding(Notebook):
    """Must be closed."""

    closed: ClassVar[list[str]] = []
    go = threading.Event()

    def close(self) -> None:
        """Let a hanging call go, as the end of a process does."""
        self.closed.append("closed")
        self.go.set()


class Hanging(Holding):
    """Returns from a search only when it is closed."""

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Wait."""
        self.go.wait(30)
        return Ranking(())


@pytest.mark.parametrize("system", [Holding, Hanging])
def test_a_system_that_can_be_closed_is_closed(system: type[Holding]) -> None:
    """Once for every conversation, also when a call of it hangs, and after its record is complete."""
    Holding.closed.clear()
    Holding.go.clear()
    rows = ran(system, limits=QUICK)
    assert Holding.closed == ["closed"]
    wanted = Outcome.TIMEOUT if system is Hanging else Outcome.OK
    assert next(row["outcome"] for row in rows if row["t"] == "question") == wanted
