"""`memgauge study quality`."""

from __future__ import annotations

import json
import re
import shutil
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

from memgauge.studies.quality.study import QUALITY

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from support.cli import Said


@pytest.fixture
def out(folders: Mapping[str, Path], tmp_path: Path) -> Path:
    """Give a copy of the runs of two systems."""
    for run in (folders["bm25"], folders["pipeline:embedder=none"]):
        shutil.copytree(run, tmp_path / "o" / run.name)
    return tmp_path / "o"


def test_the_ladder_is_run_and_told(memgauge: Callable[..., Said], tmp_path: Path) -> None:
    """The document's six systems with intervals and published figures, their order, and what is impossible."""
    ladder = (
        "study",
        "quality",
        "run",
        "-d",
        "synthetic:tiny",
        "--embedder",
        "hashed",
        "--executor",
        "inline",
        "--out",
        tmp_path,
    )
    shown = memgauge(*ladder, "--tables")
    assert shown.code == 0, shown.err
    for name in (
        "context only",
        "full pipeline",
        "(0.89)",
        "Temporal(strict)@5",
        "order of systems hold",
        "impossible",
    ):
        assert name in shown.out
    assert "of 75 pairs" in " ".join(shown.out.lower().split())
    data = memgauge(*ladder, "--json").data["value"]
    assert [row["name"] for row in data["rows"]][-1] == "full pipeline"
    assert data["rows"][0]["scores"]["Recall@10"]["denominator"]["total"] == 32
    assert len(data["doubts"]) > 10
    assert QUALITY.read(json.loads((tmp_path / "quality.json").read_text())).questions == data["questions"]
    assert (tmp_path / "quality.html").read_text().startswith("<!doctype html>")


def test_runs_that_exist_are_scored(memgauge: Callable[..., Said], out: Path) -> None:
    """The same table without running anything."""
    shown = memgauge("study", "quality", "score", out)
    assert "pipeline" in shown.out
    assert "Temporal(strict)@5" not in shown.out  # which comes with all tables
    assert "order of systems" not in shown.out
    assert "Best value, real or not: " in shown.out


def test_the_published_table_is_audited(memgauge: Callable[..., Said]) -> None:
    """One line a column, with the bound; every figure as data."""
    shown = memgauge("study", "quality", "audit-table")
    assert "0.31 to 0.89" in shown.out
    assert "0.24" in shown.out
    assert (
        memgauge("study", "quality", "audit-table", "--json").data["value"]["doubts"][0]["verdict"] == "impossible"
    )


def test_a_gate_fails_a_build_and_says_why(memgauge: Callable[..., Said], out: Path, tmp_path: Path) -> None:
    """Exit code, comment and JUnit agree; what is better passes."""
    bm25, pipeline = sorted(out.glob("synthetic-*"))
    comment, junit = tmp_path / "comment.md", tmp_path / "junit.xml"
    shown = memgauge("study", "quality", "gate", bm25, "--baseline", pipeline, "--out", comment)
    assert shown.code == 1
    assert re.search(r"FAILED: .* is worse \(-0\.", shown.out)
    assert comment.read_text().startswith("## Memory quality gate: FAILED")
    both = memgauge(
        "study", "quality", "gate", bm25, "--baseline", pipeline, "--out", junit, "--format", "markdown"
    )
    assert (both.code, both.out) == (1, comment.read_text())
    suite = ET.fromstring(junit.read_text())  # noqa: S314 - our own file
    assert int(suite.get("failures", "0")) == len(suite.findall(".//failure")) >= 2
    data = memgauge("study", "quality", "gate", bm25, "--baseline", pipeline, "--json").data
    assert data["value"]["passed"] is False
    better = memgauge("study", "quality", "gate", pipeline, "--baseline", bm25, "-m", "Recall@10")
    assert better.code == 0
    assert "Passed" in better.out


def test_mistakes_are_named(memgauge: Callable[..., Said], out: Path) -> None:
    """An unknown measure, and a run that is none."""
    bm25, pipeline = sorted(out.glob("synthetic-*"))
    gate = ("study", "quality", "gate", bm25, "--baseline")
    assert "Did you mean Recall" in memgauge(*gate, pipeline, "-m", "Recal@10").err
    assert memgauge(*gate, out / "nothing").code == 2


def test_it_says_what_was_asked_and_what_failed(memgauge: Callable[..., Said], tmp_path: Path) -> None:
    """Of a dataset only what was played counts; whose searches failed is named first, and no success."""
    command = ("study", "quality", "run", "-d", "synthetic:small", "--conversations", "1", "--executor", "inline")
    shown = memgauge(*command, "-s", "faulty:raises", "--out", tmp_path / "o")
    assert shown.code == 1
    assert re.search(r"Searches failed: [\d,]+ of faulty", " ".join(shown.out.split()))
    assert "in 1 conversation" in " ".join(shown.out.split())


def test_fewer_hits_than_the_measures_look_at_are_refused(memgauge: Callable[..., Said]) -> None:
    """Ten were played, whatever was asked for."""
    refused = memgauge("study", "quality", "run", "-d", "synthetic:tiny", "-s", "bm25", "--k", "3")
    assert refused.code == 2
    assert "look at 10 hits, and k is 3" in " ".join(refused.err.split())
