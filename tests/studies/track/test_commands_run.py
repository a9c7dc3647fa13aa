"""`memgauge study track run | score | report | compare`, from the command line to files."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from cyclopts import App

from memgauge.errors import ConfigError, UserError
from memgauge.llm.prices import price_of
from memgauge.studies.track import commands_run
from memgauge.studies.track.play.played import answer_lines
from memgauge.studies.track.play.resume import read_run
from memgauge.studies.track.play.trajectory import TrajectoryWriter
from memgauge.studies.track.timeline.files import write_timeline
from support.model_server import KEY, answer, completion, serve
from support.track.play import answered, call, timeline

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_httpserver import HTTPServer
    from werkzeug import Request as Asked
    from werkzeug import Response

    from support.cli import Said


@pytest.fixture
def track(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str]]:
    """Call the commands by themselves, as the group mounts them."""
    app = App("track")
    for command in (commands_run.run, commands_run.score, commands_run.compare):
        app.command(command)

    def call(*arguments: object) -> tuple[int, str]:
        code: Any = app([str(one) for one in arguments], exit_on_error=False, result_action="return_value")
        return int(code), capsys.readouterr().out

    return call


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    """Write one small instance."""
    path = tmp_path / "instances" / "tiny" / "timeline.json"
    write_timeline(path, timeline())
    return path


def test_a_run_prints_the_tables_and_the_page_shows_it(
    memgauge: Callable[..., Said], tiny: Path, tmp_path: Path
) -> None:
    """From an instance to a page, without docker, key or network."""
    out = tmp_path / "run"
    said = memgauge("study", "track", "run", tiny, "--sandbox", "off", "--out", out)
    assert said.code == 0, said.err
    assert "Table 3. Overall" in said.out
    assert "correctness 1.000 over 3 questions" in said.out
    page, markdown = tmp_path / "pages" / "a.html", tmp_path / "pages" / "a.md"
    said = memgauge("study", "track", "score", out, "--out", page)
    assert said.code == 0, said.err
    assert page.read_text("utf-8").startswith("<!doctype html>")
    assert "What was played" in page.read_text("utf-8")
    assert memgauge("study", "track", "score", out, "--out", markdown).code == 0
    assert "## Table 6." in markdown.read_text("utf-8")


def test_scores_are_kept_as_page_and_data(
    memgauge: Callable[..., Said], tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder gets the page and the data."""
    monkeypatch.chdir(tmp_path)
    memgauge("study", "track", "run", tiny, "--sandbox", "off", "--out", "run")
    said = memgauge("study", "track", "score", "run", "--out", "pages")
    assert said.out.endswith("Written: pages/track.html and pages/track.json\n")
    assert (tmp_path / "pages" / "track.html").is_file()
    data = json.loads((tmp_path / "pages" / "track.json").read_text("utf-8"))
    assert (data["kind"], len(data["value"]["runs"])) == ("track scores", 1)


def test_runs_are_scored_and_compared(track: Callable[..., tuple[int, str]], tiny: Path, tmp_path: Path) -> None:
    """Two arms over one instance: data and tables."""
    plain, memory = tmp_path / "plain", tmp_path / "memory"
    common = (tiny, "--sandbox", "off", "--context", "reset")
    assert track("run", *common, "--out", plain, "--json")[0] == 0
    code, out = track("run", *common, "--memory", "bm25", "--memory-mode", "passive", "--out", memory, "--json")
    assert (code, json.loads(out)["value"]["runs"][0]["method"]["label"]) == (
        0,
        "search + bm25 (passive), reset_between_questions",
    )
    code, out = track("score", plain, memory)
    assert code == 0
    assert all(f"Table {number}." in out for number in (1, 3, 4, 5, 6))
    assert out.count("\nsearch + bm25 (passive)") == 6
    assert "\n- search + bm25 (passive), reset_between_questions: correctness" in out
    code, out = track("compare", plain, memory)
    assert code == 0
    assert "second - first" in out
    code, out = track("compare", plain, memory, "--json")
    assert json.loads(out)["value"]["differences"][0]["measure"] == "correctness"


