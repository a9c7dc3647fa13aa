"""Counts of the samples of benchmarks."""

from __future__ import annotations

import pytest

from memgauge.reproduce import Status, datasets, recompute, sections
from support import real_data

SECTION = next(section for section in sections() if section.name == "datasets")


@pytest.mark.data
def test_every_sample_has_the_counts_that_its_readme_states() -> None:
    """Counted there by other code."""
    for ref in datasets.SAMPLES.values():
        real_data(ref.partition(":")[2].partition(",")[0])
    rows = list(recompute(SECTION))
    assert {row.status for row in rows} == {Status.OK}
    for prefix in ("rhelm_sample_", "factconsolidation_", "personamem_", "prefeval_", "precisionmembench_"):
        assert sum(row.name.startswith(prefix) for row in rows) >= 5


def test_what_is_not_here_is_skipped_with_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without the samples fails nothing, and says what it looked for."""
    monkeypatch.setattr(datasets, "SAMPLES", {"rhelm_sample_morales": "rhelm:nowhere/rhelm.tar.gz"})
    rows = list(recompute(SECTION))
    assert {row.status for row in rows} == {Status.SKIP}
    assert "nowhere/rhelm.tar.gz" in rows[0].reason


def test_lists_are_counted_and_names_are_flat() -> None:
    """What is described becomes figures; flags and texts are none."""
    described = {"a b": {"x": 1, "y": [1, 2]}, "pinned": True, "sha256": "ff", "none": None, "share": 0.5}
    assert dict(datasets._numbers("", described)) == {"a_b": 2, "a_b_x": 1, "a_b_y": 2, "share": 0.5}
