"""What a system returned is copied while the clock runs."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import numpy as np
import pytest

from memgauge.errors import ContractBreach
from memgauge.records import Form, Hit, Memory, Ranking, ScoreKind
from memgauge.runs.play.disclosure import Disclosed
from memgauge.runs.play.engine import run_case
from memgauge.runs.record.manifest import Limits
from memgauge.streams import clean
from memgauge.systems.plain import PlainCopies, plain_ranking
from support.crafted import WORK_S, Computing, Lazy, Stuck
from support.handmade import two_questions

(CASE,) = two_questions().cases()


@pytest.mark.parametrize("system", [Lazy, Computing])
def test_work_done_while_hits_are_read_is_time_of_the_search(system: type[Lazy]) -> None:
    """A search that puts its work off until somebody reads it takes as long as the work."""
    rows = run_case("c1", clean(CASE), system, Limits(), evidence=Disclosed({}))
    asked = [row for row in rows if row["t"] == "question"]
    assert all(row["ms"] >= WORK_S * 1000 for row in asked)
    assert {row["outcome"] for row in asked} == {"ok"}


def test_hits_that_never_end_are_a_timeout() -> None:
    """The harness does not hang on them."""
    rows = run_case("c1", clean(CASE), Stuck, Limits(timeout_s=0.2))
    assert [row["outcome"] for row in rows if row["t"] == "question"] == ["timeout", "error"]


def test_a_copy_is_equal_and_of_our_own_classes() -> None:
    """Texts, numbers and times of foreign classes become plain ones of the same value."""

    class Text(str):
        __slots__ = ()

    zone = timezone(timedelta(hours=2))
    moment = datetime(2024, 3, 1, 9, 30, tzinfo=zone)
    memory = Memory(Text("m"), Text("said"), Form.RAW, [Text("t1")], event_at=moment)  # type: ignore[arg-type]
    ranking = plain_ranking(Ranking([Hit(memory, np.float32(0.5))], ScoreKind.SIMILARITY, [Text("so")]))  # type: ignore[arg-type]
    assert ranking == Ranking((Hit(Memory("m", "said", Form.RAW, ("t1",), event_at=moment), 0.5),),
                              ScoreKind.SIMILARITY, ("so",))  # fmt: skip
    assert isinstance(ranking, Ranking)
    copied = ranking.hits[0]
    assert {type(copied.memory.text), type(copied.memory.id), type(copied.memory.sources[0])} == {str}
    assert type(copied.score) is float


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "None, not a Ranking"),
        (Ranking(iter(())), "whose hits are a tuple_iterator"),  # type: ignore[arg-type]
        (Ranking((Memory("m", "x"),)), "a Memory among its hits"),  # type: ignore[arg-type]
        (Ranking((Hit(Memory("m", 3)),)), "a wrong text"),  # type: ignore[arg-type]
    ],
)
def test_what_is_no_ranking_is_a_breach(value: object, words: str) -> None:
    """It is said what it is, and not raised: the call itself ended well."""
    breach = plain_ranking(value)
    assert isinstance(breach, ContractBreach)
    assert words in str(breach)


def test_a_memory_that_did_not_change_is_copied_once() -> None:
    """What comes back as the same object with the same fields is the same copy."""
    memory, copies = Memory("m", "said", Form.RAW, ("t1",)), PlainCopies()
    first = copies.memory(memory, "search")
    assert first == memory
    assert first is not memory
    assert copies.memory(memory, "search") is first
    assert copies.memory(Memory("m", "said", Form.RAW, ("t1",)), "search") == first


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("text", "other"),
        ("id", "n"),
        ("sources", ("t2",)),
        ("version", 3),
        ("form", Form.SUMMARY),
        ("channel", "c"),
    ],
)
def test_a_memory_that_is_changed_in_place_is_copied_anew(field: str, value: object) -> None:
    """Frozen values are only as frozen as foreign code wants; what was returned before stays as it was."""
    memory, copies = Memory("m", "said", Form.RAW, ("t1",)), PlainCopies()
    first = copies.memory(memory, "search")
    object.__setattr__(memory, field, value)
    second = copies.memory(memory, "search")
    assert second == memory
    assert second != first
    assert first == Memory("m", "said", Form.RAW, ("t1",))


def test_classes_of_others_are_never_recognised() -> None:
    """A text, or a memory, that is code is read each time."""

    class Changing(Memory):
        __slots__ = ()

    class Said(str):
        __slots__ = ()

    copies = PlainCopies()
    for memory in (Changing("m", "said"), Memory("m", Said("said")), Memory("m", "said", sources=(Said("t"),))):
        assert copies.memory(memory, "search") is not copies.memory(memory, "search")
