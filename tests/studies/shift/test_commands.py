"""`memgauge study shift`."""

from __future__ import annotations

import json
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memgauge.cli import invoke
from memgauge.runs.record.manifest import Manifest
from memgauge.studies.shift.report import SHIFT
from support import real_data

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.cli import Said

TINY = ("study", "shift", "run", "-d", "synthetic:tiny", "--preset", "clean", "--bursts", "5", "--draws", "100")


@pytest.fixture(scope="module")
def lexical(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """Play a small world by default where no weights are; return what is printed, and the folder."""
    out, empty, printed = tmp_path_factory.mktemp("lexical"), tmp_path_factory.mktemp("empty"), StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(printed):
        patch.setenv("MEMGAUGE_MINILM", str(empty))
        patch.setenv("MEMGAUGE_HOME", str(empty))  # weights that this machine has installed would do
        assert invoke([*TINY, "--executor", "inline", "--out", str(out)]) == 0
    return printed.getvalue(), out


@pytest.fixture
def drawn(memgauge: Callable[..., Said], tmp_path: Path) -> Callable[..., Said]:
    """Play a small world into a folder of its own, in this process: players give the same, and others show it."""
    return lambda *arguments: memgauge(*TINY, "--executor", "inline", "--out", tmp_path / "out", *arguments)


@pytest.fixture
def small(memgauge: Callable[..., Said], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Said]:
    """Play a small world as well, of which data are written and no page is drawn."""
    monkeypatch.chdir(tmp_path)
    return lambda *arguments: memgauge(*TINY, "--executor", "inline", "--out", "shift.json", *arguments)


def names(shown: Said) -> list[str]:
    """Name who took part."""
    return [row["policy"] for row in shown.data["value"]["result"]["rows"]]


def test_a_small_world_is_played_told_drawn_and_kept(lexical: tuple[str, Path]) -> None:
    """Tables are printed; page, data and a sealed run for every policy and burst length lie in the folder."""
    printed, out = lexical
    assert "Table 1" in printed
    assert "Answers" in printed
    assert "(0.568)" not in printed
    page = (out / "shift.html").read_text()
    assert "Figure 1." in page
    assert "Figure 2." in page
    data = SHIFT.read(json.loads((out / "shift.json").read_text()))
    assert data.spec.bursts == (0, 5)
    assert len(data.runs) == 2 * len(data.result.rows)
    assert all((Path(run.folder) / "SEAL").is_file() for run in data.runs)
    assert data.answers is not None
    assert data.answers.answerer == "extractive:sentences=1"


def test_any_system_takes_part_beside_the_simulation(small: Callable[..., Said]) -> None:
    """Systems live through the stream; a memory is told from the simulation of the same name."""
    shown = small("--policy", "flat", "-s", "flat", "-s", "bm25", "--json")
    assert names(shown) == ["flat", "flat (memory)", "bm25"]
    flat, lived, _ = shown.data["value"]["result"]["rows"]
    assert flat["recovery"] == lived["recovery"]
    assert names(small("--policy", "none", "-s", "recency", "--json")) == ["recency"]


def test_a_router_shows_its_choices_and_regret(small: Callable[..., Said]) -> None:
    """A bandit over any two systems is judged against its arms when they are played too."""
    shown = small("--policy", "none", "-s", "ucb:arms=bm25+recency", "-s", "bm25", "-s", "recency")
    assert "What routers chose" in shown.out
    routes = small("--policy", "none", "-s", "ucb:arms=bm25+recency", "--json").data["value"]["result"]["routes"]
    assert "play them too" in routes[0]["regret_fixed"]["reason"]
    assert set(routes[0]["shares"]) == {"bm25", "recency"}


def test_a_failing_system_is_told(small: Callable[..., Said]) -> None:
    """Questions without a result are counted where everybody reads it."""
    shown = small("--policy", "flat", "-s", "faulty:raises")
    assert "faulty:raises failed on" in shown.out
    assert shown.code == 1


def test_every_knob_reaches_the_protocol(small: Callable[..., Said]) -> None:
    """Options change the preset; what is not named stays; the clean stream is always played."""
    knobs = (
        "--place",
        "session_end",
        "--distractor-filing",
        "current",
        "--horizon",
        "3",
        "--dedupe",
        "--policy",
        "flat",
    )
    shown = small(*knobs, "--json")
    spec = shown.data["value"]["spec"]
    assert (spec["place"], spec["filing"], spec["horizon"], spec["dedupe"]) == ("session_end", "current", 3, True)
    assert (spec["source"], spec["bursts"]) == ("other_conversations", [0, 5])
    assert names(shown) == ["flat"]


def test_dense_and_the_bandit_take_part_where_vectors_are(small: Callable[..., Said]) -> None:
    """With an embedder the paper's seven methods play; runs of those that see a stand-in's vectors say so."""
    shown = small("--embedder", "hashed", "--json")
    assert names(shown) == ["flat", "gated", "hsr", "raptor", "fusion", "dense", "ucb"]
    assert set(shown.data["value"]["result"]["routes"][0]["shares"]) == {"flat", "dense", "hsr", "fusion"}
    assert shown.data["value"]["result"]["ranked"] == ["flat", "gated", "hsr", "raptor", "fusion"]
    assert shown.data["value"]["embedder"].startswith("hashed words")
    promised = {run["policy"]: Manifest.read(Path(run["folder"])).system for run in shown.data["value"]["runs"]}
    marked = {policy for policy, system in promised.items() if system.capabilities["stand_ins"]}
    assert marked == {"dense", "ucb"}


def test_without_weights_dense_is_left_out_and_that_is_said(
    lexical: tuple[str, Path], small: Callable[..., Said], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Nothing is fetched: who cannot take part is named with what to do; asked for by name it is a mistake."""
    data = SHIFT.read(json.loads((lexical[1] / "shift.json").read_text()))
    assert "dense" not in {row.policy for row in data.result.rows}
    assert "Dense retrieval is left out" in data.left_out
    monkeypatch.setenv("MEMGAUGE_MINILM", str(tmp_path))
    monkeypatch.setenv("MEMGAUGE_HOME", str(tmp_path))
    refused = small("--policy", "dense")
    assert refused.code == 2
    assert "weights" in refused.err


@pytest.mark.slow  # test_every_definition_is_played_and_put_into_words plays the same ones
def test_definitions_join_the_page(drawn: Callable[..., Said], tmp_path: Path) -> None:
    """Every other definition is played for the page when that is asked for."""
    shown = drawn("--definitions", "--policy", "flat", "--policy", "hsr", "--summaries", "extractive", "--json")
    assert len(shown.data["value"]["readings"]) == 13
    assert "Does the finding survive another reading?" in (tmp_path / "out" / "shift.html").read_text()


def test_summaries_can_be_supplied(
    small: Callable[..., Said], memgauge: Callable[..., Said], tmp_path: Path
) -> None:
    """A file of summaries replaces the dataset's; a dataset without any has none to print."""
    path = tmp_path / "summaries.json"
    path.write_text("{}")
    assert "What was supplied has no summaries" in small("--supplied", path).err
    refused = memgauge("study", "shift", "summaries", "-d", "synthetic:tiny")
    assert (refused.code, "has no session summaries" in refused.err) == (2, True)


@pytest.mark.data
def test_locomo_has_summaries_to_print(memgauge: Callable[..., Said]) -> None:
    """They come as conversations, sessions and texts."""
    real_data("locomo/locomo10.json")
    texts = memgauge("study", "shift", "summaries").data
    assert len(texts) == 10
    assert all(text for sessions in texts.values() for text in sessions.values())


@pytest.mark.data
def test_the_halumem_preset_plays_any_file(memgauge: Callable[..., Said], tmp_path: Path) -> None:
    """Memory points are the units, m is 50 and T is 3; the rate of unmatched evidence is printed."""
    path = real_data("halumem/halumem.user0.jsonl")
    options = ("--policy", "flat", "--policy", "hsr", "--draws", "50", "--out", tmp_path)
    shown = memgauge(
        "study", "shift", "run", "--preset", "halumem", "-d", f"halumem:{path},units=points", *options
    )
    assert shown.code == 0
    assert "Recovery@3, m=50" in shown.out
    assert "95 entries of evidence, of which 0 (0.0%) name no turn" in shown.out
    assert "not known to be the published file" in shown.out
    assert "Table 5" in shown.out


def test_presets_are_listed(memgauge: Callable[..., Said]) -> None:
    """Every knob of every preset is shown, in words and as data."""
    assert "fixed_burst" in memgauge("study", "shift", "presets").out
    presets = memgauge("study", "shift", "presets", "--json").data
    assert (presets["clean"]["horizon"], presets["halumem"]["bursts"]) == (5, [0, 50])


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--horizon", "0"), "Give a whole number from 1"),
        (("--bursts", "-3"), "Give a whole number from 0"),
        (("--policy", "flatt"), "Did you mean flat"),
        (("--policy", "none"), "Nobody takes part"),
        (("-s", "bm52"), "Did you mean bm25"),
        (("--answerer", "extractiv"), "Did you mean extractive"),
        (("--categories", "nothing"), "No question"),
        (("--summaries", "dataset"), "extractive"),
        (("--preset", "papr"), "Did you mean paper"),
        (("--dedupe", "-s", "bm25"), "simulated policies only"),
    ],
)
def test_mistakes_are_one_sentence(
    memgauge: Callable[..., Said], tmp_path: Path, arguments: tuple[str, ...], sentence: str
) -> None:
    """What cannot be played exits with 2 and says why."""
    preset = () if "--preset" in arguments else ("--preset", "clean")
    refused = memgauge("study", "shift", "run", "-d", "synthetic:tiny", "--out", tmp_path, *preset, *arguments)
    assert refused.code == 2
    assert sentence in refused.err


