"""`memgauge study context`."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from memgauge.reproduce.invented.folders import write
from support.model_server import answer, bodies, completion, failure, serve

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_httpserver import HTTPServer
    from werkzeug import Request as Asked
    from werkzeug import Response

    from support.cli import Said

GRID = ("-t", "needle-noise", "-t", "update", "-l", 500, "-l", 1000, "--samples", 6)
DEPTHS = ("--depth", 0, "--depth", 0.5, "--depth", 1)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in an empty folder, without a key."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    return tmp_path


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return runs of three memories on a world in which facts change."""
    from memgauge.cli import invoke

    folder = tmp_path_factory.mktemp("runs")
    systems = ("-s", "bm25", "-s", "recency", "-s", "pipeline:embedder=none")
    assert (
        invoke(
            [
                "run",
                "-d",
                "synthetic:tiny,level=lex",
                *systems,
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


def reader(asked: Asked) -> Response:
    """Answer as a model that reads: the number that stands beside the name, else nothing."""
    text = json.loads(asked.get_data())["messages"][1]["content"]
    name = re.findall(r"What is the number of the (\w+) locker", text)
    found = re.findall(rf"The number of the {name[0]} locker is (\d+)", text) if name else []
    return answer(completion(found[0] if found else "I don't know"))


def test_a_model_behind_a_provider_is_measured(memgauge: Callable[..., Said], httpserver: HTTPServer) -> None:
    """Every cell is asked once; the second time nothing is, and the result is the same."""
    url = serve(httpserver, reader)
    options = (
        "study",
        "context",
        "profile",
        "--model",
        "openai:tiny",
        "--base-url",
        url,
        *GRID,
        *DEPTHS,
        "--json",
    )
    first = memgauge(*options)
    assert first.code == 0
    assert len(bodies(httpserver)) == 2 * 2 * 3 * 6
    study = first.data["value"]
    needle, update = study["tasks"]
    assert [row["right"] for row in needle["counts"]] == [6, 6]
    assert update["counts"][0]["right"] == 0
    assert [length["reason"] == "" for length in study["effective"]] == [True, False]
    assert study["spent"]["openai:tiny"]["calls"] == 72
    second = memgauge(*options)
    assert len(bodies(httpserver)) == 72
    assert second.data["value"]["tasks"] == study["tasks"]


def test_failed_calls_are_told(memgauge: Callable[..., Said], httpserver: HTTPServer) -> None:
    """Calls without an answer are left out, counted, and make the exit code 1."""
    url = serve(httpserver, failure(400, "no"))
    said = memgauge(
        "study",
        "context",
        "profile",
        "--model",
        "openai:tiny",
        "--base-url",
        url,
        "-t",
        "kv",
        "-l",
        500,
        "--samples",
        2,
        *DEPTHS,
    )
    assert said.code == 1
    assert "not measurable" in said.out
    assert "undefined" in said.out


def test_what_it_would_take_is_told_first(memgauge: Callable[..., Said], httpserver: HTTPServer) -> None:
    """With --plan nothing is asked; a local model costs nothing."""
    url = serve(httpserver, reader)
    said = memgauge(
        "study",
        "context",
        "profile",
        "--model",
        "openai:tiny",
        "--base-url",
        url,
        *GRID,
        *DEPTHS,
        "--plan",
        "--json",
    )
    assert said.data["calls"] == 72
    assert bodies(httpserver) == []
    assert (
        "72 calls"
        in memgauge(
            "study", "context", "profile", "--model", "openai:tiny", "--base-url", url, *GRID, *DEPTHS, "--plan"
        ).out
    )
    assert (
        "24 prompts at most" in memgauge("study", "context", "effective", "--model", "echo", *GRID, "--plan").out
    )
    assert memgauge("study", "context", "effective", "--model", "echo", *GRID, "--plan", "--json").data == {
        "prompts": 24,
        "usd": 0.0,
    }


def test_a_budget_stops_it(memgauge: Callable[..., Said], httpserver: HTTPServer) -> None:
    """No more calls than allowed, and one sentence that says so."""
    url = serve(httpserver, reader)
    said = memgauge(
        "study",
        "context",
        "profile",
        "--model",
        "openai:tiny",
        "--base-url",
        url,
        *GRID,
        *DEPTHS,
        "--max-calls",
        10,
    )
    assert said.code == 1
    assert len(bodies(httpserver)) == 10
    assert "10" in said.err
    assert "Traceback" not in said.err


def test_a_profile_is_printed_kept_and_drawn(memgauge: Callable[..., Said], here: Path) -> None:
    """Tables on the terminal, in a folder everything as data and as a page, and a history that the page draws."""
    options = ("--out", "p", "--history", "h.jsonl")
    for label in ("before", "after"):
        said = memgauge(
            "study",
            "context",
            "profile",
            "--model",
            "simulated:effective=2000",
            "--label",
            label,
            *GRID,
            *DEPTHS,
            *options,
        )
        assert said.code == 0
    assert "Positional profile" in said.out
    assert "(!) only 6 answers a depth" in said.out
    assert len((here / "h.jsonl").read_text("utf-8").splitlines()) == 4
    assert "Appended to h.jsonl." in said.err
    page = (here / "p" / "context.html").read_text("utf-8")
    assert "Trend of the penalty" in page
    assert json.loads((here / "p" / "context.json").read_text("utf-8"))["value"]["label"] == "after"


def test_adaptive_sampling_says_what_it_saved(memgauge: Callable[..., Said]) -> None:
    """The bound, and the share of the grid that was not needed; --every asks all of it."""
    grid = ("-t", "set", "-l", 1000, "-l", 2000, "-l", 4000, "-l", 8000, "--samples", 50)
    said = memgauge("study", "context", "effective", "--model", "simulated:effective=1500", *grid)
    assert said.code == 0
    assert re.search(r"prompts were asked; \d+ of the full grid \(\d+%\) were not needed", said.out)
    full = memgauge(
        "study", "context", "effective", "--model", "simulated:effective=1500", *grid, "--every", "--json"
    ).data["value"]
    assert (full["asked"], full["saved"], full["adaptive"]) == (200, 0, False)
    assert {length["rule"] for length in full["effective"][0]["own"]} == {
        "lower bound",
        "first crossing",
        "as published",
    }


def test_prompts_of_runs_are_measured_without_a_model(
    memgauge: Callable[..., Said], runs: Path, here: Path
) -> None:
    """Tables for every memory, the sentence that recall does not say, a page, and data question by question."""
    said = memgauge("study", "context", "assembled", runs, "--budget", 200, "--out", "a.html")
    assert said.code == 0
    assert said.out.count("prompts of 200 tokens") == 3
    assert said.out.count("stands") >= 3
    assert "edges-first" in said.out
    assert "<svg" in (here / "a.html").read_text("utf-8")
    data = memgauge(
        "study",
        "context",
        "assembled",
        runs,
        "--budget",
        200,
        "--budget",
        400,
        "--policy",
        "chronological",
        "--json",
    ).data["value"]
    assert [(lane["policy"], lane["budget"]) for lane in data["lanes"][:2]] == [
        ("chronological", 200),
        ("chronological", 400),
    ]
    assert len(data["lanes"]) == 6
    assert data["lanes"][0]["fates"][0]["depths"] is not None


def test_a_profile_predicts_and_answers_judge_it(memgauge: Callable[..., Said], runs: Path) -> None:
    """With a measured profile, accuracy is predicted; beside real answers, the prediction is calibrated."""
    memgauge(
        "study",
        "context",
        "profile",
        "--model",
        "simulated:effective=2000,penalty=0.2",
        *GRID,
        *DEPTHS,
        "--out",
        "p.json",
    )
    assert memgauge("models", "answer", runs).code == 0
    said = memgauge("study", "context", "assembled", runs, "--profile", "p.json", "--answers", "--out", "c.html")
    assert said.code == 0
    assert "predicted accuracy" in said.out
    assert "Calibration" in said.out
    assert "Brier" in said.out
    data = memgauge("study", "context", "assembled", runs, "--profile", "p.json", "--answers", "--json").data[
        "value"
    ]
    assert len(data["calibrations"]) == 3
    assert all(0 <= lane["predicted"]["mean"] <= 1 for lane in data["lanes"])


def test_own_instructions_are_part_of_the_prompt(memgauge: Callable[..., Said], runs: Path, here: Path) -> None:
    """A file with other instructions stands first, and can be lost to a window on the newest tokens."""
    (here / "mine.txt").write_text("Answer briefly. " * 10, "utf-8")
    data = memgauge(
        "study",
        "context",
        "assembled",
        runs,
        "--instructions",
        "mine.txt",
        "--cut",
        "start",
        "--budget",
        50,
        "--json",
    ).data["value"]
    assert min(lane["measures"]["instructions intact"]["mean"] for lane in data["lanes"]) < 1


def test_tasks_are_listed_with_their_overlap(memgauge: Callable[..., Said]) -> None:
    """Every task with its type, what it takes, and how literal it is."""
    assert "latent" in memgauge("study", "context", "tasks", "--samples", 3).out
    assert "A question of each" in memgauge("study", "context", "tasks", "--samples", 3, "--tables").out
    rows = memgauge("study", "context", "tasks", "--samples", 3, "--json").data["value"]["tasks"]
    assert len(rows) == 15
    assert {row["type"] for row in rows} == {"recall", "multi-hop", "aggregation", "constraint", "update"}
    assert all(row["question"] and row["gold"] and row["what"] for row in rows)


def test_rules_are_judged_on_known_models(memgauge: Callable[..., Said]) -> None:
    """A table of who claims more than there is, or the same as data."""
    assert (
        "lower bound, adaptive"
        in memgauge("study", "context", "simulate", "--samples", 20, "--simulations", 20).out
    )
    data = memgauge("study", "context", "simulate", "--samples", 50, "--simulations", 100, "--json").data
    fared = data["value"]["rules"]
    assert fared[0]["over"] <= fared[2]["over"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("profile", "--model", "echo", "-t", "latet"), "Did you mean latent"),
        (("profile", "--model", "echo", "--depth", 2), "Give a number from 0 to 1"),
        (("profile", "--model", "echo", "--samples", 0), "Give a whole number from 1"),
        (("profile", "--model", "echo", "--counter", "wrods"), "Did you mean words"),
        (("profile", "--model", "simulated:efective=9000"), "Did you mean effective"),
        (("profile", "--model", "echo", "-l", 10, "--samples", 1), "too few"),
        (("effective", "--model", "nowhere:model"), "nowhere"),
        (("simulate", "--samples", 0), "Give a whole number from 1"),
        (("assembled", "nowhere"), "No run at or below"),
    ],
)
def test_mistakes_are_one_sentence(memgauge: Callable[..., Said], options: tuple[object, ...], said: str) -> None:
    """What is wrong, and what to do, without a traceback."""
    found = memgauge("study", "context", *options)
    assert (found.code, said in found.err) == (2, True), found.err
    assert "Traceback" not in found.err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--policy", "edges-frist"), "Did you mean edges-first"),
        (("--budget", 10), "budget of 10 is too small"),
        (("--k", 0), "Give a whole number from 1"),
        (("--profile", "absent.json"), "Cannot read absent.json"),
        (("--instructions", "absent.txt"), "Cannot read absent.txt"),
        (("--answers",), "need a profile"),
    ],
)
def test_mistakes_about_prompts_are_one_sentence(
    memgauge: Callable[..., Said], runs: Path, options: tuple[object, ...], said: str
) -> None:
    """The same for the lane without a model."""
    found = memgauge("study", "context", "assembled", runs, *options)
    assert (found.code, said in found.err) == (2, True), found.err


