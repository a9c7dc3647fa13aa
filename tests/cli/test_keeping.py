"""`memgauge runs accept` and `cite`: a baseline for git, and words for a paper."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support.cli import Said


def one(made: Path, system: str) -> Path:
    """Return the run of a system."""
    (run,) = made.glob(f"*-{system}-*")
    return run


def test_an_accepted_baseline_stands_in_for_its_run(
    memgauge: Callable[..., Said], made: Path, tmp_path: Path
) -> None:
    """Compare and gate take the file where they take a run, and say the same."""
    bm25, random = one(made, "bm25"), one(made, "random")
    path = tmp_path / "git" / "baseline.json"
    said = memgauge("runs", "accept", bm25, "--as", "main", "--out", path)
    assert re.search(
        r"baseline.json \(\d+ kB\): bm25, accepted as main. Keep it in git.", " ".join(said.out.split())
    )
    kept, fresh = (memgauge("compare", side, random, "--json").data[0] for side in (path, bm25))
    assert kept["differences"] == fresh["differences"]
    assert (kept["a"], kept["b"]) == ("bm25 main", "random")
    gates = [
        memgauge("study", "quality", "gate", random, "--baseline", side, "--json").data["value"]
        for side in (path, bm25)
    ]
    assert gates[0]["checks"] == gates[1]["checks"]
    assert "bm25 now beside bm25 main" in memgauge("compare", path, bm25).out


def test_a_baseline_is_compared_under_what_it_was_accepted_under(
    memgauge: Callable[..., Said], made: Path, tmp_path: Path
) -> None:
    """Where nothing is asked for, its own measures and contract are taken; what it has not is refused."""
    path, run = tmp_path / "baseline.json", one(made, "random")
    settings = ("-m", "Hit@5", "--contract", "failures=exclude")
    memgauge("runs", "accept", one(made, "bm25"), "--as", "main", "--out", path, *settings)
    (made_of,) = memgauge("compare", path, run, "--json").data
    assert [each["measure"] for each in made_of["differences"]] == ["Hit@5"]
    assert "failures=exclude" in made_of["contract"]
    said = memgauge("compare", path, run, "--contract", "failures=zero")
    assert (said.code, "was accepted under the contract" in said.err) == (2, True)
    assert memgauge("compare", path, run, "--k", 5).code == 2
    assert memgauge("compare", path, run, "-m", "MRR@60").code == 2
    assert "Name another run" in memgauge("compare", path).err or memgauge("compare", path).code == 2


def test_a_baseline_needs_a_name_and_a_file_of_its_kind(
    memgauge: Callable[..., Said], made: Path, tmp_path: Path
) -> None:
    """An empty name, or another ending, is wrong use, and so is any other file in its place."""
    assert memgauge("runs", "accept", made, "--as", " ", "--out", tmp_path / "b.json").code == 2
    assert memgauge("runs", "accept", made, "--as", "x", "--out", tmp_path / "b.txt").code == 2
    other = tmp_path / "other.json"
    other.write_text(json.dumps({"kind": "quality gate", "version": 1, "value": {}}))
    said = memgauge("compare", other, one(made, "bm25"))
    assert (said.code, "not a accepted runs" in said.err or "accepted runs" in said.err) == (2, True)


def test_a_run_that_answered_nothing_is_no_baseline(memgauge: Callable[..., Said], tmp_path: Path) -> None:
    """One outage on the day of acceptance would let every later change through."""
    memgauge("run", "-d", "synthetic:tiny", "-s", "faulty:raises", "--executor", "inline", "--out", tmp_path / "r")
    refused = memgauge("runs", "accept", tmp_path / "r", "--as", "main", "--out", tmp_path / "b.json")
    assert (refused.code, "none of its searches succeeded" in refused.err) == (2, True)
    assert not (tmp_path / "b.json").exists()


def test_a_run_says_how_it_is_cited(memgauge: Callable[..., Said], made: Path) -> None:
    """The paragraph names data, limits, isolation and inference; the same every time, as text and Markdown."""
    run = one(made, "bm25")
    said = memgauge("runs", "cite", run, "-m", "Hit@5").out
    flat = " ".join(said.split())
    assert said == memgauge("runs", "cite", run, "-m", "Hit@5").out
    for part in (
        "We measured bm25 (version ",
        "on synthetic:tiny (sha256 ",
        "2 conversations, 32 questions)",
        "at most 60 hits, 60 s and 2 retries, with seed 0; questions ended ",
        "It was played in a process of its own",
        "Measures: Hit@5. Contract (target=source,",
        "CR2 standard errors",
        "Holm's correction",
        f"Run {run.name}, content sha256 ",
        "The memgauge founders. memgauge:",
    ):
        assert part in flat
    assert "## Methods" in memgauge("runs", "cite", run, "--format", "md").out
    assert set(memgauge("runs", "cite", run, "--json").data) == {"methods", "references", "bibtex"}


def test_a_run_that_others_made_is_said_to_be_theirs(
    memgauge: Callable[..., Said], made: Path, tmp_path: Path
) -> None:
    """Nothing was streamed, no call was limited, and nobody knows behind which walls."""
    memgauge("runs", "export", one(made, "bm25"), "--to", "jsonl", "--out", tmp_path / "ex")
    memgauge(
        "runs", "import", "jsonl", tmp_path / "ex" / "run.jsonl", "-d", "synthetic:tiny", "--out", tmp_path / "im"
    )
    flat = " ".join(memgauge("runs", "cite", tmp_path / "im").out.split())
    assert "We scored what others recorded of run (version imported" in flat
    assert "It was imported from run.jsonl (jsonl): the harness did not see it run; questions ended " in flat
    for word in ("streamed", "retries", "seed", "kept from the gold"):
        assert word not in flat


def test_bibtex_has_the_instrument_the_runs_and_what_inference_rests_on(
    memgauge: Callable[..., Said], made: Path
) -> None:
    """Every entry closes, keys occur once, and no value holds what TeX obeys."""
    written = memgauge("runs", "cite", made, "--format", "bibtex").out
    keys = re.findall(r"^@(?:software|misc)\{([^,]+),$", written, flags=re.MULTILINE)
    assert keys[0] == "memgauge"
    assert len(set(keys)) == len(keys) == 1 + 3 + 3
    assert written.count("{") == written.count("}")
    assert not re.search(r"[%&#$\\~^]", written)
    assert all(re.fullmatch(r"|@.*,|  \w+ = \{.*\},|\}", line) for line in written.splitlines())
