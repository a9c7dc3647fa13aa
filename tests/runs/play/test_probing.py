"""What a fresh instance is asked under other names, and in which order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memgauge.datasets.catalogue import open_dataset
from memgauge.records import Ranking
from memgauge.runs.play.probing import Probing, asked_under_other_names
from memgauge.runs.record.manifest import Limits
from memgauge.streams import CLEAN
from memgauge.systems.policies.lexical import Bm25Policy

if TYPE_CHECKING:
    from datetime import datetime

    from memgauge.records import Scope

CASE = next(open_dataset("synthetic:tiny").cases())


class Turning(Bm25Policy):
    """Turns its list round at every second search: what was asked before decides."""

    searches = 0

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Return what BM25 does, or its last memories first."""
        ranking = super().search(query, scope, k, as_of)
        self.searches += 1
        return ranking if self.searches % 2 else Ranking(ranking.hits[::-1])


@pytest.mark.parametrize("in_order", [True, False])
def test_what_searches_leave_behind_is_no_matter_of_names(in_order: bool) -> None:
    """Asked in the same order under other names, a memory that learns from searches returns the same."""
    (probe,) = asked_under_other_names(
        CLEAN.order(CASE), Turning, Limits(), Probing(seed="1"), CASE.conversation.id, in_order=in_order
    )
    assert bool(probe.changed) is not in_order
