"""The conformance check of what is going to be run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.runs.play.conforming import remembered, with_conformance
from memgauge.runs.play.execute import execute
from memgauge.runs.record.conformance import Conformance
from memgauge.runs.record.manifest import Manifest
from memgauge.runs.record.store import load
from support_data import planned, two_questions

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_a_run_names_what_its_system_does_not_keep(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The checks that failed stand in the manifest as sentences, and change nothing of the run's identity."""
    monkeypatch.setenv("MEMGAUGE_CACHE", str(tmp_path / "cache"))
    before = planned(two_questions(), "support_systems:Digest", "bm25")
    after = with_conformance(before)
    digest, bm25 = (cell.manifest for cell in after.cells)
    assert digest.conformance.checked
    assert any(sentence.startswith("memories bear their sources: ") for sentence in digest.conformance.failed)
    assert bm25.conformance == Conformance(checked=True)
    assert [cell.manifest.identity for cell in before.cells] == [digest.identity, bm25.identity]
    assert remembered(digest.system) == digest.conformance
    folder, _ = execute(after, tmp_path / "runs")
    assert load(folder).manifest.conformance == digest.conformance


def test_what_costs_is_not_checked_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A system that needs a model is checked by hand; a manifest that says nothing was not checked."""
    monkeypatch.setenv("MEMGAUGE_CACHE", str(tmp_path))
    (cell,) = planned(two_questions(), "support_systems:Notebook").cells
    system = cell.manifest.system.model_copy(update={"capabilities": {"needs": ("llm",)}})
    costly = type(cell)(cell.manifest.model_copy(update={"system": system}), 1, 9, 2)
    (checked,) = with_conformance(type(planned(two_questions()))((costly,), {})).cells
    assert not checked.manifest.conformance.checked
    assert "needs llm" in checked.manifest.conformance.sentence
    raw = Manifest.model_validate(cell.manifest.model_dump(exclude={"conformance", "isolation", "probes"}))
    assert (raw.conformance.checked, raw.isolation.recorded, raw.probes) == (False, False, 0)
    assert raw.identity == cell.manifest.identity
