"""The self-test: a suite that can fail passes it, and every hole in a suite is named."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memgauge.studies.golden.loading import load_suite
from memgauge.studies.golden.matrix import Matrix
from memgauge.studies.golden.scenario import Scenario
from memgauge.studies.golden.selftest import Selftest, audit_grader, selftest
from memgauge.studies.golden.tampering import changes, play_tampered
from memgauge.systems.reference.ideal import Ideal
from memgauge.systems.reference.mutants import MUTANTS

if TYPE_CHECKING:
    from memgauge.studies.golden.loading import Loaded
    from memgauge.systems.reference.mutants.mutant import Mutant

SUITE = load_suite(Path(__file__).with_name("selftest.memsuite.yaml"))
SCENARIOS = {scenario.id: scenario for scenario in SUITE.suite.scenarios}
UNCLAIMED = SCENARIOS["own.move"].model_copy(update={"kills": ()})
"""A scenario that says of no mutant that it kills it."""
FEW: dict[str, type[Mutant]] = {
    name: MUTANTS[name] for name in ("append-only", "leaky-case", "soft-erase", "null")
}
HEARD = [{"say": "My bike is {bike}.", "sets": {"bike": "bike"}}, {"ask": "Which bike is mine?", "about": "bike"}]


def suite_of(*scenarios: Scenario) -> Loaded:
    """Return a suite of other scenarios."""
    return replace(SUITE, suite=SUITE.suite.model_copy(update={"scenarios": scenarios}))


def without(name: str) -> Loaded:
    """Return the suite with one scenario less."""
    return suite_of(*(scenario for scenario in SCENARIOS.values() if scenario.id != name))


def scenario_of(*steps: object, **fields: object) -> Scenario:
    """Return a scenario of one's own."""
    told = {"id": "own.more", "title": "one more", "family": "currency", "steps": [*HEARD, *steps], **fields}
    return Scenario.model_validate(told)


@pytest.fixture(scope="module")
def tested() -> Selftest:
    """Test the small suite once."""
    return selftest([SUITE], mutants=FEW)


def test_a_good_suite_is_to_be_trusted(tested: Selftest) -> None:
    """The ideal memory passes everything, and every mutant is killed often enough."""
    assert tested.errors() == ()
    assert tested.ok
    assert (tested.oracle.memory, tested.oracle.n, tested.oracle.passed) == ("ideal", 7, 7)
    assert tested.score == 1
    assert tested.score_by_family == {"currency": 1, "isolation": 1, "erasure": 1, "answers": 1}
    rows = {row.name: row for row in tested.mutants}
    assert rows["append-only"].killed_by == ("own.move", "own.visit")
    assert rows["append-only"].hard_kills == 2
    assert rows["leaky-case"].anomalies == ("CROSS_USER_LEAK",)
    assert "RESURRECTION" in rows["soft-erase"].anomalies


def test_the_calibration_says_what_a_figure_is_worth(tested: Selftest) -> None:
    """Nothing and everything fail; rows add up."""
    rows = {row.memory: row for row in tested.calibration}
    assert list(rows) == ["ideal", "null", "echo-all", "random"]
    assert (rows["null"].failed, rows["echo-all"].failed) == (7, 7)
    assert all(
        row.passed + row.failed + row.vacuous + row.unsupported + row.error == row.n for row in rows.values()
    )
    assert set(rows["random"].not_passed) <= set(SCENARIOS)


def test_every_kind_of_expectation_was_changed(tested: Selftest) -> None:
    """Values, speakers, lists, the past, what is supposed, planted or over, questions, probes, assertions."""
    assert all(row.caught for row in tested.grader)
    kinds = {row.change.partition(": ")[2] for row in tested.grader}
    assert kinds >= {
        *(
            "room has another value",
            "somebody else said it",
            "room may hold beside others",
            "friend has one value at a time",
        ),
        *("friend holds now", "friend was meant", "friend is to be believed", "friend did not end"),
        *("nothing was removed from friend", "it never ends", "it ended the day before", "doctor was not erased"),
        *("the probe shows another's value", "the audit is empty", "the erased is stored", "it is stored twice"),
        *("what was planted is not marked", "the question is about cello", "the question is about nobody-else"),
    }


@pytest.mark.slow  # test_matrix.py has two processes see what one sees
def test_workers_find_the_same(tested: Selftest) -> None:
    """Two processes give the same report as one."""
    assert selftest([SUITE], mutants=FEW, workers=2) == tested


def test_the_report_can_be_written_down(tested: Selftest) -> None:
    """The whole matrix is in it."""
    written = json.loads(json.dumps(asdict(tested)))
    assert len(written["matrix"]["cells"]) == 7 * (4 + len(FEW) - 1)
    assert written["oracle"]["passed"] == 7


def test_a_mutant_that_survives_is_named() -> None:
    """A suite without erasure does not see what comes back."""
    few = {"soft-erase": MUTANTS["soft-erase"]}
    found = selftest([suite_of(SCENARIOS["own.move"])], mutants=few)
    assert found.errors()[0] == "soft-erase survives: no scenario sees RESURRECTION"
    assert (found.score, found.ok) == (0, False)


