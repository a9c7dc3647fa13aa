"""Random programs against memories, and what becomes of what they find."""

from __future__ import annotations

import re
import sys
import unittest
from itertools import islice
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings

from memgauge.errors import ConfigError, MissingExtraError
from memgauge.records import Ranking, Verdict
from memgauge.studies.golden.anomalies import Anomaly
from memgauge.studies.golden.cases import accept_case, write_case
from memgauge.studies.golden.loading import load_suite
from memgauge.studies.golden.machine import explore, kill_rate, strategy
from memgauge.studies.golden.minimise import INLINE
from memgauge.studies.golden.programs import programs
from memgauge.studies.golden.runner import run_scenario
from memgauge.studies.golden.scenario import Provenance, Scenario
from memgauge.studies.golden.stateful import state_machine
from memgauge.systems.reference.ideal import Ideal
from memgauge.systems.reference.mutants import MUTANTS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from memgauge.records import Receipt, Scope, Turn


COUNT = 4
"""Programs of which several show that a mutant which keeps nothing is broken."""


class Raises(Ideal):
    """A memory that is broken altogether."""

    def search(self, query: str, scope: object, k: int, as_of: object = None) -> Ranking:
        """Raise."""
        raise RuntimeError("no index")


def test_nothing_is_found_wrong_with_the_ideal_memory() -> None:
    """Every program passes."""
    seen = explore(Ideal, count=25, options=INLINE)
    assert (seen.programs, seen.failing, seen.failures, seen.seed) == (25, 0, (), 0)


def test_exploring_is_deterministic_unless_it_is_not_to_be() -> None:
    """A seed gives the same failures; without, a new seed is drawn and told, and gives the same again."""
    broken = MUTANTS["null"]
    first = explore(broken, count=COUNT, options=INLINE)
    assert first.failures
    assert explore(broken, count=COUNT, options=INLINE) == first
    nightly = explore(broken, count=COUNT, derandomize=False, options=INLINE)
    assert explore(broken, count=COUNT, seed=nightly.seed, options=INLINE) == nightly


def test_every_anomaly_is_shown_by_a_small_case_that_is_accepted() -> None:
    """Two faces of one fault give two cases, each with its seed; the rule accepts both."""
    broken = MUTANTS["append-only"]
    found = explore(broken, count=20, options=INLINE)
    shown = {failure.scenario.id.split(".")[1] for failure in found.failures}
    assert len(shown) == 2
    assert {"mixed-versions", "future-read"} & shown
    for failure in found.failures:
        assert len(failure.scenario.steps) <= 8
        assert failure.witness
        assert failure.scenario.provenance.kind == "fuzz"
        assert failure.scenario.provenance.generator.startswith("memgauge.programs/4/0-")
        assert accept_case(failure.scenario, recorded=broken, options=INLINE).anomalies == failure.anomalies


def test_a_memory_that_raises_is_one_failure() -> None:
    """It has no anomaly, and says what was raised."""
    failures = explore(Raises, count=5).failures
    assert [failure.anomalies for failure in failures] == [()]
    assert "no index" in failures[0].witness


def test_a_budget_ends_exploring() -> None:
    """When the time is over no further program begins."""
    ticks = iter(range(100))
    assert explore(Ideal, count=50, options=INLINE, budget_s=5, clock=lambda: float(next(ticks))).programs == 5


def test_a_case_survives_its_file(tmp_path: Path) -> None:
    """What is written is read as it was, and fails as it did; a second case joins the first."""
    first, second = (
        explore(MUTANTS[name], count=count, options=INLINE).failures[0]
        for name, count in (("null", 1), ("append-only", 10))
    )
    path = tmp_path / "found.memsuite.yaml"
    write_case(path, first.scenario)
    write_case(path, second.scenario)
    suite = load_suite(path).suite
    assert suite.scenarios == (first.scenario, second.scenario)
    assert run_scenario(suite.scenarios[1], MUTANTS["append-only"], INLINE).anomalies == second.anomalies
    with pytest.raises(ConfigError, match="never used again"):
        write_case(path, first.scenario)
    with pytest.raises(ConfigError, match=r"\.memsuite\.yaml"):
        write_case(tmp_path / "found.yaml", first.scenario)


def test_nearly_all_mutants_are_killed() -> None:
    """A hundred programs tell at least nine of ten mutants, here every sixth, from the ideal memory."""
    mutants = dict(islice(MUTANTS.items(), 0, None, 6))
    rate = kill_rate(mutants, count=100, seed=3)
    assert rate.rate is not None
    assert rate.rate >= 0.9
    assert len(rate.killed) + len(rate.survivors) == len(mutants)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_nearly_all_mutants_are_killed_whatever_the_seed(seed: int) -> None:
    """The rate is no luck."""
    rate = kill_rate(MUTANTS, count=2_000, seed=seed)
    assert rate.rate is not None
    assert rate.rate >= 0.95