def test_a_run_that_is_not_whole_fails_its_score(
    track: Callable[..., tuple[int, str]], tiny: Path, tmp_path: Path
) -> None:
    """What was not played yet is no score of the plan."""
    out = tmp_path / "run"
    track("run", tiny, "--sandbox", "off", "--repeats", "2", "--agent", "random", "--out", out)
    (out / "played" / "1" / "tiny").rename(tmp_path / "away")
    code, said = track("score", out)
    assert code == 1
    assert "1 instance of the plan not played yet" in said


def test_a_server_that_was_killed_leaves_a_score_that_says_so(
    track: Callable[..., tuple[int, str]], tiny: Path, tmp_path: Path
) -> None:
    """Questions that were never asked are counted apart, a torn line is left out, and the command fails."""
    out = tmp_path / "outside"
    with TrajectoryWriter(out) as writer:
        writer.write(call(0, "list_tickets", text="x"))
        writer.write(call(1, "list_tickets", text="x", question="q2"))
    (out / "answers.jsonl").write_text(answer_lines([answered("q1", "dana", 1)]) + '{"question":"q', "utf-8")
    code, said = track("score", out, "--instance", tiny)
    printed = " ".join(said.split())
    assert code == 1
    assert "How questions ended: 1 answered, 1 never answered, 1 never asked." in printed
    assert "No answer is kept to 2 questions of 3, of which 1 never asked as far as calls tell" in printed
    assert "The last line of answers.jsonl was cut off while it was written, and is left out." in printed


def scripted(asked: Asked) -> Response:
    """Play like a model: list tickets, break one call, then answer; judge everything right."""
    body = json.loads(asked.get_data())
    if not body.get("tools"):
        judged = {"reason": "same", "score": 1, "is_correct": True}
        if "redundant" in body["messages"][0]["content"]:
            judged = {"reason": "none", "redundant_calls": 1, "total_calls": 6}
        return answer(completion(json.dumps(judged)))
    last = body["messages"][-1]
    if last["role"] == "tool":
        return answer(completion("the one who is called as nobody else"))
    calls = [
        {"id": f"c{n}", "type": "function", "function": {"name": name, "arguments": given}}
        for n, (name, given) in enumerate([("list_tickets", "{}"), ("get_ticket", "{broken")])
    ]
    return answer(completion(None, "tool_calls", tool_calls=calls))


