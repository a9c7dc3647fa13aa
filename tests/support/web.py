"""A shelf of runs and study results for tests of the viewer, made by the command line as a user would make it."""

from __future__ import annotations

import contextlib
import io
from typing import TYPE_CHECKING, Any

from memgauge.cli import invoke
from memgauge.results import plain
from memgauge.runs.layers.layer import LayerManifest, layers, write_layer
from memgauge.runs.record.store import load
from memgauge.show.exports import data_text
from memgauge.studies.quality.study import QUALITY
from memgauge.studies.shift.report import SHIFT
from memgauge.systems.conformance.kinds import MATRIX
from memgauge.systems.conformance.matrix import matrix_of
from memgauge.systems.conformance.shipped import shipped_cards
from support.golden import write_suite
from support.quality_result import measured
from support.shift_result import reported, study

if TYPE_CHECKING:
    from pathlib import Path

RAW = '{"grade": "correct", "why": "<b>because</b>"}'


def said(*arguments: object) -> str:
    """Call the command line and return what it prints; a failed check is no failure here."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        code = invoke([str(argument) for argument in arguments])
    assert code in {0, 1}, arguments
    return out.getvalue()


def make_runs(folder: Path) -> None:
    """Run four systems on the tiny world, answer from one, and let a panel of one judge it."""
    systems = [part for name in ("bm25", "random", "oracle", "pipeline") for part in ("-s", name)]
    said("run", "-d", "synthetic:tiny", *systems, "--executor", "inline", "--out", folder, "--json")
    for one in folder.glob("*bm25*"):
        said("models", "answer", one, "--json")
        judge(one)


def judge(folder: Path, raw: str = RAW, name: str = "a judge") -> None:
    """Put verdicts on the answers of a run, as a panel would have left them."""
    run = load(folder)
    (answers,) = layers(run, "answers")
    manifest = LayerManifest(kind="verdicts", base=answers.hash, label=f"panel of {name}", maker={"panel": name})
    rows: dict[str, dict[str, Any]] = {
        row["question"]: {
            "key": row["question"],
            "question": row["question"],
            "rubric": "fact",
            "grade": "correct" if number % 2 else "incorrect",
            "votes": [
                {
                    "judge": name,
                    "grade": "correct" if number % 2 else "incorrect",
                    "reason": "",
                    "request": "",
                    "raw": raw,
                    "usage": None,
                }
            ],
            "injections": [raw] if number == 0 else [],
            "rule": "",
        }
        for number, row in enumerate(answers.rows())
    }
    write_layer(run, manifest, list(rows), lambda keys: (rows[key] for key in keys))


def make_studies(folder: Path) -> None:
    """Write one small result of every study."""
    folder.mkdir(parents=True)
    suite = write_suite(folder)
    golden = ("study", "golden", "run", "-s", "recency", "--suite", suite, "--out", folder / "golden.json")
    for build in ("one", "two"):
        said(*golden, "--history", folder / "golden.jsonl", "--build", build)
    card = (
        "study",
        "attribution",
        "run",
        "--wiring",
        "memory-only",
        "--questions",
        8,
        "--out",
        folder / "attribution.json",
    )
    for build in ("one", "two"):
        said(*card, "--history", folder / "attribution.jsonl", "--build", build)
    said("study", "attribution", "designs", "--out", folder / "designs.json")
    context = (
        "study",
        "context",
        "profile",
        "--model",
        "simulated:effective=2000",
        "-l",
        500,
        "-l",
        1000,
        "--samples",
        2,
    )
    for _ in range(2):
        said(*context, "--out", folder / "context.json", "--history", folder / "context.jsonl")
    said("study", "context", "tasks", "--samples", 2, "--out", folder / "tasks.json")
    said("study", "context", "simulate", "--samples", 20, "--simulations", 10, "--out", folder / "rules.json")
    track = folder / "track"
    said("study", "track", "run", "slow-checkout", "--sandbox", "off", "--out", track)
    said("study", "track", "score", track, "--out", folder / "scores.json")
    said("study", "track", "compare", track, track, "--out", folder / "comparison.json")
    said("study", "track", "stats", "slow-checkout", "--out", folder / "statistics.json")
    said("study", "track", "lint", "slow-checkout", "--out", folder / "lint.json")
    write_result(folder / "shift.json", SHIFT.of(reported(*study())))
    write_result(folder / "quality.json", QUALITY.of(measured()))
    write_result(folder / "matrix.json", MATRIX.of(matrix_of(list(shipped_cards())[:2])))


def write_result(path: Path, value: object) -> None:
    """Write a result as a command does with `--out`."""
    path.write_text(data_text(plain(value)), "utf-8")


def make_prompts(folder: Path, runs: Path) -> None:
    """Say what the prompts of runs keep, and which target makes which of them win."""
    said("study", "targets", "audit", runs, "--k", 20, "--out", folder / "targets.json")
    said("study", "context", "assembled", runs, "--policy", "edges-first", "--out", folder / "prompts.json")


def make_unfinished(folder: Path, source: Path) -> Path:
    """Leave a run as a kill would: its manifest, and half of its journal with a torn last line."""
    made = folder / "left"
    made.mkdir(parents=True)
    (made / "manifest.json").write_bytes((source / "manifest.json").read_bytes())
    lines = (source / "journal.jsonl").read_bytes().splitlines(keepends=True)
    (made / "journal.jsonl").write_bytes(b"".join(lines) + b'{"t":"question","conv')
    return made
