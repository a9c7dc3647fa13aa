"""Systems that fuse rankings: what they are told apart by is what was said, and never a name."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memgauge.records import Scope, Turn
from memgauge.systems import open_system
from memgauge.systems.pipeline import finding
from memgauge.systems.policies import dense, haystack

if TYPE_CHECKING:
    from collections.abc import Sequence

ADA = Scope("ada")
DAY = datetime(2024, 5, 1)  # noqa: DTZ001 - conversations have no time zone
SAID = st.lists(
    st.tuples(st.lists(st.sampled_from(["bee", "cat", "dog"]), min_size=1, max_size=3), st.integers(0, 2)),
    min_size=1,
    max_size=9,
)
"""Words and days, most of them said more than once."""


def scores(ref: str, turns: Sequence[Turn], k: int) -> list[tuple[float | None, Counter[str]]]:
    """Return the scores of a search and the texts that have each; none of the last one, which k may cut."""
    system = open_system(ref)
    system.ingest(turns, ADA)
    hits = system.search("bee cat", ADA, k).hits
    groups = dict.fromkeys(hit.score for hit in hits)
    alike = [(score, Counter(hit.memory.text for hit in hits if hit.score == score)) for score in groups]
    system.reset()
    return [*alike[:-1], (alike[-1][0], Counter())] if len(hits) == k else alike


@pytest.mark.parametrize(
    "ref",
    [
        "hybrid:embedder=hashed",
        "temporal:embedder=hashed",
        "haystack:by=hybrid,embedder=hashed",
        "pipeline:embedder=hashed",
    ],
)
def test_names_and_order_of_arrival_move_no_score(ref: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where equals lie across the depth to which rankings are read, and across k."""
    for module in (dense, haystack, finding):
        monkeypatch.setattr(module, "DEPTH", 2)

    @settings(max_examples=20)
    @given(said=SAID, k=st.integers(1, 4), data=st.data())
    def check(said: list[tuple[list[str], int]], k: int, data: st.DataObject) -> None:
        turns = [
            Turn(f"t{n}", "Ada", " ".join(words), "s", DAY + timedelta(days=90 * late))
            for n, (words, late) in enumerate(said)
        ]
        other = [replace(turn, id=f"x{(7 * n) % 10}") for n, turn in enumerate(data.draw(st.permutations(turns)))]
        assert scores(ref, other, k) == scores(ref, turns, k)

    check()
