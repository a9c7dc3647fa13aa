"""`memgauge systems card | matrix`: measured, saved, put beside each other."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from memgauge.cli import invoke
from memgauge.cli.systems_matrix import counted
from memgauge.results import plain
from memgauge.studies.golden.anomalies import Anomaly
from memgauge.studies.golden.checking import AnomalyFinding
from memgauge.studies.golden.kinds import GOLDEN
from memgauge.studies.golden.outcome import outcome
from memgauge.studies.golden.suite_run import run_suites
from memgauge.systems.conformance.kinds import MATRIX
from memgauge.systems.conformance.matrix import matrix_of, read_cards
from support import cards as made
from support.golden import loaded
from support.junit import red

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Look for environments in a folder of the test."""
    monkeypatch.setenv("MEMGAUGE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COLUMNS", "120")


def test_a_card_is_measured_saved_and_put_beside_another(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The saved card is the printed one; the matrix writes its tables and its page."""
    folder = tmp_path / "cards"
    assert invoke(["systems", "card", "bm25", "--no-golden", "--out", str(folder / "a.json"), "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert [reading["card"]["ref"] for reading in printed["value"]["systems"]] == ["bm25"]
    assert json.loads((folder / "a.json").read_text("utf-8")) == printed
    other = MATRIX.of(matrix_of([made.card("other", "scopes are isolated")]))
    (folder / "b.json").write_text(json.dumps(plain(other)), "utf-8")
    page, text = tmp_path / "out" / "page.html", tmp_path / "out" / "tables.md"
    for path in (page, text):
        assert invoke(["systems", "matrix", str(folder), "--out", str(path)]) == 0
        assert "2 other 1" in capsys.readouterr().out
    assert "isolation" in page.read_text("utf-8")
    assert "isolation" in text.read_text("utf-8")
    assert invoke(["systems", "matrix", str(folder / "a.json"), str(folder / "b.json"), "--json"]) == 0
    both = json.loads(capsys.readouterr().out)
    assert [reading["card"]["ref"] for reading in both["value"]["systems"]] == ["bm25", "other"]


def test_a_broken_promise_ends_with_one_and_a_saved_golden_report_is_used(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What the suite said before is not played again."""
    report = run_suites(loaded(tmp_path), "bm25", families=["isolation"])
    leak = AnomalyFinding(Anomaly.CROSS_USER_LEAK, 4, "recall", "bob was shown it")
    result = replace(report.played[0].result, verdict="fail", findings=(leak,))
    leaky = replace(report, played=(replace(report.played[0], result=result),))
    saved = tmp_path / "golden.json"
    saved.write_text(json.dumps(plain(GOLDEN.of(outcome(leaky)))), "utf-8")
    assert invoke(["systems", "card", "bm25", "--golden", str(saved)]) == 1
    assert "1 golden scenarios leak" in capsys.readouterr().out
    assert invoke(["systems", "card", "bm25", "--golden", str(saved), "--format", "junit"]) == 1
    assert "isolation" in " ".join(red(capsys.readouterr().out))


def test_what_is_no_golden_report_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Data of another kind is no report of the suite; the remedy is a command."""
    saved = tmp_path / "golden.json"
    saved.write_text("{}")
    assert invoke(["systems", "card", "bm25", "--golden", str(saved)]) > 0
    assert "no result of this version of memgauge, not a golden result" in capsys.readouterr().err


@pytest.mark.slow
def test_the_suite_is_played_where_nobody_says_otherwise(capsys: pytest.CaptureFixture[str]) -> None:
    """The card of a reference memory tells what the whole suite found."""
    invoke(["systems", "card", "bm25", "--json"])
    (reading,) = json.loads(capsys.readouterr().out)["value"]["systems"]
    golden = reading["card"]["golden"]
    assert golden["played"] == golden["of"] > 100


def test_the_cards_of_this_release_are_shown_where_none_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    """The conformance table of the products comes with the package."""
    assert invoke(["systems", "matrix", "--json"]) == 0
    value = json.loads(capsys.readouterr().out)["value"]
    assert len(value["systems"]) >= 9
    assert sum(bool(failure["found"]) for failure in value["failures"]) >= 8
    assert all(reading["aspects"] for reading in value["systems"])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["card", "no-such-system"], "no-such-system"),
        (["card", "bm25", "--golden", "missing.json"], "missing.json"),
        (["matrix", "missing.json"], "Cannot read"),
        (["matrix", "."], "No card"),
    ],
)
def test_mistakes_are_sentences(
    arguments: list[str],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Wrong names and files end with 2 and a remedy."""
    monkeypatch.chdir(tmp_path)
    assert invoke(["systems", *arguments]) == 2
    assert said in capsys.readouterr().err


def test_the_scripted_model_is_servedcounted_and_taken_away(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its address stands in the environment only meanwhile; what was there before comes back."""
    import urllib.request

    monkeypatch.setenv("OPENAI_BASE_URL", "http://before")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with counted() as spent:
        assert spent().calls == 0
        body = {"model": "m", "messages": [{"role": "user", "content": "hello"}]}
        request = urllib.request.Request(  # noqa: S310 - the server's own address on this machine
            os.environ["OPENAI_BASE_URL"] + "/chat/completions",
            json.dumps(body).encode(),
            {"Content-Type": "application/json"},
        )
        urllib.request.urlopen(request, timeout=10).read()  # noqa: S310 - as above
        assert spent().calls == 1
        assert spent().tokens > 0
    assert os.environ["OPENAI_BASE_URL"] == "http://before"
    assert "OPENAI_API_KEY" not in os.environ


def test_a_saved_card_keeps_what_was_measured(tmp_path: Path) -> None:
    """A fault of a reference system is on its card, and the command says so by its exit."""
    out = tmp_path / "leaky.json"
    assert invoke(["systems", "card", "faulty:leaky", "--no-golden", "--out", str(out), "--json"]) == 1
    (card,) = read_cards(out)
    assert card.verdict("scopes are isolated") == "fail"
