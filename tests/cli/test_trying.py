"""`memgauge try`: from a memory to its failures, or to why there is nothing to measure."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from memgauge.cli import invoke

if TYPE_CHECKING:
    from pathlib import Path

TINY = ("-d", "synthetic:tiny", "-s", "recency")


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Remember no check of another test."""
    monkeypatch.setenv("MEMGAUGE_CACHE", str(tmp_path / "cache"))


def test_a_memory_is_checked_sized_measured_and_explained(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """All of it is data, too; the same command goes on with what was chosen."""
    command = ["try", "tfidf", *TINY, "--out", str(tmp_path / "try"), "--json"]
    assert invoke(command) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["checks"][0]["name"] == "answers in time"
    assert data["chosen"]["shares"] == [{"dataset": "synthetic:tiny", "conversations": 2, "of": 2}]
    assert data["chosen"]["systems"] == ["tfidf", "recency"]
    assert "synthetic:tiny: all 2 conversations." in data["chosen"]["sentences"]
    assert [board["dataset"]["ref"] for board in data["boards"]] == ["synthetic:tiny"]
    assert data["failures"]
    assert data["broken"] == []
    assert data["next"]
    assert (tmp_path / "try" / "report.html").is_file()
    assert invoke(command) == 0
    again = json.loads(capsys.readouterr().out)
    assert again["chosen"]["resumed"]
    assert again["boards"] == data["boards"]
    assert invoke(command[:-1]) == 0
    assert "try mymodule" not in capsys.readouterr().out
    assert "try mymodule" not in (tmp_path / "try" / "report.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("system", "words"),
    [
        ("Speechless", ["'finds a stored turn' failed: nothing was returned", "Every question is answered"]),
        ("Failing", ["'finds a stored turn' failed: LookupError: the index is gone"]),
        ("Dying", ["its process ended"]),
    ],
)
def test_the_first_essential_failure_ends_it(
    system: str, words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With what failed, why it matters and what to do; nothing is measured, and no board pretends."""
    assert invoke(["try", f"support.systems:{system}", *TINY, "--out", str(tmp_path / "try")]) == 1
    out = " ".join(capsys.readouterr().out.split())
    assert all(word in out for word in [*words, "Why it matters:", "What to do:", "Nothing was measured."]), out
    assert not (tmp_path / "try").exists()


def test_a_call_that_does_not_return_is_said_in_time(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Within a part of the stated time, as data too."""
    command = ["try", "faulty:hangs,sleep=60", *TINY, "--minutes", "0.1", "--out", str(tmp_path / "try"), "--json"]
    assert invoke(command) == 1
    data = json.loads(capsys.readouterr().out)
    assert data["stopped"]["check"] == "answers in time"
    assert "did not return within" in data["stopped"]["detail"]
    assert "boards" not in data


def test_no_time_is_no_try(capsys: pytest.CaptureFixture[str]) -> None:
    """The mistake is told before anything is opened."""
    assert invoke(["try", "bm25", "--minutes", "0"]) == 2
    assert "Give a number above 0" in capsys.readouterr().err


LEAKS = """
from memgauge.records import Scope
from memgauge.systems.policies.lexical import Bm25Policy

class Leaks(Bm25Policy):
    def ingest(self, event, scope): return super().ingest(event, Scope(user="all"))
    def search(self, query, scope, k, as_of=None): return super().search(query, Scope(user="all"), k, as_of)
    def dump(self, scope): return super().dump(Scope(user="all"))
"""


def test_a_memory_that_leaks_is_measured_and_fails(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The board comes with what is broken, why it matters and what to do, and with exit code 1; as data, too."""
    (tmp_path / "leaky.py").write_text(LEAKS, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    command = ["try", "leaky:Leaks", *TINY, "--out", str(tmp_path / "try")]
    assert invoke(command) == 1
    out = " ".join(capsys.readouterr().out.split())
    assert "leaky:Leaks was measured, and does not conform, which is exit code 1: scopes are isolated: " in out
    assert "Why it matters: What one person said is shown to another" in out
    assert "What to do: Keep the scope with every memory" in out
    assert invoke([*command, "--json"]) == 1
    data = json.loads(capsys.readouterr().out)
    assert data["boards"]
    assert {"scopes are isolated", "unknown scope is empty"} <= {each["check"] for each in data["broken"]}