def test_every_definition_is_played_and_put_into_words(memgauge: Callable[..., Said], tmp_path: Path) -> None:
    """The grid is a table with a sentence below it, and data in a file."""
    options = (
        "study",
        "shift",
        "sensitivity",
        "-d",
        "synthetic:tiny",
        "--burst",
        "3",
        "--summaries",
        "extractive",
    )
    shown = memgauge(*options, "--out", tmp_path / "definitions.json")
    assert shown.code == 0
    assert "recovers best under" in shown.out
    assert len(json.loads((tmp_path / "definitions.json").read_text())["value"]["readings"]) == 13


def test_runs_lie_with_the_result_and_a_wrong_ending_is_said_before_anything_is_played(
    small: Callable[..., Said], memgauge: Callable[..., Said], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file of the result leaves runs in `runs`; without `--out` page, data and runs are there."""
    monkeypatch.chdir(tmp_path)
    play = (*TINY, "--policy", "flat")
    assert memgauge(*play, "--out", "only.md").code == 0
    assert Path("only.md").read_text().startswith("## Shift study of synthetic:tiny")
    assert len(list(Path("runs").iterdir())) == 2
    assert memgauge(*play).code == 0
    assert {"shift.html", "shift.json"} <= {path.name for path in Path("runs").iterdir()}
    refused = memgauge(*play, "--out", "elsewhere/page.htm")
    assert (refused.code, "no ending that says what to write" in refused.err) == (2, True)
    assert not Path("elsewhere").exists()
