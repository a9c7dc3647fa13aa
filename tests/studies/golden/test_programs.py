"""Random programs and how they shrink."""

from __future__ import annotations

from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.records import Verdict
from memgauge.studies.golden.anomalies import Anomaly
from memgauge.studies.golden.cases import as_data
from memgauge.studies.golden.minimise import INLINE, ddmin, minimise, rename, shows, shrink
from memgauge.studies.golden.moves import MOVES
from memgauge.studies.golden.programs import programs
from memgauge.studies.golden.runner import run_scenario
from memgauge.studies.golden.scenario import STEP_NAMES, Concurrent, Erase, Probe, Restart, Scenario, SessionStep
from memgauge.studies.golden.writer import variable
from memgauge.systems.reference.ideal import Ideal
from memgauge.systems.reference.mutants import MUTANTS


def test_a_seed_names_its_programs() -> None:
    """The same seed gives the same programs, another one gives others."""
    first, again, other = (list(islice(programs(seed), 20)) for seed in (1, 1, 2))
    assert first == again
    assert first != other
    assert first[3].provenance.generator == "memgauge.programs/4/1-3"


def test_a_program_is_an_ordinary_scenario() -> None:
    """What is drawn is what a suite file could hold."""
    for program in islice(programs("file"), 50):
        read = Scenario.model_validate(as_data(program))
        assert read == program


def test_every_move_is_drawn() -> None:
    """Among a few hundred programs every kind of step occurs, and every program stays small."""
    drawn = list(islice(programs(0), 300))
    kinds = {STEP_NAMES[type(step)] for program in drawn for step in program.steps}
    assert kinds == {
        *("user", "session", "say", "ask", "probe", "erase", "advance", "maintenance", "reingest", "restart"),
        *("fault", "concurrent", "assert", "update", "meddle", "repeat"),
    }
    assert any(isinstance(step, SessionStep) and step.confined for program in drawn for step in program.steps)
    assert len(MOVES) == 28
    assert max(len(program.steps) for program in drawn) < 100


def test_a_memory_is_only_asked_for_what_it_offers() -> None:
    """Without the optional protocols no program restarts or erases."""
    for program in islice(programs(0, offers=()), 100):
        assert not any(isinstance(step, Restart | Erase) for step in program.steps)


def test_the_ideal_memory_passes() -> None:
    """No program raises a false alarm, and none is vacuous."""
    verdicts = {run_scenario(program, Ideal, INLINE).verdict for program in islice(programs("calm"), 50)}
    assert verdicts == {Verdict.PASS}


@pytest.mark.slow
def test_the_ideal_memory_passes_thousands() -> None:
    """Not one of 2,000 programs raises a false alarm."""
    ended = [run_scenario(program, Ideal, INLINE) for program in islice(programs("many"), 2_000)]
    assert {result.verdict for result in ended} == {Verdict.PASS}


def test_variables_count_in_letters() -> None:
    """No name is another one with a number behind it, which names the copies of a bulk."""
    names = [variable(number) for number in range(800)]
    assert (names[0], names[25], names[26], names[701], names[702]) == ("a", "z", "aa", "zz", "aaa")
    assert len(set(names)) == 800
    assert all(name.isalpha() for name in names)


@given(st.sets(st.integers(0, 39), max_size=6))
def test_ddmin_keeps_exactly_what_is_needed(needed: set[int]) -> None:
    """Where a failure needs some items and no others, these are left, in order."""
    assert ddmin(range(40), needed.issubset) == tuple(sorted(needed))


def test_a_program_shrinks_to_its_core() -> None:
    """What is left shows the same anomaly, still passes the ideal memory, and is a handful of steps."""
    fails = shows(MUTANTS["soft-erase"], Anomaly.RESURRECTION)
    program = next(one for one in programs(0) if fails(one))
    small = shrink(program, fails)
    assert fails(small)
    assert len(small.steps) <= 6 < len(program.steps)
    assert {"say", "erase", "maintenance"} <= {next(iter(step)) for step in as_data(small)["steps"]}