def test_runs_of_different_data_are_refused(memgauge: Callable[..., Said], runs: Path, here: Path) -> None:
    """One table is about one dataset."""
    memgauge("run", "-d", "synthetic:tiny", "-s", "bm25", "--executor", "inline", "--out", here / "other")
    found = memgauge("study", "context", "assembled", runs, here / "other")
    assert (found.code, "different datasets" in found.err) == (2, True)


def test_prompts_of_files_that_are_not_the_published_ones_are_measured(
    memgauge: Callable[..., Said], here: Path
) -> None:
    """What was played on a file of one's own is assembled from it again."""
    mine = write("locomo_plus", here / "mine")
    run = memgauge(
        "run", "-d", mine, "--allow-unpinned", "-s", "bm25", "--executor", "inline", "--out", here / "own"
    )
    assert run.code == 0, run.err
    found = memgauge("study", "context", "assembled", here / "own", "--budget", 200, "--json")
    assert found.code == 0, found.err
    assert found.data["value"]["lanes"]


@pytest.mark.parametrize("command", ["profile", "effective", "assembled", "tasks", "simulate"])
def test_help_fits_a_terminal(
    memgauge: Callable[..., Said], command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every command explains itself within 80 columns."""
    monkeypatch.setenv("COLUMNS", "80")
    said = memgauge("study", "context", command, "--help")
    assert said.code == 0
    assert max(map(len, said.out.splitlines())) <= 80