def test_a_model_plays_and_judges_over_an_openai_compatible_server(
    track: Callable[..., tuple[int, str]],
    tiny: Path,
    tmp_path: Path,
    httpserver: HTTPServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The whole stack but the weights; what was recorded replays without a server, byte for byte."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    url = serve(httpserver, scripted)
    out, again = tmp_path / "run", tmp_path / "again"
    models = ("--base-url", url, "--cassette", tmp_path / "replies.sqlite")
    code, said = track("run", tiny, "--model", "openai:tiny", "--sandbox", "off", "--out", out, *models)
    assert (code, "openai:tiny + none, keep" in said) == (0, True)
    asked = len(httpserver.log)
    assert asked == 6
    code, said = track("score", out, "--judge", "openai:tiny", "--paper", "--plan", *models)
    assert said.startswith("4 calls")
    assert len(httpserver.log) == asked
    code, said = track("score", out, "--judge", "openai:tiny", "--paper", "--json", *models)
    values = json.loads(said)["value"]["runs"][0]["instances"][0]["values"]
    assert (values["correctness"], values["success_rate"]) == (1, 0.5)
    assert values["redundancy_paper"] == pytest.approx(1 / 6, abs=1e-6)
    assert len(httpserver.log) == asked + 4
    replay = (*models, "--mode", "replay")
    track("run", tiny, "--model", "openai:tiny", "--sandbox", "off", "--out", again, *replay)
    assert (again / "result.jsonl").read_bytes() == (out / "result.jsonl").read_bytes()
    assert len(httpserver.log) == asked + 4
    assert KEY not in (out / "result.jsonl").read_text("utf-8")


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (completion("half of", "length"), "3 cut off at the limit of length, 0 refused"),
        (completion("I will not", "content_filter"), "0 cut off at the limit of length, 3 refused"),
    ],
)
def test_a_model_that_says_nothing_whole_is_no_forgetful_memory(
    track: Callable[..., tuple[int, str]],
    tiny: Path,
    tmp_path: Path,
    httpserver: HTTPServer,
    monkeypatch: pytest.MonkeyPatch,
    reply: Any,
    told: str,
) -> None:
    """Replies that were cut off or refused are counted and told, are no 0, and end the command with 1."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    models = ("--base-url", serve(httpserver, lambda _: answer(reply)), "--cassette", tmp_path / "replies.sqlite")
    out = tmp_path / "run"
    code, printed = track("run", tiny, "--model", "openai:tiny", "--sandbox", "off", "--out", out, *models)
    assert code == 1
    assert told in " ".join(printed.split())
    assert "3 of 3 replies were cut off or refused" in " ".join(printed.split())
    assert track("score", out)[0] == 1


def test_a_reply_costs_its_list_price_wherever_it_was_asked(
    track: Callable[..., tuple[int, str]],
    tiny: Path,
    tmp_path: Path,
    httpserver: HTTPServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As under --max-usd: another address names no price of its own, and a model without one has none."""
    pytest.importorskip("genai_prices")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    models = ("--base-url", serve(httpserver, scripted), "--cassette", tmp_path / "replies.sqlite")
    for name in ("gpt-4.1-mini", "tiny"):
        track(
            "run",
            tiny,
            "--model",
            f"openai:{name}",
            "--sandbox",
            "off",
            "--out",
            tmp_path / name,
            *models,
            "--json",
        )
        answers = read_run(tmp_path / name)[2][0].answers
        price = price_of(f"openai:{name}")
        assert (price is None) is (name == "tiny")
        for given in answers:
            usd = None if price is None else pytest.approx(price.usd(given.input_tokens, given.output_tokens))
            assert given.usd == usd


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--agent", "model"), "needs --model"),
        (("--agent", "oracle", "--model", "openai:x"), "takes no --model"),
        (("--context", "forget"), "No context policy"),
        (("--memory", "oracle"), "has to be told"),
        (("--turns", "0"), "turns=0"),
        (("--model", "openai:x", "--plan"), "not known before it plays"),
    ],
)
def test_what_does_not_fit_is_told(
    track: Callable[..., tuple[int, str]], tiny: Path, tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    """Each mistake is a sentence of its own."""
    with pytest.raises(UserError, match=message):
        track("run", tiny, "--sandbox", "off", "--out", tmp_path / "run", *arguments)


def test_scoring_needs_what_it_needs(track: Callable[..., tuple[int, str]], tiny: Path, tmp_path: Path) -> None:
    """The document's redundancy needs a judge, and one instance was served at a time."""
    with pytest.raises(ConfigError, match="counted by a model"):
        track("score", tmp_path, "--paper")
    write_timeline(tiny.parents[1] / "more" / "timeline.json", timeline("more"))
    with pytest.raises(ConfigError, match="holds 2 instances"):
        track("score", tmp_path, "--instance", tiny.parents[1])


def test_without_a_sandbox_the_run_says_what_it_proves(
    memgauge: Callable[..., Said], tiny: Path, tmp_path: Path
) -> None:
    """A warning before, and a sentence beside the score."""
    said = memgauge(
        "study", "track", "run", tiny, "--sandbox", "none", "--agent", "oracle", "--out", tmp_path / "run"
    )
    assert said.code == 0, said.err
    assert "There is no sandbox" in said.err
    assert "proves nothing" in said.out


def test_help_reads_well(memgauge: Callable[..., Said], monkeypatch: pytest.MonkeyPatch) -> None:
    """Every option says what it is for."""
    monkeypatch.setenv("COLUMNS", "80")
    said = memgauge("study", "track", "run", "--help")
    assert said.code == 0
    assert "--memory-mode" in said.out
    assert max(map(len, said.out.splitlines())) <= 80
