"""Every command does its work, in words and as data."""

from __future__ import annotations

import json
import shlex
import shutil
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

from memgauge.frame.exits import PARTIAL
from support import real_data
from support.junit import red

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_httpserver import HTTPServer

    from support.cli import Said


def _bm25(made: Path) -> Path:
    return next(made.glob("*bm25*"))


@pytest.mark.players
def test_run_finishes_and_does_not_repeat(memgauge: Callable[..., Said], tmp_path: Path) -> None:
    """A run prints how its questions ended; the same command again leaves it as it is."""
    command = ("run", "-d", "synthetic:tiny", "-s", "bm25", "--out", tmp_path, "--json")
    first = memgauge(*command)
    (run,) = first.data["runs"]
    assert first.code == 0
    assert sum(run["outcomes"].values()) == 32
    seal = (tmp_path / run["folder"].rsplit("/", 1)[-1] / "SEAL").read_bytes()
    again = memgauge(*command).data
    assert again["runs"][0] == {**run, "was_there": True}
    assert (tmp_path / run["folder"].rsplit("/", 1)[-1] / "SEAL").read_bytes() == seal


def test_run_says_why_calls_failed_and_what_to_check(memgauge: Callable[..., Said], tmp_path: Path) -> None:
    """A run of which all searches failed exits with 1, names the reason, and is not said to be scored next."""
    said = memgauge(
        "run",
        "-d",
        "synthetic:tiny",
        "-s",
        "faulty:raises",
        "--executor",
        "inline",
        "--out",
        tmp_path,
        "--retries",
        0,
    )
    assert said.code == 1
    words = " ".join(said.out.split())
    assert "32 error" in words
    assert "all 32 searches failed: search raised RuntimeError: this system raises on purpose (faulty.py:" in words
    assert "Next: " in words
    assert "systems check faulty:raises" in words
    assert "score" not in words


def test_a_changed_memory_is_run_again(
    memgauge: Callable[..., Said], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run of a home-made memory is tied to its code and its TOML file, not only to its name and version."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "homemade.py").write_text(
        "from memgauge.systems.catalogue import open_system\n"
        "from memgauge.systems.policies.lexical import Bm25Policy\n\n\nclass Mine(Bm25Policy):\n    pass\n"
    )
    (tmp_path / "mine.toml").write_text('system = "homemade:Mine"\nlabel = "mine"\n[parameters]\nk1 = 1.2\n')
    folders = []
    for change in ("", "# changed\n"):
        with (tmp_path / "mine.toml").open("a") as file:
            file.write(change)
        (run,) = memgauge("run", "-d", "synthetic:tiny", "-s", "mine.toml", "--json").data["runs"]
        folders.append(run["folder"])
    assert folders[0] != folders[1]
    assert all(folder.startswith("runs/synthetic-tiny-mine-") for folder in folders)
    assert memgauge("runs", "list", "--json").data[0]["system"]["label"] == "mine"


def test_plan_counts_and_estimates(memgauge: Callable[..., Said], tmp_path: Path) -> None:
    """A plan gives exact counts, an estimate of time, and writes nothing."""
    options = ("-d", "synthetic:tiny", "-s", "bm25", "-s", "none", "--out", tmp_path / "runs")
    data = memgauge("runs", "plan", *options, "--json").data
    assert [(c["label"], c["turns"], c["searches"]) for c in data["cells"]] == [
        ("bm25", 96, 32),
        ("none", 96, 32),
    ]
    assert data["seconds"] > 0
    assert "costs nothing" in memgauge("runs", "plan", *options).out
    assert not (tmp_path / "runs").exists()


def test_runs_are_listed(memgauge: Callable[..., Said], made: Path) -> None:
    """The list of runs names dataset, system and state."""
    data = memgauge("runs", "list", made, "--json").data
    assert sorted(run["system"]["label"] for run in data) == ["bm25", "oracle", "random"]
    assert all(run["sealed"] for run in data)
    assert "sealed" in memgauge("runs", "list", made).out


