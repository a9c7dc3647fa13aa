"""`memgauge results comply`: what a person and a build server get."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from memgauge.frame.exits import FAILED, OK
from support.own import pin

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pytest

    from support.cli import Said

TESTS = ("--test", "search-before-write", "--test", "renamed-ids")


def test_an_honest_memory_complies(
    memgauge: Callable[..., Said], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The verdict comes first, runs are kept and not repeated, and a build server gets a check a test."""
    monkeypatch.chdir(tmp_path)
    call = ("results", "comply", "-d", "synthetic:tiny", "-s", "bm25", "--executor", "inline", *TESTS)
    said = memgauge(*call, "--runs", "made", "--out", "out")
    assert said.code == OK
    assert said.out.startswith("bm25 is as it must be in 2 of 2 tests.")
    assert len(list((tmp_path / "made").glob("*/SEAL"))) == 3
    checks = ET.parse(tmp_path / "out" / "compliance.xml").getroot().iter("testcase")  # noqa: S314 - our own file
    assert [check.get("name") for check in checks] == ["search-before-write", "renamed-ids"]
    seals = {path: path.stat().st_mtime_ns for path in (tmp_path / "made").glob("*/SEAL*")}
    again = memgauge(*call, "--runs", "made", "--json")
    assert [each["verdict"] for each in again.data["verdicts"]] == ["as it must be"] * 2
    assert seals == {path: path.stat().st_mtime_ns for path in (tmp_path / "made").glob("*/SEAL*")}


def test_a_memory_that_lingers_fails_the_build(
    memgauge: Callable[..., Said], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a test differs, the command says what that catches and exits with 1."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lingering.py").write_text(
        "from memgauge.systems.policies.lexical import Bm25Policy\n\n\n"
        "class Lingering(Bm25Policy):\n"
        "    name = 'lingering'\n\n"
        "    def reset(self):\n"
        "        if not hasattr(self, '_begun'):\n"
        "            super().reset()\n"
        "        self._begun = True\n",
        "utf-8",
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    said = memgauge(
        "results", "comply", "-d", "synthetic:tiny", "-s", "lingering:Lingering", "--test", "reset-then-search"
    )
    assert said.code == FAILED
    assert "differs in reset-then-search" in said.out
    assert "catches what outlives a reset" in " ".join(said.out.split())


def test_a_memory_whose_calls_fail_shows_nothing(
    memgauge: Callable[..., Said], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two sides that both fail are equal; the command says so, and is no success."""
    monkeypatch.chdir(tmp_path)
    call = ("results", "comply", "-d", "synthetic:tiny", "-s", "support.systems:Failing", "--test", "renamed-ids")
    said = memgauge(*call)
    assert said.code == FAILED
    assert "calls of support.systems:Failing failed, most often: search raised LookupError" in said.err
    assert "memgauge systems check support.systems:Failing" in " ".join(said.err.split())


def _evidence_alone(folder: Path, *bystanders: str) -> str:
    """Write data in which every turn answers a question, and conversations of one turn that none asks for."""
    folder.mkdir()
    said = {
        "session": "s",
        "id": "t",
        "speaker": "Ada",
        "at": "9999-12-01",
        "text": "Kittens purr in kitchens.",
    }
    turns = [{"conversation": name, **said} for name in ("c1", "c2", *bystanders)]
    asked = [
        {"conversation": turn["conversation"], "id": f"q{n}", "text": "Who makes noise?"}
        | ({"abstain": True} if turn["conversation"] in bystanders else {"evidence": ["t"], "answers": ["Yes"]})
        for n, turn in enumerate(turns)
    ]
    for name, rows in (("turns", turns), ("questions", asked)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    pin(folder)
    return f"own:{folder}"


def test_a_test_that_cannot_be_made_takes_no_other_with_it(
    memgauge: Callable[..., Said], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of changed data nothing is left, or other questions, or no such time: that alone is not run, and why."""
    monkeypatch.chdir(tmp_path)
    names = ("removed-evidence", "removed-bystanders", "shifted-clock", "renamed-ids", "search-before-write")
    call = ("results", "comply", "-s", "bm25", *(word for name in names for word in ("--test", name)), "--json")
    for number, bystanders in enumerate(((), ("c3",))):
        said = memgauge(*call, "-d", _evidence_alone(tmp_path / f"own{number}", *bystanders))
        assert said.code == OK, said.err
        ended = {each["test"]: (each["verdict"], each["reason"]) for each in said.data["verdicts"]}
        assert ended["shifted-clock"][0] == "could not be told"
        assert "There is no year 10000" in ended["shifted-clock"][1]
        assert [ended[name][0] for name in ("renamed-ids", "search-before-write")] == ["as it must be"] * 2
        if bystanders:
            assert ended["removed-bystanders"] == ("could not be told", "The changed dataset has other questions")
        else:
            verdict, reason = ended["removed-evidence"]
            assert verdict == "could not be told"
            assert reason.endswith("has no conversations")


def test_a_dataset_that_cannot_be_played_is_no_matter_of_a_test(
    memgauge: Callable[..., Said], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is wrong with the system or with the data themselves is told before the first run."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "none").mkdir()
    for name in ("turns", "questions"):
        (tmp_path / "none" / f"{name}.jsonl").touch()
    pin(tmp_path / "none")
    said = memgauge("results", "comply", "-s", "bm25", "-d", "own:none", "--test", "removed-evidence")
    assert (said.code, "own:none has no conversations" in said.err) == (2, True)
    said = memgauge("results", "comply", "-s", "bm25:k1=-5", "-d", "synthetic:tiny", "--test", "removed-evidence")
    assert (said.code, "k1" in said.err) == (2, True)
    assert not list(tmp_path.glob("runs/*"))


def test_mistakes_come_before_the_first_run(
    memgauge: Callable[..., Said], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A test that there is not, and a margin that is none, are told without playing."""
    monkeypatch.chdir(tmp_path)
    call = ("results", "comply", "-d", "synthetic:tiny", "-s", "bm25")
    assert "renamed-ids" in memgauge(*call, "--test", "renamed-id").err
    assert "margin" in memgauge(*call, "--margin", "0").err
    assert not (tmp_path / "runs").exists()
