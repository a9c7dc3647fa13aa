"""The conformance check of what is going to be run."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from memgauge.records import Verdict
from memgauge.runs.play import conforming
from memgauge.runs.play.conforming import Examined, examine, remember, remembered, with_conformance
from memgauge.runs.play.execute import execute
from memgauge.runs.play.plan import plan
from memgauge.runs.play.player.troupe import Troupe
from memgauge.runs.record.conformance import UNCHECKED, Conformance
from memgauge.runs.record.manifest import Manifest
from memgauge.runs.record.store import load
from memgauge.systems.conformance import Check
from memgauge.systems.conformance.check import PROBES
from memgauge.systems.conformance.essential import essential
from support.handmade import planned, two_questions

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pytest


def test_a_run_names_what_its_system_does_not_keep(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The checks that failed stand in the manifest as sentences, and change nothing of the run's identity."""
    monkeypatch.setenv("MEMGAUGE_CACHE", str(tmp_path / "cache"))
    work = planned(two_questions(), "support.systems:Digest", "bm25")
    digest, bm25 = (load(folder).manifest for folder in execute(work, tmp_path / "runs"))
    assert digest.conformance.checked
    assert any(sentence.startswith("memories bear their sources: ") for sentence in digest.conformance.failed)
    assert bm25.conformance == Conformance(checked=True)
    assert [cell.manifest.identity for cell in work.cells] == [digest.identity, bm25.identity]
    assert remembered(digest.system) == digest.conformance


def test_a_system_is_checked_once_and_a_run_that_was_begun_is_not_asked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of one system many runs begin with one check; what is there already keeps what it says, and costs none."""
    consulted: list[str] = []
    consult = Troupe.consult

    def counted(troupe: Troupe, asked: object, keys: frozenset[str], **named: Any) -> dict[str, Any]:
        consulted.append("once")
        return consult(troupe, asked, keys, **named)

    monkeypatch.setenv("MEMGAUGE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(conforming, "remembered", lambda _system: None)  # as where nothing is kept
    monkeypatch.setattr(Troupe, "consult", counted)
    work = plan(["synthetic:tiny"], ["recency"], seeds=[1, 2], conversations=1)
    folders = execute(work, tmp_path / "runs")
    assert {load(folder).manifest.conformance.checked for folder in folders} == {True}
    assert execute(work, tmp_path / "runs") == folders
    assert consulted == ["once"]
    ahead = replace(work, cells=with_conformance(work.cells))  # as who wants to tell of it first
    execute(ahead, tmp_path / "again")
    assert consulted == ["once", "once"]


def test_a_model_that_does_not_answer_breaks_no_promise_of_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The check was not made, the manifest says why, and it is made again at the next run."""
    monkeypatch.setenv("MEMGAUGE_CACHE", str(tmp_path))
    silent = {"any text is accepted": ("error", "ModelError: http://127.0.0.1:9 timed out")}

    def consult(*_args: object, hearing: Callable[[dict[str, Any]], bool], **_named: object) -> dict[str, Any]:
        for name in PROBES:
            hearing({"check": [name, *silent.get(name, ("pass", ""))]})
        return {"used": None}

    monkeypatch.setattr(Troupe, "consult", consult)
    (cell,) = with_conformance(planned(two_questions(), "support.systems:Notebook").cells)
    conformance = cell.manifest.conformance
    assert (conformance.checked, conformance.failed) == (False, ())
    assert "a model that it asks did not answer (ModelError: " in conformance.sentence
    assert remembered(cell.manifest.system) is None