@pytest.mark.parametrize("name", ["leaky-session", "leaky-session-none", "leaky-session-inherit"])
def test_a_leak_between_sessions_shrinks_to_its_core(name: str) -> None:
    """One session that keeps to itself is left, and what was told on either side of its wall."""
    fails = shows(MUTANTS[name], Anomaly.CROSS_SESSION_LEAK)
    small = shrink(next(one for one in programs(0) if fails(one)), fails)
    assert fails(small)
    assert len(small.steps) <= 7
    assert [step.confined for step in small.steps if isinstance(step, SessionStep)].count(True) in {1, 2}


def test_what_does_not_fail_is_left_alone() -> None:
    """A passing scenario comes back as it was."""
    program = next(programs(0))
    assert minimise(program, Ideal, Anomaly.STALE_READ) is program


def test_lanes_and_keys_shrink_too() -> None:
    """Steps at once become steps in order where the order is not what fails; spare keys go."""
    lanes: list[list[dict[str, object]]] = [
        [{"say": "My city is {paris}.", "sets": {"city": "paris"}}, {"ask": "My city?", "about": "city"}],
        [{"say": "My city is {rome}.", "sets": {"city": "rome"}}, {"ask": "My city?", "about": "city", "k": 50}],
    ]
    scenario = Scenario.model_validate({
        "id": "lanes.test", "title": "two at once", "family": "test",
        "steps": [{"concurrent": lanes}, {"probe": ["a", "b"], "as_users": ["x", "y"]}],
    })  # fmt: skip
    small = minimise(scenario, MUTANTS["append-only"], Anomaly.MIXED_VERSIONS)
    assert not any(isinstance(step, Concurrent) for step in small.steps)
    assert as_data(small)["steps"] == [
        {"say": "My city is {a}.", "sets": {"city": "a"}},
        {"say": "My city is {b}.", "sets": {"city": "b"}},
        {"ask": "My city?", "about": "city", "layers": ["recall"]},
    ]


def test_what_fails_only_at_once_keeps_two_lanes() -> None:
    """A lane too many goes, the others shrink; of a probe one query and one reader are left."""
    lane = [{"say": "My city is {a}.", "sets": {"city": "a"}}, {"ask": "My city?", "about": "city"}]
    scenario = Scenario.model_validate({
        "id": "lanes.more", "title": "three at once", "family": "test",
        "steps": [{"concurrent": [lane, lane, lane]}, {"probe": ["a", "b"], "as_users": ["x", "y"]}],
    })  # fmt: skip

    def fails(candidate: Scenario) -> bool:
        at_once = any(isinstance(step, Concurrent) and any(step.concurrent) for step in candidate.steps)
        return at_once and any(isinstance(step, Probe) and "y" in step.as_users for step in candidate.steps)

    steps = as_data(shrink(scenario, fails))["steps"]
    assert steps[0] == {"concurrent": [[], [{"ask": "My city?", "about": "city"}]]}
    assert (len(steps[1]["probe"]), steps[1]["as_users"], len(steps[1]["surfaces"])) == (1, ["y"], 1)


def test_renaming_keeps_types() -> None:
    """Variables are named in the order in which they appear, and keep what they are."""
    scenario = Scenario.model_validate({
        "id": "names.test", "title": "names", "family": "test", "vars": {"at": "date", "gone": "code"},
        "steps": [{"say": "It is on {at} until {@3d}.", "sets": {"day": "at"}}, {"ask": "When?", "about": "day"}],
    })  # fmt: skip
    renamed = rename(scenario)
    assert as_data(renamed)["steps"][0] == {"say": "It is on {a} until {@3d}.", "sets": {"day": "a"}}
    assert renamed.vars == {"a": "date"}