def test_commands_that_are_printed_can_be_pasted(
    memgauge: Callable[..., Said], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder with a space in its name is quoted; on boards there is a word for a folder elsewhere."""
    monkeypatch.chdir(tmp_path)
    place = tmp_path / "my runs"
    said = memgauge(
        "run", "-d", "synthetic:tiny", "-s", "none", "-s", "recency", "--executor", "inline", "--out", place
    )
    quoted = shlex.quote(str(place))
    assert f"score {quoted}".replace(" ", "") in "".join(said.out.split())
    board = "".join(memgauge("score", place).out.split())
    assert "failures'myruns'" in board
    assert "RUNS" not in board
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert "failures RUNS" in memgauge("score", place).out


def test_a_spoilt_run_stands_in_the_list_as_what_it_is(
    memgauge: Callable[..., Said], made: Path, tmp_path: Path
) -> None:
    """A cut journal is not as sealed, an empty manifest unreadable, and neither hides the others."""
    folder = Path(shutil.copytree(made, tmp_path / "made"))
    cut, empty, whole = sorted(path.parent for path in folder.rglob("SEAL"))
    journal = (cut / "journal.jsonl").read_bytes()
    (cut / "journal.jsonl").write_bytes(journal[: len(journal) // 2])
    (empty / "manifest.json").write_bytes(b"")
    listed = memgauge("runs", "list", folder, "--json").data
    states = {Path(run["folder"]): run["state"] for run in listed}
    assert states == {cut: "not as sealed", empty: "unreadable", whole: "sealed"}
    assert memgauge("runs", "list", folder).code == 0
    refused = " ".join(memgauge("score", folder).err.split())
    assert f"{empty.name}/manifest.json" in refused.replace(" ", "")
    assert "move its folder away" in refused


def test_score_prints_a_board_and_writes_scores_that_verify(memgauge: Callable[..., Said], made: Path) -> None:
    """Scores appear as a table, as Markdown and as data, and their files pass verification."""
    assert "nDCG@10" in memgauge("score", made).out
    assert "| " in memgauge("score", made, "--format", "md").out
    (board,) = memgauge("score", made, "-m", "recall@5", "--json").data
    assert board["measures"] == ["Recall@5"]
    said = memgauge("runs", "verify", made, "--json")
    assert said.code == 0
    checked = said.data["runs"].values()
    assert {(each["level"], each["verified"]) for each in checked} == {("repeated", True)}
    subjects = [finding["subject"] for each in checked for finding in each["findings"]]
    assert sum(subject.startswith("scores/") for subject in subjects) == 6


def test_unfinished_runs_stop_no_board(memgauge: Callable[..., Said], made: Path, tmp_path: Path) -> None:
    """A run that goes on is named and left out; where there is no other, there is no board."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    first, *rest = sorted(path.parent for path in tmp_path.rglob("SEAL"))
    (first / "SEAL").unlink()
    said = memgauge("score", tmp_path, "--json")
    assert (said.code, len(said.data[0]["entries"])) == (0, 2)
    assert f"{first.name}isunfinished" in "".join(said.err.split())  # its line breaks where the folder is long
    for folder in rest:
        (folder / "SEAL").unlink()
    assert "None of these runs is finished" in memgauge("results", "report", tmp_path).err


UNFINISHED = {
    "score": ("score", "RUNS"),
    "compare": ("compare", "RUNS"),
    "failures": ("failures", "RUNS", "--limit", "1"),
    "show": ("runs", "show", "RUNS", "QUESTION"),
    "verify": ("runs", "verify", "RUNS", "--level", "consistent"),
    "export": ("runs", "export", "RUNS", "--to", "trec", "--out", "OUT"),
    "bundle": ("runs", "bundle", "RUNS", "--out", "OUT"),
    "sql": ("runs", "sql", "select count(*) from questions", "RUNS"),
    "answer": ("models", "answer", "RUNS"),
}


@pytest.fixture(scope="module")
def mixed(made: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of runs of which the one of BM25 is unfinished."""
    folder = tmp_path_factory.mktemp("mixed")
    shutil.copytree(made, folder, dirs_exist_ok=True)
    (_bm25(folder) / "SEAL").unlink()
    return folder


NAMED: dict[str, Callable[[Path], tuple[Path, ...]]] = {
    "folder": lambda mixed: (mixed,),
    "pattern": lambda mixed: (mixed / "*",),
    "one by one": lambda mixed: tuple(sorted(mixed.iterdir(), reverse=True)),
}


def _unfinished_calls(name: str, tmp_path: Path, memgauge: Callable[..., Said]) -> Callable[..., Said]:
    words = {"QUESTION": "u000000_q01", "OUT": tmp_path / "out"}

    def call(*runs: object) -> Said:
        return memgauge(
            *(each for part in UNFINISHED[name] for each in (runs if part == "RUNS" else (words.get(part, part),)))
        )

    return call


@pytest.mark.parametrize(
    ("name", "way"),
    [
        pytest.param(name, way, marks=() if way == "folder" or name == "score" else pytest.mark.slow)
        for name in UNFINISHED
        for way in NAMED
    ],
)
def test_every_command_leaves_out_unfinished_runs_with_a_note(
    name: str, way: str, memgauge: Callable[..., Said], mixed: Path, tmp_path: Path
) -> None:
    """Named by a folder, by a pattern or one by one."""
    said = _unfinished_calls(name, tmp_path, memgauge)(*NAMED[way](mixed))
    assert said.code == (PARTIAL if name == "verify" else 0), said.err
    assert "isunfinishedandleftout" in "".join(said.err.split())


def test_a_run_without_a_seal_is_one_that_could_not_be_checked(memgauge: Callable[..., Said], mixed: Path) -> None:
    """Whoever took the seal away does not get a folder that is whole; data and checks name the run."""
    said = memgauge("runs", "verify", mixed, "--level", "consistent", "--json")
    assert (said.code, said.data["passed"]) == (PARTIAL, False)
    assert said.data["left_out"] == [str(_bm25(mixed))]
    counted = memgauge("runs", "verify", mixed, "--level", "consistent", "--format", "junit")
    assert red(counted.out) == ["is sealed"]


@pytest.mark.parametrize("name", UNFINISHED)
def test_where_no_finished_run_is_left_nothing_is_made_up(
    name: str, memgauge: Callable[..., Said], mixed: Path, tmp_path: Path
) -> None:
    """Neither of the unfinished one alone, nor of a pattern that nothing fits."""
    call = _unfinished_calls(name, tmp_path, memgauge)
    alone = call(_bm25(mixed))
    assert alone.code == 2
    assert "is finished" in alone.err or "the run is unfinished" in alone.err
    nothing = call(mixed / "nope*")
    assert nothing.code == 2
    assert "nope*" in nothing.err


def test_an_unfinished_baseline_is_not_replaced(memgauge: Callable[..., Said], mixed: Path) -> None:
    """What others are compared with is what was named, or nothing."""
    assert memgauge("compare", _bm25(mixed), mixed).code == 2


def test_a_gate_decides_the_exit_code(memgauge: Callable[..., Said], made: Path, tmp_path: Path) -> None:
    """A missed gate exits with 1 and is written to the JUnit file; a reached one exits with 0."""
    junit = tmp_path / "junit.xml"
    missed = memgauge("score", made, "--gate", "random/nDCG@10=0.99", "--out", junit)
    assert missed.code == 1
    assert "Gate missed" in missed.out
    assert ET.parse(junit).getroot().get("failures") == "1"  # noqa: S314 - our own file
    assert memgauge("score", made, "--gate", "oracle/nDCG@10=0.5").code == 0


@pytest.mark.parametrize("gate", ["bm25/nDCG@10=high", "bm26/nDCG@10=0.1", "bm25"])
def test_a_gate_that_says_nothing_is_refused(memgauge: Callable[..., Said], made: Path, gate: str) -> None:
    """A gate on no score, or without a number, is wrong use."""
    assert memgauge("score", made, "--gate", gate).code == 2


def test_a_gate_without_a_number_is_told_how_gates_are_written(memgauge: Callable[..., Said], made: Path) -> None:
    """It is not called an unknown gate of no name."""
    assert "Gate 'foo' is not label/measure=value." in memgauge("score", made, "--gate", "foo").err


def test_compare_pairs_runs(memgauge: Callable[..., Said], made: Path, tmp_path: Path) -> None:
    """A comparison gives a verdict for every measure, with its test; two conversations tell nobody apart."""
    words = ("-s", "bm25:as_heard=false", "--executor", "inline")
    memgauge("run", "-d", "synthetic:tiny", *words, "--out", tmp_path)
    data = memgauge("compare", tmp_path, made, "--json").data
    assert [each["b"] for each in data] == ["bm25", "oracle", "random"]
    verdicts = {(d["verdict"], d["clusters"]) for d in data[1]["differences"]}
    assert verdicts == {("cannot be told apart", 2), ("higher, not confirmed after correction", 2)}
    said = memgauge("compare", made).out
    assert "over 2 conversations" in said
    assert "Cannot be told apart is not equal" in said


def test_equality_is_asked_for_by_its_margin(memgauge: Callable[..., Said], made: Path) -> None:
    """A margin brings its own test, the wild bootstrap its own p-value, and a margin of nothing is refused."""
    data = memgauge("compare", _bm25(made), made, "--equivalent", "0.9", "--wild", "--json").data
    assert {each["margin"] for each in data} == {0.9}
    assert all(d["p_equal"] is not None and d["p_wild"] is not None for d in data[1]["differences"] if d["se"])
    assert "p (wild)" in memgauge("compare", made, "--wild").out
    assert memgauge("compare", made, "--equivalent", "0").code == 2


def test_a_comparison_needs_two_alike_runs(memgauge: Callable[..., Said], made: Path, tmp_path: Path) -> None:
    """One run alone, or runs that differ in more than the factor, are refused with the difference named."""
    assert "needs two finished runs" in memgauge("compare", _bm25(made)).err
    memgauge("run", "-d", "synthetic:tiny", "-s", "bm25", "--k", 5, "--executor", "inline", "--out", tmp_path)
    said = memgauge("compare", _bm25(made), tmp_path)
    assert said.code == 2
    assert "limits" in said.err


@pytest.mark.parametrize("k", ["0", "100000"])
def test_ranks_that_no_run_has_are_not_judged(memgauge: Callable[..., Said], made: Path, k: str) -> None:
    """A run keeps ten thousand hits of a question at most; a table of more would not fit into memory."""
    said = memgauge("score", made, "--k", k)
    assert (said.code, "Give a whole number from 1 to 10,000." in said.err) == (2, True)


def test_a_folder_of_two_datasets_is_compared_by_dataset(
    memgauge: Callable[..., Said], made: Path, tmp_path: Path
) -> None:
    """The command that a demo names works on its own folder: each dataset has its baseline."""
    for folder in made.iterdir():
        if (folder / "SEAL").exists():
            shutil.copytree(folder, tmp_path / folder.name)
    words = ("-s", "bm25", "-s", "random", "--executor", "inline")
    memgauge("run", "-d", "synthetic:tiny,seed=9", *words, "--out", tmp_path)
    said = memgauge("compare", tmp_path, "--json")
    assert said.code == 0
    assert Counter(each["dataset"] for each in said.data) == {"synthetic:tiny": 2, "synthetic:tiny,seed=9": 1}
    assert {each["a"] for each in said.data} == {"bm25"}
    assert {each["together"] for each in said.data} == {3}
    assert "synthetic:tiny,seed=9: random beside bm25" in memgauge("compare", tmp_path).out


def test_report_is_one_file(memgauge: Callable[..., Said], made: Path, tmp_path: Path) -> None:
    """The report is one HTML file under 5 MB that names every system."""
    out = tmp_path / "new" / "report.html"
    data = memgauge("results", "report", made, "--out", out, "--json").data
    html = out.read_text(encoding="utf-8")
    assert data["bytes"] == len(html.encode()) < 5_000_000
    assert all(label in html for label in ("bm25", "random", "oracle"))
    assert "MB" in memgauge("results", "report", made, "--out", out).out


def test_a_report_is_the_same_where_another_process_draws(
    memgauge: Callable[..., Said], made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who draws the figures shows in no byte of the page."""
    pages = []
    for name, much in (("alone", 1 << 40), ("aside", 0)):
        monkeypatch.setattr("memgauge.report.aside.MUCH", much)
        monkeypatch.setattr("os.cpu_count", lambda: 2)
        memgauge("results", "report", made, "--out", tmp_path / name)
        pages.append((tmp_path / name).read_bytes())
    assert pages[0] == pages[1]


def test_show_tells_one_question(memgauge: Callable[..., Said], made: Path) -> None:
    """A story names the gold and marks what each system found; an unknown id gets a suggestion."""
    from memgauge.datasets.catalogue import open_dataset

    question = next(open_dataset("synthetic:tiny").cases()).questions[0]
    story = memgauge("runs", "show", made, question.id, "--json").data
    assert story["text"] == question.text
    assert len(story["systems"]) == 3
    assert question.text in memgauge("runs", "show", made, question.id).out
    said = memgauge("runs", "show", made, question.id + "x")
    assert said.code == 2
    assert "Did you mean" in said.err


def test_show_tells_what_runs_cost(memgauge: Callable[..., Said], made: Path) -> None:
    """Without a question: a table a run, by phase, and the record itself as data."""
    data = memgauge("runs", "show", made, "--json").data
    assert len(data) == 3
    assert {each["cost"]["schema"] for each in data} == {"memgauge.cost/1"}
    assert {each["money"]["usd"] for each in data} == {0}
    shown = memgauge("runs", "show", made).out
    assert all(word in shown for word in ("bm25", "ingest", "query", "rest", "in all", "CPU s"))


def test_verify_names_the_changed_file(memgauge: Callable[..., Said], tmp_path: Path) -> None:
    """A changed file is named, and the exit code is 1."""
    memgauge("run", "-d", "synthetic:tiny", "-s", "none", "--executor", "inline", "--out", tmp_path)
    assert memgauge("runs", "verify", tmp_path).code == 0
    hits = next(tmp_path.rglob("hits.parquet"))
    hits.write_bytes(hits.read_bytes() + b"x")
    said = memgauge("runs", "verify", tmp_path, "--details")
    assert said.code == 1
    assert "hits.parquet: changed after sealing" in said.out
    assert "not as sealed" in memgauge("runs", "list", tmp_path).out


@pytest.mark.parametrize("command", ["score", "failures", "report", "compare", "answer", "show", "sql"])
def test_no_number_is_read_from_a_run_that_is_not_as_sealed(
    memgauge: Callable[..., Said], made: Path, tmp_path: Path, command: str
) -> None:
    """Whatever would show one refuses, with the file and what looks into it, and exits with 1."""
    folder = Path(shutil.copytree(_bm25(made), tmp_path / "run"))
    hits = folder / "hits.parquet"
    hits.write_bytes(hits.read_bytes() + b"x")
    words = {
        "compare": ("compare", folder, made),
        "report": ("results", "report", folder),
        "answer": ("models", "answer", folder),
        "show": ("runs", "show", folder, "u000000_q01"),
        "sql": ("runs", "sql", "select 1 as one", folder),
    }
    said = memgauge(*words.get(command, (command, folder)))
    assert said.code == 1
    assert f"{folder} is not as it was sealed: hits.parquet changed" in " ".join(said.err.split())
    assert "('" not in said.err
    assert f"memgauge runs verify {folder}" in "".join(said.err.split("\n"))


def test_a_run_that_cannot_be_read_does_not_keep_others_from_being_checked(
    memgauge: Callable[..., Said], made: Path, tmp_path: Path
) -> None:
    """It is named, the others are verified, and the command ends with 1."""
    for name in ("whole", "broken"):
        shutil.copytree(_bm25(made), tmp_path / name)
    (tmp_path / "broken" / "manifest.json").write_text("{")
    said = memgauge("runs", "verify", tmp_path, "--json")
    assert said.code == 1
    assert list(said.data["runs"]) == [str(tmp_path / "whole")]
    assert "Invalid JSON" in said.data["broken"][str(tmp_path / "broken")]
    assert "broken: cannot be read." in " ".join(memgauge("runs", "verify", tmp_path).out.split())


def test_a_rank_that_lists_do_not_reach_is_told(memgauge: Callable[..., Said], tmp_path: Path) -> None:
    """Recall@10 of lists of five is that of five; --k cuts what names no rank, and the page says which."""
    run = ("run", "-d", "synthetic:tiny", "-s", "bm25", "--executor", "inline", "--k", "5", "--out", tmp_path)
    memgauge(*run)
    measures = ("-m", "Recall@10", "-m", "nDCG@3")
    shown = " ".join(memgauge("score", tmp_path, *measures, "--k", "1", "--tables").out.split())
    assert "bm25: its lists end at k=5, so that Recall@10 looks no further" in shown
    assert "of every system its first 1 hits, and for Recall@10 and nDCG@3 as many as that says." in shown
    assert "look no further" not in memgauge("score", tmp_path, "-m", "Recall@5").out


def test_a_bundle_without_texts_still_verifies(memgauge: Callable[..., Said], made: Path, tmp_path: Path) -> None:
    """A bundle without texts is smaller, quotes nothing, and its numbers are recomputed."""
    memgauge("score", _bm25(made))
    whole = memgauge("runs", "bundle", _bm25(made), "--out", tmp_path / "whole.zip", "--json").data
    bare = memgauge("runs", "bundle", _bm25(made), "--out", tmp_path / "bare.zip", "--without-text", "--json").data
    assert bare["bytes"] < whole["bytes"]
    said = memgauge("runs", "verify", tmp_path / "bare.zip", tmp_path / "whole.zip")
    assert (said.code, said.out.count("verified")) == (0, 2)


def test_a_bundle_without_texts_names_what_it_leaves_out(
    memgauge: Callable[..., Said], made: Path, tmp_path: Path
) -> None:
    """Answers quote what was retrieved: they stay behind, and that is said."""
    folder = Path(shutil.copytree(_bm25(made), tmp_path / "run"))
    assert memgauge("models", "answer", folder, "--json").code == 0
    (layer,) = (path.name for path in (folder / "layers").iterdir())
    said = memgauge("runs", "bundle", folder, "--out", tmp_path / "bare.zip", "--without-text")
    assert layer in "".join(said.out.split())
    assert memgauge("runs", "bundle", folder, "--out", tmp_path / "all.zip", "--json").data["left_out"] == []
    assert memgauge("runs", "verify", tmp_path / "bare.zip").code == 0


def test_a_bundle_names_what_is_no_part_of_a_run(
    memgauge: Callable[..., Said], made: Path, tmp_path: Path
) -> None:
    """With texts or without them, what somebody laid into the folder is left out."""
    folder = shutil.copytree(_bm25(made), tmp_path / "run")
    (folder / "scores").mkdir(exist_ok=True)
    (folder / "scores" / "notes.md").write_text("words", "utf-8")
    for texts in ((), ("--without-text",)):
        said = memgauge("runs", "bundle", folder, "--out", tmp_path / "run.zip", *texts)
        assert "Left out, because they are no part of a run: scores/notes.md." in said.out
    assert "scores/notes.md is no file of a run" in memgauge("runs", "verify", folder).out


def test_bundles_get_the_name_of_their_run(
    memgauge: Callable[..., Said], made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without --out a bundle lies in the current folder under the run's name."""
    monkeypatch.chdir(tmp_path)
    assert memgauge("runs", "bundle", _bm25(made)).code == 0
    assert [path.name for path in tmp_path.iterdir()] == [f"{_bm25(made).name}.zip"]


def test_sql_answers(memgauge: Callable[..., Said], made: Path) -> None:
    """A query sees all runs; a broken one is wrong use."""
    rows = memgauge(
        "runs", "sql", "select run, count(*) as n from questions group by run order by run", made, "--json"
    ).data
    assert [row["n"] for row in rows] == [32, 32, 32]
    assert "null" not in memgauge("runs", "sql", "select null as nothing, 1 as one", made).out
    assert memgauge("runs", "sql", "selec 1", made).code == 2
    assert "it is no statement" in memgauge("runs", "sql", "", made).err
    assert memgauge("runs", "sql", "--json", "--", "-- mine\nselect 1 as one", made).data == [{"one": 1}]


def test_data_commands(memgauge: Callable[..., Said], tmp_path: Path) -> None:
    """Datasets are listed, described and validated, in words and as data."""
    assert {d["name"] for d in memgauge("data", "list", "--json").data} >= {"locomo", "longmemeval", "synthetic"}
    assert "synthetic" in memgauge("data", "list").out
    assert memgauge("data", "describe", "synthetic:tiny", "--json").data["conversations"] == 2
    assert "conversations: 2" in memgauge("data", "describe", "synthetic:tiny").out
    assert memgauge("data", "validate", "synthetic:tiny", "--json").data == {"valid": True, "findings": []}
    assert "valid" in memgauge("data", "validate", "synthetic:tiny").out


@pytest.mark.data
def test_describing_locomo_names_every_malformed_id(memgauge: Callable[..., Said]) -> None:
    """The description of LoCoMo has the published counts and lists the entries that do not resolve."""
    real_data("locomo/locomo10.json")
    data = memgauge("data", "describe", "locomo", "--json").data
    counts = ("conversations", "sessions", "turns", "questions", "with_evidence", "scored_strict", "scored_repair")
    assert [data[name] for name in counts] == [10, 272, 5882, 1986, 1982, 1977, 1982]
    assert len(data["malformed_evidence"]) == 9
    assert "D:11:26" in memgauge("data", "describe", "locomo").out


@pytest.mark.data
def test_the_longmemeval_samples_validate(memgauge: Callable[..., Said]) -> None:
    """Genuine records obey the laws that runs rely on."""
    path = real_data("longmemeval/longmemeval_oracle.2-records.json")
    assert memgauge("data", "validate", f"longmemeval:{path}", "--allow-unpinned").code == 0


def test_systems_commands(memgauge: Callable[..., Said]) -> None:
    """Systems are listed and checked; a faulty one fails its check."""
    assert {card["ref"] for card in memgauge("systems", "list", "--json").data} >= {"bm25", "oracle", "none"}
    assert "bm25" in memgauge("systems", "list").out
    good = memgauge("systems", "check", "bm25")
    assert (good.code, "conforms" in good.out) == (0, True)
    bad = memgauge("systems", "check", "faulty:leaky", "--json")
    assert (bad.code, bad.data[0]["passed"]) == (1, False)


def test_reproduce(memgauge: Callable[..., Said]) -> None:
    """Quick sections hold, in words and as data."""
    rows = memgauge("reproduce", "measures", "--json").data
    assert {row["status"] for row in rows} == {"OK"}
    assert memgauge("reproduce", "measures").code == 0


def test_the_demo_needs_nothing(memgauge: Callable[..., Said], tmp_path: Path) -> None:
    """The demo runs six systems, prints a board, writes a report whose scores verify, and says what is next."""
    said = memgauge("demo", "--dataset", "synthetic:tiny", "--out", tmp_path, "--workers", 1)
    assert said.code == 0
    assert "What to do next" in said.out
    assert (tmp_path / "report.html").stat().st_size > 10_000
    assert memgauge("runs", "verify", tmp_path).out.count("verified") == 6
    data = memgauge("demo", "--dataset", "synthetic:tiny", "--out", tmp_path, "--json").data
    assert len(data["boards"][0]["entries"]) == 6
    assert json.dumps(data)


def test_fetching_downloads_from_the_address_of_the_dataset(
    memgauge: Callable[..., Said], tmp_path: Path, httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file is downloaded, checked against its published hash, and its place printed; a wrong one is refused."""
    import hashlib
    from dataclasses import replace

    from memgauge.datasets.catalogue import DATASETS

    kind, body = DATASETS.get("locomo"), b"[]"
    httpserver.expect_request("/locomo10.json").respond_with_data(body)
    served = replace(kind.files[0], url=httpserver.url_for("/locomo10.json"))
    pinned = replace(kind, files=(replace(served, sha256=hashlib.sha256(body).hexdigest()),))
    monkeypatch.setitem(DATASETS._targets, "locomo", pinned)
    said = memgauge("data", "fetch", "locomo", "--out", tmp_path)
    assert (said.code, "CC BY-NC" in said.out) == (0, True)
    assert memgauge("data", "fetch", "locomo", "--out", tmp_path, "--json").data["files"] == [
        str(tmp_path / "locomo" / "locomo10.json")
    ]
    monkeypatch.setitem(DATASETS._targets, "locomo", replace(kind, files=(served,)))
    refused = memgauge("data", "fetch", "locomo", "--out", tmp_path)
    assert (refused.code, "not the published locomo10.json" in refused.err) == (2, True)


def test_a_dataset_with_findings_is_not_valid(memgauge: Callable[..., Said], tmp_path: Path) -> None:
    """What breaks a law is named with its place, and the exit code is 1."""
    record = {
        "question_id": "q1", "question_type": "multi-session", "question": "Who?", "answer": 3,
        "question_date": "2023/06/01 (Thu) 00:58", "haystack_dates": ["2023/05/25 (Thu) 20:21"],
        "haystack_session_ids": ["a"], "answer_session_ids": [],
        "haystack_sessions": [[]],
    }  # fmt: skip
    path = tmp_path / "broken.json"
    path.write_text(json.dumps([record]), encoding="utf-8")
    said = memgauge("data", "validate", f"longmemeval:{path}", "--allow-unpinned")
    assert said.code == 1
    assert "findings" in said.out
    counted = memgauge("data", "validate", f"longmemeval:{path}", "--allow-unpinned", "--format", "junit")
    assert counted.code == 1
    assert red(counted.out)
    good = memgauge("data", "validate", "synthetic:tiny", "--format", "junit")
    assert (good.code, red(good.out)) == (0, [])


@pytest.mark.players
def test_lost_writes_are_said_and_fail_a_run(memgauge: Callable[..., Said], tmp_path: Path) -> None:
    """A system that answers every question from half of what it was told is no success."""
    said = memgauge(
        "run", "-d", "synthetic:tiny", "-s", "support.systems:Forgetful", "--executor", "inline", "--out", tmp_path
    )
    assert said.code == 1
    assert "32 ok 48 of 108 writes failed: ingest raised" in " ".join(said.out.split())
    again = memgauge(
        "run",
        "-d",
        "synthetic:tiny",
        "-s",
        "support.systems:Forgetful",
        "--executor",
        "inline",
        "--out",
        tmp_path,
        "--json",
    )
    assert again.data["runs"][0]["lost_writes"] == 48
    (reason,) = again.data["runs"][0]["reasons"]
    assert reason.startswith("ingest raised ")


def test_a_broken_seal_is_a_failed_check(memgauge: Callable[..., Said], out: Path) -> None:
    """A build server is told which file, beside every other check."""
    sound = memgauge("runs", "verify", out, "--level", "consistent", "--format", "junit")
    assert sound.code == 0
    assert red(sound.out) == []
    (run,) = out.iterdir()
    with (run / "questions.parquet").open("ab") as file:
        file.write(b"x")
    broken = memgauge("runs", "verify", out, "--format", "junit")
    assert broken.code == 1
    assert "questions.parquet" in red(broken.out)


def test_what_checks_nothing_is_no_suite_of_checks(memgauge: Callable[..., Said], made: Path) -> None:
    """A list of runs cannot be counted, and says so."""
    said = memgauge("runs", "list", made, "--format", "junit")
    assert (said.code, said.out) == (2, "")
    assert "checks nothing" in said.err
