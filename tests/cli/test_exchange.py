"""`memgauge runs import` and `memgauge runs export`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from support.otlp import MINIMAL

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
    (folder,) = (tmp_path / "out").glob("synthetic-*")
    told = memgauge("runs", "export", folder, "--to", "beir", "--out", tmp_path / "told").out
    assert "BEIR has no place for who spoke" in told
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
    unknown = memgauge("runs", "import", "foo", files[0])
    assert (unknown.code, "trec, watch." in unknown.err) == (2, True)
    wrong = memgauge("runs", "import", "jsonl", tmp_path / "trec" / "run.trec", "-d", "synthetic:tiny")
    assert (wrong.code, "not JSON" in wrong.err) == (2, True)


def test_fields_that_an_import_does_not_read_are_left_out_by_name(
    memgauge: Callable[..., Said], tmp_path: Path
) -> None:
    """They stand among what was left out, for people and for programs."""
    (tmp_path / "rows.jsonl").write_text('{"id": "u000000_q01", "model_output": "Ada", "contexts": ["a"]}\n')
    back = (
        "runs",
        "import",
        "aml",
        tmp_path / "rows.jsonl",
        "-d",
        "synthetic:tiny",
        "--partial",
        "--out",
        tmp_path,
    )
    assert "Left out: fields that are not read (contexts)." in memgauge(*back).out
    assert memgauge(*back, "--json").data["unread"] == ["contexts"]


def test_spans_become_a_run(
    memgauge: Callable[..., Said], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """How names are kept has to be said; the ledger is shown, and the run is scored as far as it can be."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "day.jsonl").write_text(MINIMAL + "\n" + MINIMAL + "\n")
    (tmp_path / "key").write_text("a long and random text\n")
    undecided = memgauge("runs", "import", "otlp", "day.jsonl")
    assert (undecided.code, "--plain-ids" in undecided.err) == (2, True)
    both = memgauge("runs", "import", "otlp", "day.jsonl", "--plain-ids", "--pseudonyms", "key")
    assert both.code == 2
    said = memgauge("runs", "import", "otlp", "day.jsonl", "--pseudonyms", "key")
    assert said.code == 0, said.err
    assert "2 spans, 1 of them copies" in said.out
    assert "genai: 1 search." in said.out
    following = said.out.split("Next: memgauge ")[1].splitlines()[0]
    assert following.startswith("study production health ")
    assert memgauge(*following.split()).code == 0
    data = memgauge("runs", "import", "otlp", "day.jsonl", "--pseudonyms", "key", "--json").data
    assert (data["ledger"]["duplicates"], data["identity"]["pseudonyms"]) == (1, "keyed")
    assert "m7" not in memgauge("runs", "show", "runs", "00f067aa0ba902b7").out
    board = memgauge("score", data["folder"])
    assert (board.code, "no evidence" in board.out) == (0, True)
    (tmp_path / "short").write_text("abc")
    for wrong in (("--pseudonyms", "short"), ("--pseudonyms", "absent")):
        assert memgauge("runs", "import", "otlp", "day.jsonl", *wrong).code == 2
    assert memgauge("runs", "import", "otlp", "--plain-ids").code == 2
    assert memgauge("runs", "import", "jsonl", "day.jsonl").code == 2


def test_a_run_leaves_as_spans(memgauge: Callable[..., Said], tmp_path: Path) -> None:
    """With the values of measures as events; joined to its dataset it has the same score."""
    memgauge(
        "run", "-d", "synthetic:tiny", "-s", "bm25", "--k", "5", "--executor", "inline", "--out", tmp_path / "out"
    )
    (folder,) = (tmp_path / "out").glob("synthetic-*")
    (path,) = memgauge("runs", "export", folder, "--to", "otlp", "--out", tmp_path, "--json").data["files"]
    assert "gen_ai.evaluation.score.value" in (tmp_path / "spans.jsonl").read_text("utf-8")
    back = memgauge(
        "runs", "import", "otlp", path, "-d", "synthetic:tiny", "--out", tmp_path / "in", "--json"
    ).data
    assert (back["missing"], back["by_id"]) == (0, 32)