def test_one_kill_is_not_enough(tested: Selftest) -> None:
    """Nor are two that gate nothing, nor those that saw something else."""
    (error,) = selftest([without("own.forget")], mutants=FEW).errors()
    assert error == "soft-erase is killed by 1 scenarios, 1 of them hard; it takes 2, 1 of them hard"
    soft = [scenario.model_copy(update={"gate": "soft"}) for scenario in SCENARIOS.values()]
    errors = selftest([suite_of(*soft)], mutants=FEW).errors()
    assert len(errors) == len(FEW)
    assert all("0 of them hard" in one for one in errors)
    row = tested.mutants[0]
    assert "never as MIXED" in replace(row, anomalies=("OMISSION",), expected=("MIXED_VERSIONS",)).weakness


def test_a_claim_must_be_true() -> None:
    """A scenario that says it kills what it lets live is named, and so is a mutant that there is not."""
    boast = SCENARIOS["own.move"].model_copy(update={"id": "own.boast", "kills": ("soft-erase", "hard-erase")})
    found = selftest([SUITE, suite_of(boast)], mutants=FEW)
    assert found.claims == (
        "own.boast claims to kill soft-erase and does not",
        "own.boast claims to kill hard-erase, and there is no mutant of that name",
    )
    assert not found.ok


def test_what_the_ideal_memory_does_not_pass_is_wrong() -> None:
    """A scenario that contradicts itself is named and not audited."""
    wrong = scenario_of({"say": "A friend told me: {lie}.", "channel": "tool", "sets": {"bike": "lie"}}, HEARD[1])
    found = selftest([suite_of(UNCLAIMED, wrong)], mutants={})
    assert found.errors() == ("own.more does not pass on the ideal memory",)
    assert found.oracle.failed == 1
    assert "own.more" not in {row.scenario for row in found.grader}


@pytest.mark.parametrize(
    ("step", "survivor"),
    [
        ({"probe": ["bike"], "as_users": ["alice"]}, "step 3: the probe shows another's value"),
        ({"assert": {"residue": True}}, "step 3: the erased is stored"),
        ({"assert": {"quarantined": True}}, "step 3: what was planted is not marked"),
        ({"assert": {"once": "boat"}}, "step 3: it is stored twice"),
        ({"assert": {"audit": "erasure"}}, "step 3: the audit is empty"),
    ],
)
def test_a_check_that_cannot_fail_survives(step: object, survivor: str) -> None:
    """Where nothing was erased, planted or said by others, looking for it proves nothing."""
    found = selftest([suite_of(scenario_of(step))], mutants={})
    assert found.survivors == (f"own.more: {survivor}",)
    assert found.errors() == (f"own.more: {survivor}, and the grader does not notice",)


def test_a_scenario_that_expects_nothing_is_named() -> None:
    """It asks for what it never said, by ways that no change reaches."""
    empty = Scenario.model_validate(
        {
            "id": "own.empty",
            "title": "nothing at all",
            "family": "currency",
            "steps": [{"say": "Hello!"}, {"ask": "Which boat?", "about": "boat", "layers": ["recall"]}],
        }
    )
    (row,) = audit_grader(empty)
    assert not row.caught
    assert row.change == "nothing is expected that could be changed"


def test_what_nobody_asks_for_is_no_expectation() -> None:
    """Changing what is said in passing is not reported either way."""
    more = scenario_of({"say": "My kite is {kite}.", "sets": {"kite": "kite"}}, HEARD[1])
    assert {row.caught for row in audit_grader(more)} == {True}
    assert not any("kite has" in row.change for row in audit_grader(more))
    assert any("kite has" in change.name for change in changes(more))


def test_a_session_is_audited_where_one_keeps_to_itself() -> None:
    """Taking what was said aside for said outside is noticed; where nothing is aside there is no such change."""
    aside = {"session": "aside", "confined": True}
    told = [{"say": "My bike is a {bike}.", "sets": {"bike": "bike"}}, {"ask": "Which bike?", "about": "bike"}]
    data = {"id": "own.aside", "title": "apart", "family": "isolation"}
    case = Scenario.model_validate({**data, "steps": [aside, *told, {"session": "s1"}, told[1]]})
    rows = [row for row in audit_grader(case) if "outside" in row.change]
    assert [(row.change, row.caught) for row in rows] == [("step 2: it was said outside of its session", True)]
    assert "CROSS_SESSION_LEAK" in rows[0].anomalies
    assert not any("outside" in change.name for change in changes(SCENARIOS["own.move"]))


def test_an_untampered_play_finds_nothing() -> None:
    """Without a change the grader agrees with the ideal memory, in every lane too."""
    outcome = play_tampered(SCENARIOS["own.friends"], Ideal(), "0")
    assert outcome.anomalies == frozenset()
    assert max(map(len, outcome.expected)) == 2


def test_nothing_is_not_to_be_trusted() -> None:
    """An empty suite proves nothing, and a scenario that cannot be read counts as a mistake."""
    assert not selftest([], mutants={}).ok
    broken = replace(suite_of(UNCLAIMED), broken=("a.memsuite.yaml:3: no steps.",))
    assert selftest([broken], mutants={}).errors() == broken.broken
    assert selftest([], mutants={}).matrix == Matrix(())
