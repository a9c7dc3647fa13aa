"""Why one named memory was not returned, as its record shows it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memgauge.runs.record.searches import FailedWrite, RankedMemory, SearchMoment, StoredMemory, StoredState
from memgauge.scoring.causes import FailureCause
from memgauge.scoring.why.cuts import cut_by_ranks
from memgauge.scoring.why.named import why_not

STORED = StoredMemory("m", StoredState.STORED, version=2, scope="ada", store="notes", by="w2")
OTHERS = (RankedMemory(1, "n", 1), RankedMemory(2, "o", 1))
MOMENT = SearchMoment("t/s", "traffic", "ada", "notes", k=5, hits=OTHERS, stored=(STORED,))
"""A search that returned two others."""
RETURNED = (*OTHERS, RankedMemory(3, "m", 2))
LOST = {
    "raised": (replace(MOMENT, outcome="error", reason="index gone"), FailureCause.SEARCH_FAILED, "index gone"),
    "not captured": (replace(MOMENT, captured=False, hits=()), FailureCause.UNKNOWN, "was captured"),
    "captured in part": (replace(MOMENT, captured=False), FailureCause.UNKNOWN, "only 2 of what came back"),
    "never written": (replace(MOMENT, stored=()), FailureCause.NOT_STORED, "no write reported m"),
    "failed": (
        replace(MOMENT, stored=(), failed=(FailedWrite("w1", "disk full", ("m",)), FailedWrite("w3", "late"))),
        FailureCause.NOT_STORED,
        "the write w1 failed: disk full",
    ),
    "before the trace": (
        replace(MOMENT, stored=(), unseen_before="2026-09-01"),
        FailureCause.UNKNOWN,
        "began at 2026-09-01",
    ),
    "written later": (
        replace(MOMENT, stored=(replace(STORED, state=StoredState.LATER, by="w9"),)),
        FailureCause.NOT_STORED,
        "first stored by w9, after the search began",
    ),
    "removed": (
        replace(MOMENT, stored=(replace(STORED, state=StoredState.REMOVED, gone_by="d1"),)),
        FailureCause.LOST,
        "removed by d1",
    ),
    "nobody saw it": (
        replace(MOMENT, stored=(replace(STORED, state=StoredState.UNSEEN),)),
        FailureCause.UNKNOWN,
        "may be gone, or in another scope",
    ),
    "no write seen": (
        replace(MOMENT, stored=(replace(STORED, state=StoredState.UNDATED, by=""),)),
        FailureCause.UNKNOWN,
        "nobody saw when m was written",
    ),
    "other scope": (
        replace(MOMENT, stored=(replace(STORED, scope="bob"),)),
        FailureCause.OTHER_SCOPE,
        "stored under bob in notes, and ada in notes was searched",
    ),
    "other store": (
        replace(MOMENT, stored=(replace(STORED, store="facts"),)),
        FailureCause.OTHER_SCOPE,
        "ada in facts",
    ),
    "old version": (
        replace(MOMENT, hits=(RankedMemory(1, "m", 1),)),
        FailureCause.OLD_VERSION,
        "rank 1 is its version 1, and version 2 was stored by w2",
    ),
    "short list": (MOMENT, FailureCause.NOT_RETURNED, "only 2 came back"),
    "nothing": (replace(MOMENT, hits=()), FailureCause.NOT_RETURNED, "nothing came back"),
    "full list": (replace(MOMENT, k=2), FailureCause.TOO_DEEP, "not among the 2 that were asked for"),
}


@pytest.mark.parametrize("name", LOST)
def test_each_loss_is_named_with_what_shows_it(name: str) -> None:
    """One thing that is wrong names its cause, in words that the record bears."""
    moment, cause, words = LOST[name]
    reason = why_not(moment, "m")
    assert reason is not None
    assert (reason.cause, words in reason.detail, reason.turn) == (cause, True, "m"), reason


def test_what_came_back_as_it_was_stored_was_not_lost() -> None:
    """A current version, one of unknown number and one whose scope nobody knows are no loss; a cut is one."""
    moment = replace(MOMENT, hits=RETURNED)
    assert why_not(moment, "m") is None
    assert why_not(replace(moment, hits=(RankedMemory(1, "m", None),)), "m") is None
    unknown = replace(MOMENT, stored=(replace(STORED, scope=""),))
    assert getattr(why_not(unknown, "m"), "cause", None) is FailureCause.NOT_RETURNED
    cut = why_not(moment, "m", (cut_by_ranks(RETURNED, 2),))
    assert cut is not None
    assert (cut.cause, cut.detail) == (FailureCause.TOO_DEEP, "rank 3, and 2 count")