def test_the_ideal_memory_is_never_killed() -> None:
    """What has nothing wrong survives, and a budget that is over leaves the others alive."""
    rate = kill_rate({"ideal": Ideal, "null": MUTANTS["null"]}, count=25)
    assert (rate.survivors, rate.killed["null"].programs, rate.rate) == (("ideal",), 1, 0.5)
    assert kill_rate({"null": MUTANTS["null"]}, budget_s=-1).survivors == ("null",)
    assert kill_rate({}).rate is None


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(strategy())
def test_hypothesis_draws_programs_too(program: Scenario) -> None:
    """The strategy gives programs that the ideal memory passes."""
    assert run_scenario(program, Ideal, INLINE).verdict == Verdict.PASS


def _run(machine: Any) -> unittest.TestResult:
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(machine.TestCase).run(result)
    return result


def test_the_state_machine_passes_the_ideal_memory() -> None:
    """Step by step nothing is found."""
    assert _run(state_machine(Ideal, programs=15, timeout_s=float("inf"))).wasSuccessful()


class Roomless(Ideal):
    """Says that it keeps no session to itself."""

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Keep what belongs to no session."""
        if scope.session is not None:
            raise NotImplementedError
        return super().ingest(turns, scope)


def test_a_memory_without_sessions_of_their_own_fails_nothing() -> None:
    """What it says that it does not keep is neither a failure of a program nor of the state machine."""
    seen = explore(Roomless, count=15, options=INLINE)
    assert (seen.failing, seen.failures) == (0, ())
    assert any(run_scenario(one, Roomless, INLINE).verdict == "unsupported" for one in islice(programs(0), 60))
    assert _run(state_machine(Roomless, programs=15, timeout_s=float("inf"))).wasSuccessful()


def test_the_state_machine_shows_the_smallest_case() -> None:
    """A failure names the anomaly and holds the case as a suite would."""
    [(_, trace)] = _run(state_machine(MUTANTS["soft-erase"], programs=200, timeout_s=float("inf"))).failures
    assert re.search("RESURRECTION|RESIDUE", trace)
    assert "provenance: {kind: fuzz, generator: hypothesis/memgauge.programs/4}" in trace
    assert re.search(r"- \{maintenance: 1\}|residue: true", trace)


def test_without_hypothesis_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Exploring needs no Hypothesis; the strategy and the machine do."""
    monkeypatch.setitem(sys.modules, "hypothesis", None)
    assert explore(Ideal, count=2, options=INLINE).programs == 2
    with pytest.raises(MissingExtraError, match=r"pip install .*\[golden\]"):
        strategy()
    with pytest.raises(MissingExtraError):
        state_machine(Ideal)


CASE: dict[str, Any] = {
    "id": "case.test",
    "title": "a correction",
    "family": "test",
    "steps": [
        {"say": "My city is {a}.", "sets": {"city": "a"}},
        {"say": "My city is {b}.", "sets": {"city": "b"}},
        {"ask": "What is my city?", "about": "city"},
    ],
}


@pytest.mark.parametrize(
    ("changes", "recorded", "refusal"),
    [
        ({}, "ideal", "ended as pass on the recorded build"),
        ({}, None, "names no mutant"),
        ({"kills": ["soft-erase"]}, None, "ended as pass on soft-erase"),
        ({"kills": ["nobody"]}, None, "no mutant nobody"),
    ],
)
def test_a_case_that_proves_nothing_is_refused(
    changes: dict[str, Any], recorded: str | None, refusal: str
) -> None:
    """A case must fail where it should, and be passed by the ideal memory."""
    case = Scenario.model_validate({**CASE, **changes})
    factory = Ideal if recorded else None
    with pytest.raises(ConfigError, match=refusal):
        accept_case(case, recorded=factory, mutants=MUTANTS, options=INLINE)


def test_a_vacuous_case_is_refused() -> None:
    """Where nothing has to come back, the ideal memory does not pass either."""
    steps = [CASE["steps"][0], {"user": "bob"}, CASE["steps"][2]]
    case = Scenario.model_validate({**CASE, "steps": steps})
    with pytest.raises(ConfigError, match="the ideal memory does not pass it"):
        accept_case(case, recorded=MUTANTS["leaky-tenant"], options=INLINE)


def test_a_case_is_accepted_by_its_mutants() -> None:
    """Without the recorded build, the mutants that it names vouch for it."""
    case = Scenario.model_validate({**CASE, "kills": ["append-only"], "provenance": Provenance(kind="paper")})
    accepted = accept_case(case, mutants=MUTANTS)
    assert (accepted.anomalies, accepted.mutants) == ((), ("append-only",))
    both = accept_case(case, recorded=MUTANTS["keeps-first"], mutants=MUTANTS, options=INLINE)
    assert Anomaly.STALE_READ in both.anomalies
