"""The commands, as people and programs use them."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

from memgauge.frame.exits import FAILED, OK, PARTIAL, WRONG_USE

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support.cli import Said

STUDY = ("study", "production")


def test_health_names_faults_and_their_first_week(memgauge: Callable[..., Said], small_folder: Path) -> None:
    """The first line says that traffic is sampled; the exit code says that somebody should look."""
    shown = memgauge(*STUDY, "health", small_folder)
    assert shown.code == FAILED
    assert "Something was returned that should never be: stale, 1 h after the change (first in week" in shown.out
    assert "traced, sampled traffic" in shown.out.replace("\n", " ")
    rows = memgauge(*STUDY, "health", small_folder, "--json").data["value"]["rows"]
    assert [row["key"] for row in rows][:3] == ["with_query", "with_records", "with_scores"]


def test_traffic_beside_itself_differs_by_nothing(memgauge: Callable[..., Said], small_folder: Path) -> None:
    """Scopes that are in both count once; quantiles say why they are not compared."""
    rows = memgauge(*STUDY, "health", small_folder, "--against", small_folder, "--json").data["value"]["rows"]
    against = {row["key"]: row["against"] for row in rows}
    assert against["empty"]["mean"] == 0
    assert "quantiles" in against["search_p50"]["reason"]


def test_drift_draws_a_chart_of_what_left_its_limits(
    memgauge: Callable[..., Said], small_folder: Path, tmp_path: Path
) -> None:
    """Faults are alarms whatever the charts say; the page has every table."""
    shown = memgauge(*STUDY, "drift", small_folder, "--out", tmp_path / "drift.html")
    assert shown.code == FAILED
    assert "of another scope (week 1)" in shown.out.replace("\n", " ")
    assert "What else changed" in (tmp_path / "drift.html").read_text("utf-8")


def test_a_simulated_service_is_healthy_unless_something_is_planted(
    memgauge: Callable[..., Said], tmp_path: Path
) -> None:
    """The whole way: write, measure, follow; a fault that does not exist is refused by name."""
    assert memgauge(*STUDY, "simulate", tmp_path / "t", "--users", 40, "--weeks", 4).code == OK
    assert memgauge(*STUDY, "health", tmp_path / "t").code == OK
    drift = memgauge(*STUDY, "drift", tmp_path / "t")
    assert drift.code == PARTIAL
    assert "No measure could be followed from day to day" in " ".join(drift.out.split())
    refused = memgauge(*STUDY, "simulate", tmp_path / "u", "--plant", "mould")
    assert (refused.code, (tmp_path / "u").exists()) == (WRONG_USE, False)
    assert "'mould'" in refused.err


def test_what_changed_and_could_not_be_followed_is_no_silence(
    memgauge: Callable[..., Said], tmp_path: Path
) -> None:
    """A memory that returns nothing any more is named though no chart has cases enough; measures are checks."""
    assert memgauge(*STUDY, "simulate", tmp_path / "t", "--users", 60, "--plant", "silent").code == OK
    drift = memgauge(*STUDY, "drift", tmp_path / "t", "--format", "junit")
    assert drift.code == PARTIAL
    (suite,) = ET.fromstring(drift.out).iter("testsuite")  # noqa: S314 - our own text
    assert (suite.get("tests"), suite.get("skipped")) == ("10", "9")
    assert "empty (+0.976)" in " ".join(memgauge(*STUDY, "drift", tmp_path / "t").out.split())


def test_labels_are_asked_for_kept_and_made_rates(
    memgauge: Callable[..., Said], small_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half are typed, half are in a file; whoever goes on is asked only what is left."""
    labels, answers = tmp_path / "labels", tmp_path / "answers.jsonl"
    monkeypatch.setattr("sys.stdin", io.StringIO("y\nn\nu\nq\n"))
    shown = memgauge(*STUDY, "label", small_folder, labels, "--rater", "ada", "--n", 20)
    assert "3 judgments of ada added; 17 of 20 questions are left." in shown.out
    assert "Asked: Question" in shown.out
    drawn = json.loads((labels / "draw.json").read_text("utf-8"))["value"]["questions"]
    (tmp_path / "none.jsonl").touch()
    none = ("label", small_folder, tmp_path / "none", "--rater", "ada", "--answers", tmp_path / "none.jsonl")
    memgauge(*STUDY, *none)
    unsaid = memgauge(*STUDY, "rates", small_folder, tmp_path / "none")
    assert (unsaid.code, "No rate yet: nothing is labelled." in unsaid.out) == (PARTIAL, True)
    lines = [{"question": question["name"], "verdict": "hit"} for question in drawn[2:]]
    answers.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    for rater in ("ada", "bob"):
        done = memgauge(*STUDY, "label", small_folder, labels, "--rater", rater, "--answers", answers, "--json")
        assert (done.code, done.data["left"]) == (OK, 0 if rater == "ada" else 2)
    rates = memgauge(*STUDY, "rates", small_folder, labels, "--json").data["value"]
    assert (rates["labelled"], rates["unclear"], rates["powered"]) == (20, 0, None)
    assert rates["alone"]["low"] < rates["alone"]["mean"] < 1
    assert (rates["raters"][0]["first"], rates["raters"][0]["kappa"]["n"]) == ("ada", 18)


def test_a_judge_without_a_certificate_is_refused(
    memgauge: Callable[..., Said], small_folder: Path, tmp_path: Path
) -> None:
    """And so is a file that is none; no traceback, a remedy."""
    judge = tmp_path / "judge.jsonl"
    judge.write_text("{}\n", "utf-8")
    for more in ((), ("--certificate", judge)):
        refused = memgauge(*STUDY, "rates", small_folder, tmp_path, "--judge", judge, *more)
        assert refused.code == WRONG_USE
        assert "certificate" in refused.err
        assert "memgauge models certify" in refused.err


def test_a_sample_of_other_traffic_is_refused(
    memgauge: Callable[..., Said], small_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its probabilities would be of other searches."""
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    memgauge(*STUDY, "label", small_folder, tmp_path / "labels", "--rater", "ada")
    memgauge(*STUDY, "simulate", tmp_path / "t", "--users", 40, "--weeks", 4)
    refused = memgauge(*STUDY, "rates", tmp_path / "t", tmp_path / "labels")
    assert refused.code == WRONG_USE
    assert "drawn from other traffic" in refused.err
    assert "No sample at" in memgauge(*STUDY, "rates", tmp_path / "t", tmp_path / "none").err


@pytest.mark.parametrize("rater", ["", "  ", "a\nb", "a\x1b[31mb"])
def test_a_rater_has_a_name(memgauge: Callable[..., Said], small_folder: Path, tmp_path: Path, rater: str) -> None:
    """One that can be printed in a line; nothing is drawn before."""
    refused = memgauge(*STUDY, "label", small_folder, tmp_path / "labels", "--rater", rater)
    assert refused.code == WRONG_USE
    assert "no name of a rater" in refused.err
    assert not (tmp_path / "labels").exists()


def test_files_that_are_not_there_are_named(
    memgauge: Callable[..., Said], small_folder: Path, tmp_path: Path
) -> None:
    """Answers, and labels of which failures are to be captured: in words, without a traceback."""
    absent = tmp_path / "absent"
    for command in (
        ("label", small_folder, tmp_path / "labels", "--rater", "ada", "--answers", absent),
        ("capture", small_folder, absent, tmp_path / "traces"),
    ):
        refused = memgauge(*STUDY, *command)
        assert refused.code == WRONG_USE
        assert "absent" in refused.err
        assert "Traceback" not in refused.err
    assert not (tmp_path / "traces").exists()
