"""`memgauge study targets`."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memgauge.cli import invoke
from memgauge.reproduce.invented.folders import write
from support.model_server import KEY, answer, bodies, completion, serve

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_httpserver import HTTPServer

    from support.cli import Said

STORES = ("--store", "facts-1", "--store", "facts-5")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Run BM25 over two stores of the small world."""
    folder = tmp_path_factory.mktemp("runs") / "out"
    run = (
        "study",
        "targets",
        "run",
        "-d",
        "synthetic:small,seed=1",
        "-s",
        "bm25:k1=1.2,b=0.75,stem=none,stop=none",
        *STORES,
        "--executor",
        "inline",
        "--k",
        "20",
    )
    assert invoke([*run, "--out", str(folder)]) == 0
    return folder


@pytest.fixture
def out(runs: Path, tmp_path: Path) -> Path:
    """Give a copy of the runs."""
    return shutil.copytree(runs, tmp_path / "out")


def test_folders_of_runs_name_their_stores(runs: Path) -> None:
    """However many options a system has, its runs over two stores are told apart by a pattern."""
    for store in ("facts-1", "facts-5"):
        assert len(list(runs.glob(f"*bm25*{store}*"))) == 1


def test_an_audit_from_stores_to_page(memgauge: Callable[..., Said], out: Path, tmp_path: Path) -> None:
    """Tables in the terminal, a page and data on disk; all tables on request."""
    said = memgauge("study", "targets", "audit", out, "--k", "20", "--out", tmp_path / "page")
    assert said.code == 0, said.err
    assert "Table 2: the same lists under three targets" in said.out
    assert "Table 7" not in said.out
    assert "Table 7" in memgauge("study", "targets", "audit", out, "--k", "20", "--tables").out
    data = json.loads((tmp_path / "page" / "targets.json").read_text())
    assert data == memgauge("study", "targets", "audit", out, "--k", "20", "--json").data
    assert data == memgauge("study", "targets", "audit", out, "--json").data
    deeper = memgauge("study", "targets", "audit", out, "--k", "60")
    assert deeper.code == 2
    assert "end at 20 memories" in " ".join(deeper.err.split())
    assert (tmp_path / "page" / "targets.html").read_text().startswith("<!doctype html>")
    other = memgauge(
        "study", "targets", "audit", out, "--k", "20", "--credit", "id", "--coverage", "all", "--json"
    ).data
    assert other["value"]["spec"]["credit"] == "id"
    own = memgauge(
        "study", "targets", "audit", out, "--k", "20", "--target", "canonical+summary", "--every-question"
    )
    assert own.code == 0, own.err


def test_stores_are_written_with_their_hashes(memgauge: Callable[..., Said], tmp_path: Path) -> None:
    """A line each, the same as data, and the same bytes again."""
    asked = ("study", "targets", "stores", "-d", "synthetic:tiny", *STORES, "--out", tmp_path / "stores")
    assert "memories of facts-5" in " ".join(memgauge(*asked).out.split())
    first, second = (memgauge(*asked, "--json").data for _ in range(2))
    assert first == second
    assert first["facts-5"]["memories"] > first["facts-1"]["memories"]
    for store in first.values():
        assert Path(store["path"]).parent == tmp_path / "stores"
        assert hashlib.sha256(Path(store["path"]).read_bytes()).hexdigest() == store["sha256"]


def test_stores_are_written_of_files_that_are_not_the_published_ones(
    memgauge: Callable[..., Said], tmp_path: Path
) -> None:
    """A part of a benchmark, or one's own file in its shape, is read as it is."""
    mine = write("locomo_plus", tmp_path / "mine")
    made = memgauge(
        "study", "targets", "stores", "-d", mine, "--store", "facts-1", "--out", tmp_path / "stores", "--json"
    )
    assert made.code == 0, made.err
    assert made.data["facts-1"]["memories"] > 0


def test_every_option_of_the_contract_reaches_the_audit(memgauge: Callable[..., Said], out: Path) -> None:
    """What the tables are told under is what was asked for."""
    asked = {"k": 7, "credit": "id", "coverage": "all", "ties": "hash", "evidence": "repair", "anchors": "session"}
    options = [part for name, value in asked.items() for part in (f"--{name}", value)]
    spec = memgauge("study", "targets", "audit", out, *options, "--json").data["value"]["spec"]
    assert {name: spec[name] for name in asked} == asked
    assert spec["answerable"] is True


def test_facts_that_a_model_read_are_a_store(
    httpserver: HTTPServer, memgauge: Callable[..., Said], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folders around the file are made, and a memory can be run over it."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    url = serve(httpserver, answer(completion(json.dumps({"facts": ["A robin sang."]}))))
    asked = (
        "-d",
        "synthetic:tiny",
        "--model",
        "openai:tiny",
        "--base-url",
        url,
        "--cassette",
        tmp_path / "replies.sqlite",
    )
    made = memgauge("study", "targets", "extract", *asked, "--out", tmp_path / "far" / "below", "--json")
    assert made.code == 0, made.err
    assert Path(made.data["path"]).parent == tmp_path / "far" / "below"
    assert (made.data["memories"], made.data["unread"]) == (len(bodies(httpserver)), 0)


def test_a_semantic_audit_without_any_model(memgauge: Callable[..., Said], out: Path, tmp_path: Path) -> None:
    """Cases, labels by heuristics, tables, and the graded target."""
    folder = tmp_path / "support"
    assert "contested" in memgauge("study", "targets", "cases", out, "--k", "20", "--out", folder).out
    assert "Nobody was named" in memgauge("study", "targets", "label", folder).err
    assert "Nobody has labelled" in memgauge("study", "targets", "support", folder).err
    assert memgauge("study", "targets", "label", folder, "--heuristics").code == 0
    said = memgauge("study", "targets", "support", folder, out, "--k", "20", "--tables")
    assert said.code == 0, said.err
    assert "heuristic:J1" in said.out
    assert "The support-graded target" in said.out
    assert "rank 6-20" in said.out
    data = memgauge("study", "targets", "support", folder, "--json").data
    assert data["value"]["support"]["raters"] == {"heuristics": ["heuristic:J1", "heuristic:J2", "heuristic:J3"]}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("study", "targets", "audit", "nowhere"), "No run at or below"),
        (("study", "targets", "stores", "-d", "synthetic:tiny", "--store", "obs"), "ships no derived memories"),
        (("study", "targets", "run", "-d", "synthetic:tiny", "-s", "hsr", "--store", "facts-1"), "store"),
        (("study", "targets", "support", "nowhere"), "no cases"),
    ],
)
def test_mistakes_are_one_sentence(memgauge: Callable[..., Said], arguments: tuple[str, ...], said: str) -> None:
    """Exit code 2 and what to do."""
    found = memgauge(*arguments)
    assert (found.code, said in found.err) == (2, True), found.err


def test_runs_of_two_datasets_are_not_audited_together(memgauge: Callable[..., Said], out: Path) -> None:
    """One at a time."""
    memgauge("run", "-d", "synthetic:tiny", "-s", "bm25", "--executor", "inline", "--out", out)
    found = memgauge("study", "targets", "audit", out)
    assert (found.code, "on 2 datasets" in found.err) == (2, True)
