"""What a memory may not return is an outcome of every study that calls memories, with a sentence that names it."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from itertools import groupby
from typing import TYPE_CHECKING, Final

import pytest

from memgauge.errors import ContractBreach
from memgauge.foreign import Raised, call_foreign
from memgauge.records import Memory, Scope, Verdict
from memgauge.studies.attribution.cells import BY_NAME
from memgauge.studies.attribution.memories import Remembering
from memgauge.studies.attribution.question import make_questions, shown
from memgauge.studies.erasure.auditing import audit
from memgauge.studies.erasure.calls import RecordedCalls
from memgauge.studies.erasure.plan import ErasurePlan
from memgauge.studies.erasure.record import ErasureFinding
from memgauge.studies.golden.attacks.measure import attack
from memgauge.studies.golden.driver import Driver, is_over
from memgauge.studies.golden.exposure import texts
from memgauge.studies.golden.identities import probe_identities
from memgauge.studies.golden.loading import load_suites
from memgauge.studies.golden.races.race import race
from memgauge.studies.golden.runner import Options, run_scenario
from memgauge.studies.golden.under_test import look_at
from support import spoilt
from support.spoilt import Dutiful, Spoiling, spoilings

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.studies.golden.scenario import Scenario

EVERY: Final = """\
schema: 1
suite: {id: every, version: 1.0.0}
scenarios:
- id: every.method
  title: every method of a memory is called
  family: every
  vars: {new: word}
  repeats: 1
  steps:
  - say: "My dentist is {dentist}."
    sets: {dentist: dentist}
  - say: "My parking code is {parking}."
    sets: {parking code: parking}
    expires_in: 90d
  - ask: "Who is my dentist?"
    about: dentist
  - update: dentist
    to: new
  - assert: {listed: dentist, audit: update, about: dentist}
  - restart: process
  - maintenance: 1
  - erase: dentist
  - assert: {residue: true}