def test_a_report_of_a_silent_model_is_not_kept_either(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`systems check` shows it, and the runs that follow look for themselves."""
    monkeypatch.setenv("MEMGAUGE_CACHE", str(tmp_path))
    (cell,) = planned(two_questions(), "bm25").cells
    silent = Check("any text is accepted", Verdict.ERROR, "ModelError: http://127.0.0.1:9 timed out")
    remember(cell.manifest.system, Examined((Check("reset", Verdict.PASS), silent), None))
    assert remembered(cell.manifest.system) is None
    remember(cell.manifest.system, Examined((Check("reset", Verdict.PASS),), None))
    assert remembered(cell.manifest.system) == Conformance(checked=True)


def test_what_was_found_is_remembered_of_the_same_code_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another version of a system, or another source of it, is looked at anew."""
    monkeypatch.setenv("MEMGAUGE_CACHE", str(tmp_path))
    (cell,) = planned(two_questions(), "bm25").cells
    system = cell.manifest.system
    remember(system, Examined((Check("reset", Verdict.PASS),), None))
    for part in ("ref", "name", "version", "source"):
        assert remembered(system.model_copy(update={part: "other"})) is None, part
    assert remembered(system) == Conformance(checked=True)


def test_checks_are_told_as_they_end_until_enough_was_heard() -> None:
    """Who listens hears the essential ones first, and ends the rest by saying so."""
    (cell,) = planned(two_questions(), "bm25").cells
    heard: list[str] = []

    def hearing(check: Check) -> bool:
        heard.append(check.name)
        return len(heard) < 3

    examined = examine(cell.manifest.system, hearing, probe_s=30)
    assert heard == ["finds a stored turn", "dump lists what was stored", "reset empties"]
    assert not examined.complete
    assert not examined.broken


def test_a_process_that_dies_ends_the_check_that_it_was_at() -> None:
    """What comes after it could not be made, and says so; nothing of it is lost."""
    (cell,) = planned(two_questions(), "support.systems:Dying").cells
    examined = examine(cell.manifest.system, lambda _: True, probe_s=30)
    assert examined.complete
    first, second, *_ = examined.checks
    assert (first.verdict, first.detail) == (Verdict.ERROR, "its process ended")
    assert essential(first)
    assert second.detail == "not run, because 'finds a stored turn' ended its process"


def test_who_wants_no_check_says_so(tmp_path: Path) -> None:
    """The run then says what it says of itself: nothing was looked at."""
    (folder,) = execute(plan(["synthetic:tiny"], ["none"], conversations=1), tmp_path, check=False)
    assert load(folder).manifest.conformance == UNCHECKED


def test_what_costs_is_not_checked_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A system that needs a model is checked by hand; a manifest that says nothing was not checked."""
    monkeypatch.setenv("MEMGAUGE_CACHE", str(tmp_path))
    (cell,) = planned(two_questions(), "support.systems:Notebook").cells
    system = cell.manifest.system.model_copy(update={"capabilities": {"needs": ("llm",)}})
    costly = type(cell)(cell.manifest.model_copy(update={"system": system}), 1, 9, 2)
    (checked,) = with_conformance((costly,))
    assert not checked.manifest.conformance.checked
    assert "needs llm" in checked.manifest.conformance.sentence
    raw = Manifest.model_validate(cell.manifest.model_dump(exclude={"conformance", "isolation", "probes"}))
    assert (raw.conformance.checked, raw.isolation.recorded, raw.probes) == (False, False, 0)
    assert raw.identity == cell.manifest.identity


def test_what_could_not_be_tried_is_not_broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One check that ended the process is one that was broken, and the others are counted apart."""
    monkeypatch.setenv("MEMGAUGE_CACHE", str(tmp_path))
    (cell,) = planned(two_questions(), "support.systems:Dying").cells
    examined = examine(cell.manifest.system, lambda _: True, probe_s=30)
    conformance = remember(cell.manifest.system, examined)
    left = f"{len(PROBES) - 1} more checks could not be made"
    assert conformance.broken == ("finds a stored turn: its process ended",)
    assert conformance.untried == left
    assert conformance.sentence == f"It does not conform: {conformance.broken[0]}; {left}."
    assert remembered(cell.manifest.system) == conformance
