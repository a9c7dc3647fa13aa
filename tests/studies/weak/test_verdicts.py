"""What became of requests and writes: one of a closed set of ways each."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.studies.weak.record import RecordedMemory, RecordedWrite
from memgauge.studies.weak.verdicts import ReplyVerdict, WriteFate, explained, fates, retries, verdict, why_lost
from support.weak import CAP, exchange

if TYPE_CHECKING:
    from memgauge.studies.weak.record import RecordedLane


@pytest.mark.parametrize(
    ("changed", "became", "words"),
    [
        ({}, ReplyVerdict.FITS, ""),
        ({"text": "no"}, ReplyVerdict.UNFIT, "facts: no JSON"),
        (
            {"finish": "length", "output_tokens": CAP},
            ReplyVerdict.CAPPED,
            f"facts: the reply ran into its cap of {CAP} tokens",
        ),
        ({"finish": "length", "seconds": 9.0}, ReplyVerdict.LATE, "facts: the reply was cut after 9 s"),
        ({"status": 0}, ReplyVerdict.UNANSWERED, "facts: no reply had come when the lane ended"),
        ({"status": 400, "why": "too long"}, ReplyVerdict.REFUSED, "facts: refused: too long"),
    ],
)
def test_every_request_has_one_verdict(changed: dict[str, Any], became: ReplyVerdict, words: str) -> None:
    """And words for what is wrong."""
    assert verdict(exchange(**changed)) is became
    assert explained(exchange(**changed)) == words


def test_writes_are_what_they_were_counted_as_and_what_is_in_the_store(lane: RecordedLane) -> None:
    """A write that failed can be stored all the same, and one that was counted can be lost."""
    both = tuple(RecordedWrite(f"t{n}", (f"t{n}",), "ok" if n < 3 else "error", "why", 1, 0) for n in range(1, 5))
    memories = (RecordedMemory(("t1", "t3"), ""),)
    became = fates(replace(lane, writes=both, memories=memories))
    assert became == {
        "t1": WriteFate.STORED,
        "t2": WriteFate.SILENT,
        "t3": WriteFate.FAILED_STORED,
        "t4": WriteFate.FAILED,
    }
    assert [fate.lost for fate in became.values()] == [False, True, False, True]


def test_every_lost_write_has_a_reason(lane: RecordedLane) -> None:
    """What was raised; else what was wrong with replies, to the write or to the settling after it."""
    write, settling = RecordedWrite("t1", ("t1",), "ok", "", 1, 0), RecordedWrite("settling", (), "ok", "", 1, 0)
    bare = replace(lane, memories=(), exchanges=(), writes=(write, settling))
    failed, late = (
        replace(write, outcome="error", reason="it broke"),
        replace(settling, outcome="timeout", reason="too slow"),
    )
    capped = exchange(during="settling", finish="length", output_tokens=CAP)
    for recorded, why in (
        (bare, "the model was not asked"),
        (replace(bare, writes=(failed, settling)), "it broke"),
        (replace(bare, writes=(write, late)), "too slow"),
        (replace(bare, exchanges=(capped, exchange())), f"facts: the reply ran into its cap of {CAP} tokens"),
        (replace(bare, exchanges=(exchange(),)), "facts: nothing was made of the reply '{}'"),
    ):
        assert why_lost(recorded) == {"t1": why}


def test_a_retry_begins_as_the_first_try_did() -> None:
    """In the same write; a talk that goes on is none, unless it says the same again."""
    made = [exchange(key="1"), exchange(key="2"), exchange(key="2"), exchange(during="t2")]
    assert retries(made) == 2
    assert retries(made, talks=True) == 1
