"""`memgauge runs import` and `memgauge runs export`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pytest

    from support.cli import Said


def test_a_run_leaves_and_comes_back(
    memgauge: Callable[..., Said], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exported, imported, scored beside the original; mistakes exit with 2."""
    memgauge(
        "run", "-d", "synthetic:tiny", "-s", "bm25", "--k", "5", "--executor", "inline", "--out", tmp_path / "out"
    )
    (folder,) = (path for path in (tmp_path / "out").iterdir() if path.is_dir())
    for kind in ("trec", "beir", "jsonl", "csv"):
        assert memgauge("runs", "export", folder, "--to", kind, "--out", tmp_path / kind).code == 0
    files = memgauge("runs", "export", folder, "--to", "jsonl", "--out", tmp_path / "jsonl", "--json").data[
        "files"
    ]
    back = (
        "runs",
        "import",
        "jsonl",
        files[0],
        "-d",
        "synthetic:tiny",
        "--label",
        "again",
        "--out",
        tmp_path / "in",
    )
    said = memgauge(*back)
    assert said.code == 0, said.err
    assert "joined by id" in said.out
    report = memgauge(*back, "--json").data
    assert report["missing"] == 0
    monkeypatch.chdir(tmp_path)
    assert memgauge(*back[:-1], "beside").code == 0
    board = memgauge("score", tmp_path / "out", report["folder"])
    assert "again" in board.out
    wrong = memgauge("runs", "import", "jsonl", tmp_path / "trec" / "run.trec", "-d", "synthetic:tiny")
    assert (wrong.code, "not JSON" in wrong.err) == (2, True)
