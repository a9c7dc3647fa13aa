"""`memgauge data synth`."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from memgauge.datasets.own.lines import MANIFEST
from support.model_server import KEY, answer, completion, serve

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_httpserver import HTTPServer
    from werkzeug import Request as Asked
    from werkzeug import Response

    from support.cli import Said


def test_a_world_is_written_and_run(memgauge: Callable[..., Said], tmp_path: Path) -> None:
    """One command writes a folder that every other command knows; data are its manifest."""
    said = memgauge("data", "synth", tmp_path / "world", "--size", "tiny", "--seed", 2, "--level", "para")
    assert said.code == 0, said.err
    assert "2 conversations, 12 sessions, 96 turns, 33 questions" in " ".join(said.out.split())
    assert memgauge("data", "validate", f"own:{tmp_path / 'world'}").code == 0
    ran = memgauge(
        "run", "-d", f"own:{tmp_path / 'world'}", "-s", "bm25", "--executor", "inline", "--out", tmp_path / "runs"
    )
    assert ran.code == 0, ran.err
    again = memgauge(
        "data", "synth", tmp_path / "again", "--size", "tiny", "--seed", 2, "--level", "para", "--json"
    ).data
    assert again == json.loads((tmp_path / "world" / MANIFEST).read_text())


def test_parts_are_measured_and_filtered(memgauge: Callable[..., Said], tmp_path: Path) -> None:
    """A range of users, figures in the manifest, and questions that miss a bound dropped and counted."""
    made = memgauge(
        *("data", "synth", tmp_path / "part", "--size", "tiny", "--users", "5:8", "--workers", 2, "--measured"),
        *("--require", "overlap<=0.5", "--json"),
    ).data
    assert (made["users"], made["counts"]["conversations"]) == ([5, 8], 3)
    assert made["measured"]["all"]["questions"] == made["counts"]["questions"]
    assert sum(made["required"]["dropped"].values()) > 0
    said = memgauge("data", "synth", tmp_path / "other", "--size", "tiny", "--require", "overlap<=0.5")
    assert re.search(r"Dropped: \d+ questions \(", said.out)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--users", "5"), "first:after-last"),
        (("--users", "5:5"), "no range"),
        (("--require", "overlap"), "no requirement"),
        (("--require", "overlapp<1"), "Did you mean overlap"),
    ],
)
def test_mistakes_are_told(
    memgauge: Callable[..., Said], tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    """One sentence, exit code 2, and nothing written."""
    said = memgauge("data", "synth", tmp_path / "out", "--size", "tiny", *arguments)
    assert (said.code, message in said.err) == (2, True)
    assert not (tmp_path / "out").exists()


def test_difficulty_is_printed_by_dataset_and_kind(memgauge: Callable[..., Said]) -> None:
    """A table for each dataset, a line for each kind on request, and the same as data."""
    refs = ("synthetic:tiny,level=lex", "synthetic:tiny,level=para")
    said = memgauge("data", "difficulty", *refs)
    assert said.out.count("BM25@5") == 2
    assert "identifier" not in said.out
    assert "identifier" in memgauge("data", "difficulty", *refs, "--kinds").out
    data = memgauge("data", "difficulty", *refs, "--json").data
    assert data[refs[0]]["all"]["overlap"] > data[refs[1]]["all"]["overlap"]


def test_an_audit_fails_when_a_bound_is_beaten(memgauge: Callable[..., Said]) -> None:
    """Exit code 1 and a sentence for every bound that is beaten, 0 and none without."""
    good = memgauge("data", "audit", "synthetic:tiny", "--why")
    found = memgauge("data", "audit", "synthetic:tiny", "--json")
    assert good.code == found.code == int(bool(found.data["beaten"]))
    assert "silence is right there by definition" in good.out
    bad = memgauge("data", "audit", "synthetic:few,level=lex", "--level", "latent")
    assert bad.code == 1
    assert "! bm25 on identifier" in bad.out
    data = memgauge("data", "audit", "synthetic:few,level=lex", "--level", "latent", "--json").data
    assert {cell["solver"] for cell in data["beaten"]} >= {"bm25", "last-match"}
    wrong = memgauge("data", "audit", "synthetic:none")
    assert wrong.code == 2


def reword(asked: Asked) -> Response:
    """Preface what is shown."""
    shown = json.loads(asked.get_data())["messages"][-1]["content"]
    found = re.search(r"<turn-(\w+)>\n(.*?)\n</turn-\1>", shown, re.DOTALL)
    assert found
    return answer(completion(json.dumps({"text": f"Listen, I mean it: {found[2]}"})))


def test_a_world_is_reworded_by_a_model(
    httpserver: HTTPServer, memgauge: Callable[..., Said], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Planned, asked once over HTTP, and made again from the record with the server gone."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    memgauge("data", "synth", tmp_path / "world", "--size", "tiny")
    asked = ("data", "paraphrase", tmp_path / "world", "--model", "openai:tiny")
    record = ("--cassette", tmp_path / "replies.sqlite")
    url = serve(httpserver, reword)
    bad = serve(httpserver, answer(completion("as you like")), path="bad/chat/completions").replace(
        "/v1", "/v1/bad"
    )
    plan = memgauge(*asked, *record, "--out", tmp_path / "none", "--base-url", url, "--plan", "--json").data
    said = memgauge(*asked, *record, "--out", tmp_path / "one", "--base-url", url)
    assert said.code == 0, said.err
    assert f"{plan['calls']} of {plan['calls']} turns in other words." in said.out
    assert len(httpserver.log) == plan["calls"]
    gone = ("--base-url", "http://127.0.0.1:9/v1", "--mode", "replay")
    again = memgauge(*asked, *record, "--out", tmp_path / "two", *gone, "--json")
    assert again.data == json.loads((tmp_path / "one" / MANIFEST).read_text())
    silent = memgauge(*asked, "--cassette", tmp_path / "empty.sqlite", "--out", tmp_path / "three", *gone)
    assert (silent.code, "There is no cassette" in silent.err) == (2, True)
    deaf = memgauge(*asked, "--cassette", tmp_path / "one.sqlite", "--out", tmp_path / "four", "--base-url", bad)
    assert f"Kept as it was: {plan['calls']} (no reply that can be read)." in " ".join(deaf.out.split())
    assert not (tmp_path / "none").exists()
