"""What no look reaches: the list for an auditor says what is true of this memory."""

from __future__ import annotations

import pytest

from memgauge.studies.erasure.plan import ErasurePlan, ErasureRequest
from memgauge.studies.erasure.unlooked import unlooked
from memgauge.systems.policies.lexical import Bm25Policy


@pytest.mark.parametrize("is_ours", [True, False])
def test_of_a_memory_elsewhere_nothing_behind_its_address_was_seen(*, is_ours: bool) -> None:
    """Neither were its files read, nor is it known whom it asks; and it has no twin."""
    parts = {part.part for part in unlooked(Bm25Policy(), (), ErasurePlan("bm25"), {}, is_ours=is_ours)}
    elsewhere = {"whatever lies behind its address", "the twin that is never asked"}
    here = {"files of the store", "services of others"}
    assert parts & (elsewhere | here) == (here if is_ours else elsewhere)


def test_a_memory_that_nobody_asked_needs_no_twin() -> None:
    """Without a request there is nothing that a twin could tell."""
    plan = ErasurePlan("bm25", request=ErasureRequest.NONE)
    assert "the twin that is never asked" not in {
        part.part for part in unlooked(Bm25Policy(), (), plan, {}, is_ours=False)
    }
