from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.datasets.errata import LEAVE_THE_ANSWER, NOTES, load_errata
from support import ROOT, real_data

if TYPE_CHECKING:
    from pathlib import Path

TOOL = ROOT / "tools" / "build_errata.py"


def _overlay() -> dict[str, Any]:
    overlay: dict[str, Any] = json.loads((files("memgauge.datasets.locomo") / "errata.json").read_text("utf-8"))
    return overlay


def test_only_some_kinds_leave_the_answer_alone() -> None:
    """Every kind but wrong citations, typing errors and disputes doubts the answer; its note is ours."""
    errata = load_errata("locomo")
    assert len(errata) == 158
    assert Counter(doubt.kind for doubt in errata.values()) == {
        "wrong-citation": 57,
        "hallucination": 33,
        "temporal-error": 26,
        "attribution-error": 24,
        "ambiguous": 13,
        "incomplete": 3,
        "mislabelled-adversarial": 1,
        "typo": 1,
    }
    assert all(doubt.corrupts_answer == (doubt.kind not in LEAVE_THE_ANSWER) for doubt in errata.values())
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


def test_disputed_doubts_never_count() -> None:
    """A doubt whose readers contradict each other is shown, leaves the answer alone and leaves no question out."""
    disputed = load_errata("longmemeval")["gpt4_88806d6e"]
    assert (disputed.kind, disputed.corrupts_answer, disputed.counts) == ("disputed", False, False)
    typo = load_errata("locomo")["conv-42_q0"]
    assert (typo.kind, typo.corrupts_answer, typo.counts) == ("typo", False, True)


def test_several_readers_are_named_and_replaced_files_left_out() -> None:
    """A doubt of four readers says so; one about files that were replaced is not laid over their successors."""
    errata = load_errata("longmemeval")
    assert errata["370a8ff4"].note.endswith("Named by 4 readers.")
    assert "a3332713" not in errata
    assert "ad7109d1" not in errata
    assert load_errata("halumem") == {}


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
