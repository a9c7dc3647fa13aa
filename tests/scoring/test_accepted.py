"""A baseline that is kept: small, without texts, and as good as the run that it was made of."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from memgauge.errors import ConfigError, DataNotFoundError, IdentityError, MalformedDataError
from memgauge.records import BOARD, Contract
from memgauge.scoring.accepted import AcceptedRun, AcceptedRuns, accept, accepted_text, read_accepted
from memgauge.scoring.apart import names_apart
from memgauge.scoring.compare import baseline_for, compare
from memgauge.scoring.gold import GoldTable
from memgauge.scoring.score import Settings
from memgauge.studies.quality.gate import gate
from support.handmade import many_questions

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from memgauge.runs.record.store import Run

DATA = many_questions()
GOLD = GoldTable.read(DATA)
SETTINGS = Settings(Contract(), ("nDCG@10", "Hit@5"))
GATED = ("Recall@10", "Complete@10")


def written(path: Path, *runs: AcceptedRun) -> AcceptedRuns:
    """Write accepted runs and read them."""
    path.write_text(accepted_text(AcceptedRuns(runs)), encoding="utf-8")
    return read_accepted(path)


def kept(run: Run, name: str = "main", settings: Settings = SETTINGS) -> AcceptedRun:
    """Accept a run."""
    return accept(run, GOLD, settings, GATED, name)


def test_comparing_with_the_file_is_comparing_with_the_run(runs: dict[str, Run], tmp_path: Path) -> None:
    """Every figure is the same to the last digit, of a comparison and of the gate."""
    before, after = runs["many Notebook"], runs["many Backwards"]
    (baseline,) = written(tmp_path / "baseline.json", kept(before)).runs
    assert (
        compare(baseline, after, GOLD, SETTINGS).differences == compare(before, after, GOLD, SETTINGS).differences
    )
    gated, again = (gate(side, after, DATA, GATED) for side in (before, baseline))
    assert gated.checks == again.checks
    assert (gated.failed_calls, gated.passed) == (again.failed_calls, again.passed)
    lost = gate(baseline, runs["many Failing"], DATA, GATED)
    assert lost.failed_calls == gate(before, runs["many Failing"], DATA, GATED).failed_calls > 0


def test_the_file_is_small_the_same_every_time_and_without_texts(runs: dict[str, Run], tmp_path: Path) -> None:
    """A line a question, for git; no word of a question or a memory stands in it."""
    text = accepted_text(AcceptedRuns((kept(runs["many Notebook"]),)))
    assert text == accepted_text(AcceptedRuns((kept(runs["many Notebook"]),)))
    assert accepted_text(written(tmp_path / "baseline.json", kept(runs["many Notebook"]))) == text
    assert len([line for line in text.splitlines() if line.startswith('  "')]) == len(GOLD.questions)
    assert not [question.text for question in GOLD.questions if question.text in text]
    assert runs["many Notebook"].seal.content in text


def test_a_baseline_under_other_settings_is_refused_with_what_to_do(runs: dict[str, Run]) -> None:
    """Contract, k and measures have to be those that it was accepted under."""
    baseline, after = kept(runs["many Notebook"]), runs["many Backwards"]
    for settings, said in (
        (replace(SETTINGS, contract=BOARD), "was accepted under the contract target="),
        (replace(SETTINGS, k=30), "Compare with --k 60, or accept its run again with --k 30"),
        (replace(SETTINGS, measures=("MRR@60",)), "has no MRR@60; it has nDCG@10, Hit@5"),
    ):
        with pytest.raises(ConfigError, match=said.replace("(", r"\(")):
            compare(baseline, after, GOLD, settings)
    with pytest.raises(ConfigError, match="-m Precision"):
        gate(baseline, after, DATA, ("Precision@5",))


def test_unlike_data_is_refused(runs: dict[str, Run], tmp_path: Path) -> None:
    """A run on other data, or with another k, is not compared with it."""
    accepted = written(tmp_path / "baseline.json", kept(runs["many Notebook"]))
    with pytest.raises(IdentityError, match="differ in more than the system"):
        baseline_for(accepted, runs["two Notebook"])


def test_of_several_accepted_runs_the_one_of_the_same_system_is_taken(
    runs: dict[str, Run], tmp_path: Path
) -> None:
    """A file may hold several systems; where several compare and none is of the same label, it is refused."""
    both = written(tmp_path / "baseline.json", kept(runs["many Notebook"]), kept(runs["many Backwards"]))
    assert baseline_for(both, runs["many Backwards"]).label == runs["many Backwards"].label
    with pytest.raises(ConfigError, match="Several accepted runs compare with"):
        baseline_for(both, runs["many Nothing"])


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda text: text.replace('["ok", ', '["ok", 0.5, ', 1), "was changed after it was accepted"),
        (lambda text: text.replace('"name": "main"', '"name": "other"'), "was changed after it was accepted"),
        (lambda text: text.replace('"version": 1', '"version": 2', 1), "of version 2"),
        (lambda text: text[:-20], "is no file of accepted runs"),
        (lambda _: "{}", "no result of this version"),
        (lambda _: "[1]", "no result of this version"),
    ],
)
def test_a_spoilt_file_is_refused(
    runs: dict[str, Run], tmp_path: Path, spoil: Callable[[str], str], said: str
) -> None:
    """What was edited, cut off or is something else is one sentence."""
    path = tmp_path / "baseline.json"
    path.write_text(spoil(accepted_text(AcceptedRuns((kept(runs["many Notebook"]),)))), encoding="utf-8")
    with pytest.raises(MalformedDataError, match=said):
        read_accepted(path)
    with pytest.raises(DataNotFoundError):
        read_accepted(tmp_path / "nowhere.json")


def test_titles_never_say_x_beside_x(runs: dict[str, Run], tmp_path: Path) -> None:
    """Two runs are named by what sets them apart: label, version, commit, folder; an accepted one by its name."""
    run = runs["many Notebook"]

    def made(version: str = "1", commit: str = "", folder: str = "before") -> Run:
        system = run.manifest.system.model_copy(update={"version": version})
        environment = {"commit": commit} if commit else {}
        manifest = run.manifest.model_copy(update={"system": system, "environment": environment})
        return replace(run, manifest=manifest, folder=tmp_path / folder / "run")

    label = run.label
    for a, b, names in (
        (made(), made(version="2"), ("1", "2")),
        (made(commit="abc1234"), made(commit="def5678"), ("abc1234", "def5678")),
        (made(), made(folder="after"), ("before", "after")),
    ):
        assert names_apart(a, b) == tuple(f"{label} {name}" for name in names)
    assert len(set(names_apart(made(), made()))) == 2
    assert names_apart(kept(run), made(commit="def5678")) == (f"{label} main", f"{label} def5678")
    assert names_apart(kept(run), made()) == (f"{label} main", f"{label} now")
    assert names_apart(run, runs["many Backwards"]) == (label, runs["many Backwards"].label)