"""
WRONG: Final = spoilings(seed=20)
DECLARED: Final = {"capabilities", "offers"}
"""What is asked before anything is written."""


def one_a_place() -> list[Spoiling]:
    """Return one wrong kind at every place of every method."""

    def place(spoiling: Spoiling) -> tuple[str, str]:
        return spoiling.method, spoiling.where

    return [next(each) for _, each in groupby(sorted(WRONG, key=place), key=place)]


def one_a_method() -> list[Spoiling]:
    """Return one wrong return of every method."""
    return list({spoiling.method: spoiling for spoiling in WRONG}.values())


def named(spoiling: Spoiling, words: str) -> bool:
    """Whether *words* name the method, and no error of ours."""
    method = spoiling.method
    begins = (f"{method} returned ", "capabilities ask for the unit ")
    return any(begin in words for begin in begins) and "Error" not in words


@pytest.fixture(scope="module")
def scenario(tmp_path_factory: pytest.TempPathFactory) -> Scenario:
    """Return a scenario that calls every method."""
    file: Path = tmp_path_factory.mktemp("every") / "every.memsuite.yaml"
    file.write_text(EVERY, "utf-8")
    (loaded,) = load_suites([file])
    assert not loaded.broken
    return loaded.suite.scenarios[0]


def test_the_memory_that_is_spoilt_is_right_otherwise(scenario: Scenario) -> None:
    """So what is found follows from what it returns."""
    times: dict[str, list[float]] = {}
    ended = run_scenario(scenario, Dutiful, Options(timeout_s=math.inf, times=times))
    assert (ended.verdict, ended.detail) == (Verdict.PASS, "")
    called = {spoiling.method for spoiling in WRONG} - {"capabilities", "offers"}
    assert called <= times.keys()


@pytest.mark.parametrize("timeout_s", [math.inf, 10.0])
def test_a_scenario_ends_as_an_error_that_names_what_came(scenario: Scenario, timeout_s: float) -> None:
    """With a clock and without one, whatever is spoilt."""
    for spoiling in WRONG if math.isinf(timeout_s) else one_a_place():
        ended = run_scenario(scenario, spoiling.open, Options(timeout_s=timeout_s))
        assert ended.verdict == Verdict.ERROR, (spoiling, ended)
        assert named(spoiling, ended.detail), (spoiling, ended)
        assert not ended.findings


def test_ids_and_attacks_end_in_a_sentence() -> None:
    """Nobody calls such a memory clean, or an attack on it resisted, where the method was called."""
    for spoiling in one_a_method():
        probed = call_foreign(lambda spoiling=spoiling: probe_identities(spoiling.open))  # type: ignore[misc]
        error = str(probed.error)
        assert isinstance(probed, Raised) == (spoiling.method in DECLARED)
        assert not error or named(spoiling, error.removeprefix("ContractBreach: "))
        assert bool(error) == (spoiling.method not in {"ingest_expiring", "update"})
        for outcome in attack(spoiling.open, ["P1"]).outcomes:
            ended = outcome.verdict is Verdict.ERROR
            assert ended == (spoiling.method in {*DECLARED, "ingest", "search", "dump", "context", "ask"})
            assert not ended or named(spoiling, outcome.detail)


def test_a_race_ends_with_what_came_and_not_as_a_refusal() -> None:
    """What a call may not return is no call that the memory refused."""
    for spoiling in one_a_method():
        if spoiling.method not in {"ingest", "search", "dump", "update", "delete"}:
            continue
        driver = Driver.opening(spoiling.open, timeout_s=10)
        with pytest.raises(ContractBreach) as raised:
            race(driver, shapes=["update", "delete"], rounds=1)
        driver.close()
        assert named(spoiling, str(raised.value))


def test_a_reply_that_cannot_be_read_is_a_failure_that_names_what_came() -> None:
    """Attribution asks no method beyond these, and ends with an answer for the others."""
    ask = shown(make_questions(2)[0], BY_NAME["agree"])
    for spoiling in WRONG:
        if spoiling.method in DECLARED:
            continue
        (reply,) = Remembering.of(spoiling.open()).read([ask])
        used = spoiling.method in {"ingest", "search", "ask", "dump"}
        assert bool(reply.failed) == used
        assert not used or named(spoiling, reply.failed)


@pytest.mark.parametrize("spoiling", one_a_method(), ids=lambda spoiling: spoiling.method)
def test_an_audit_of_erasure_says_what_came(spoiling: Spoiling, monkeypatch: pytest.MonkeyPatch) -> None:
    """What could not be read may have held anything, so that nothing is called gone."""
    monkeypatch.setattr(spoilt, "opened", spoiling.open, raising=False)
    plan = ErasurePlan("support.spoilt:opened")
    if spoiling.method in {*DECLARED, "storage_paths"}:
        with pytest.raises(ContractBreach) as raised:
            audit(plan)
        assert named(spoiling, str(raised.value))
        return
    report = audit(plan)
    unused = spoiling.method == "ingest_expiring"
    assert named(spoiling, " ".join(report.sentences)) != unused
    if spoiling.method in {"search", "dump", "context", "ask", "history", "delete"}:
        assert report.finding is ErasureFinding.UNSEEN


def test_of_a_person_who_is_there_no_return_is_quoted() -> None:
    """A report is handed to others: it names the method, and shows nothing of what came."""
    form = next(each for each in WRONG if (each.method, each.where, each.kind) == ("search", "form", "a str"))
    problems = []
    for shows in (True, False):
        calls = RecordedCalls(form.open, 10, lambda: datetime.now(UTC), shown=shows)
        with pytest.raises(ContractBreach) as raised:
            calls.ask("search", lambda calls=calls: calls.system.search("thing", Scope("ann"), 3))  # type: ignore[misc]
        problems.append(calls.problem("search", raised.value))
        calls.close()
    assert problems == [
        "search returned a Memory with a wrong form ('text', not a Form)",
        "search returned what it may not",
    ]


@pytest.mark.parametrize("spoiling", one_a_method(), ids=lambda spoiling: spoiling.method)
def test_a_look_at_a_memory_says_what_it_does_not_promise(
    spoiling: Spoiling, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before anything is played the memory is described, or what is wrong with that."""
    monkeypatch.setattr(spoilt, "opened", spoiling.open, raising=False)
    problem = look_at("support.spoilt:opened", 10).problem
    assert bool(problem) == (spoiling.method in DECLARED)
    assert not problem or named(spoiling, problem)


def test_what_a_return_holds_beside_its_fields_is_looked_through_though_reading_it_raises() -> None:
    """A memory cannot hide from the ledger by raising, nor end the suite."""

    class Hiding(Memory):
        @property
        def more(self) -> str:
            raise RuntimeError("not for you")

        def __eq__(self, other: object) -> bool:
            raise RuntimeError("not for you")

        def __hash__(self) -> int:
            raise RuntimeError("not for you")

    shown_texts = {text.text for text in texts([Hiding("m1", "the value", channel="work")])}
    assert {"m1", "the value", "work"} <= shown_texts


def test_times_with_a_zone_are_compared_with_those_of_the_conversation() -> None:
    """They are no wrong return, and no error of ours."""
    memory = Memory("m1", "text", valid_to=datetime(2026, 1, 5, 9, tzinfo=UTC))
    assert is_over(memory, datetime.fromisoformat("2026-01-05T09:00"))
    assert not is_over(memory, datetime.fromisoformat("2026-01-05T08:59"))
