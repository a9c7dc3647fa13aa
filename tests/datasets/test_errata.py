from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.datasets.errata import NOTES, load_errata
from support import ROOT, real_data

if TYPE_CHECKING:
    from pathlib import Path

TOOL = ROOT / "tools" / "build_errata.py"


def _overlay() -> dict[str, Any]:
    overlay: dict[str, Any] = json.loads((files("memgauge.datasets.locomo") / "errata.json").read_text("utf-8"))
    return overlay


def test_only_a_wrong_citation_leaves_the_answer_alone() -> None:
    """Every kind but a wrong citation doubts the answer itself, and its note is ours."""
    errata = load_errata("locomo")
    assert len(errata) == 156
    assert Counter(doubt.kind for doubt in errata.values()) == {
        "wrong-citation": 57,
        "hallucination": 33,
        "temporal-error": 26,
        "attribution-error": 24,
        "ambiguous": 13,
        "incomplete": 3,
    }
    assert all(doubt.corrupts_answer == (doubt.kind != "wrong-citation") for doubt in errata.values())
    assert all(doubt.note.startswith(NOTES[doubt.kind]) for doubt in errata.values())
    assert any("evidence" in doubt.note for doubt in errata.values() if doubt.corrupts_answer)


def test_the_overlay_holds_facts_only_and_names_its_source() -> None:
    """Each entry is an id, a kind and a truth value; the notice names source, revision, licence and standing."""
    overlay = _overlay()
    assert all(set(entry) == {"question", "kind", "citation_changes"} for entry in overlay["errata"])
    assert sum(entry["citation_changes"] for entry in overlay["errata"]) == 97
    assert overlay["notice"]["revision"].startswith("9493fb4b")
    assert overlay["notice"]["licence"] == "CC BY-NC 4.0"
    assert "not ground truth" in overlay["notice"]["standing"]


@pytest.mark.data
def test_the_tool_builds_the_shipped_overlay(tmp_path: Path) -> None:
    """Building from the audit gives the shipped file, byte for byte."""
    audit = real_data("locomo/errata.json")
    subprocess.run([sys.executable, TOOL, audit, tmp_path / "locomo.json"], check=True, capture_output=True)
    assert (tmp_path / "locomo.json").read_text("utf-8") == (
        files("memgauge.datasets.locomo") / "errata.json"
    ).read_text("utf-8")


def test_the_tool_explains_itself(tmp_path: Path) -> None:
    """Without a file, or with a strange id, it says what it wants and writes nothing."""
    (tmp_path / "audit.json").write_text(json.dumps([{"question_id": "x"}]), encoding="utf-8")
    usage = subprocess.run([sys.executable, TOOL], check=False, capture_output=True, text=True)
    strange = subprocess.run(
        [sys.executable, TOOL, tmp_path / "audit.json", tmp_path / "out.json"],
        check=False,
        capture_output=True,
        text=True,
    )
    assert "Usage" in usage.stderr
    assert "'x' is not an id" in strange.stderr
    assert usage.returncode == strange.returncode == 1
    assert not (tmp_path / "out.json").exists()
