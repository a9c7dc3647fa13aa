"""`memgauge models answer`."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from memgauge.cli import invoke

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support.cli import Said


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make two runs."""
    folder = tmp_path_factory.mktemp("two") / "out"
    assert (
        invoke(
            [
                "run",
                "-d",
                "synthetic:tiny",
                "-s",
                "bm25",
                "-s",
                "none",
                "--executor",
                "inline",
                "--out",
                str(folder),
                "--json",
            ]
        )
        == 0
    )
    return folder


@pytest.fixture
def out(runs: Path, tmp_path: Path) -> Path:
    """Give a copy of both, to be answered."""
    return shutil.copytree(runs, tmp_path / "out")


def test_runs_are_answered_and_scored(memgauge: Callable[..., Said], out: Path) -> None:
    """A table with every system, what was scored, and where wrong answers were lost."""
    said = memgauge("models", "answer", out, "--stages")
    assert said.code == 0
    assert "Answers of extractive:sentences=1 retrieved" in said.out
    assert "Scored for bm25 and none" in said.out
    assert "stored but not retrieved" in said.out


def test_answers_are_data_too(memgauge: Callable[..., Said], out: Path) -> None:
    """Scores with denominators, the layer and its stages; the second time nothing is made."""
    options = (
        "models",
        "answer",
        out,
        "--answerer",
        "first",
        "--context",
        "oracle",
        "--measure",
        "EM",
        "--json",
        "--stages",
    )
    first, second = (memgauge(*options).data["answers"] for _ in range(2))
    assert first == second
    assert [one["system"] for one in first] == ["bm25", "none"]
    assert first[0]["scores"][0]["measure"] == "EM"
    assert first[0]["scores"][0]["denominator"]["scored"] > 0


def test_failed_answers_are_lost_where_they_failed(memgauge: Callable[..., Said], tmp_path: Path) -> None:
    """They have no score under most contracts, and are counted all the same."""
    run = ("run", "-d", "synthetic:tiny", "-s", "faulty:raises", "--conversations", "1", "--executor", "inline")
    failed = sum(memgauge(*run, "--out", tmp_path, "--json").data["runs"][0]["outcomes"].values())
    (entry,) = memgauge("models", "answer", tmp_path, "--stages", "--json").data["answers"]
    assert entry["stages"]["the system or the answerer failed"] == failed > 0


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--answerer", "extractiv"), "Did you mean extractive"),
        (("--measure", "F2"), "Did you mean F1"),
        (("--contract", "failures=maybe"), "Unknown contract failures"),
    ],
)
def test_mistakes_are_one_sentence(
    memgauge: Callable[..., Said], out: Path, options: tuple[str, ...], said: str
) -> None:
    """Unknown names are suggested."""
    found = memgauge("models", "answer", out, *options)
    assert (found.code, said in found.err) == (2, True)
