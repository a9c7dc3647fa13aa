"""The shipped suites: every scenario can be passed, and every one fails where it says so."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.records import Verdict
from memgauge.studies.golden.minimise import INLINE
from memgauge.studies.golden.runner import run_scenario
from memgauge.studies.golden.scenario import AskStep, Say, Update, flat
from memgauge.studies.golden.schema import json_schema
from memgauge.suites import paths
from memgauge.systems.protocol import OPTIONAL
from memgauge.systems.reference.ideal import Ideal
from memgauge.systems.reference.mutants import MUTANTS
from memgauge.text.untrusted import yaml_of
from support import Once
from support.golden import read_once, shipped, shipped_scenarios

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from memgauge.studies.golden.loading import Loaded
    from memgauge.studies.golden.scenario import Scenario

FAMILIES = (
    *(
        "abstention",
        "announced",
        "binding",
        "coexistence",
        "currency",
        "derived",
        "erasure",
        "history",
        "integrity",
        "isolation",
    ),
    *("lives", "lookalikes", "methods", "minutes", "persistence", "production", "races", "references"),
    *("retold", "robustness", "seed", "tails", "volume"),
)
CASES = Once(shipped_scenarios)
KILLS = replace(INLINE, seed="kills")
LONG = {
    "lives": slice(7, None, 8),
    "lookalikes": slice(0, None, 6),
    "methods": slice(1, None, 6),
    "retold": slice(9, None, 24),
    "tails": slice(6, None, 7),
    "volume": slice(6, None, 9),
}
"""Families whose scenarios are long or many; quick tests take some that are short of each, slow ones all."""
LARGE = {"erasure.slot.large", "robustness.bulk.needle"}
"""Scenarios that take as long as fifty beside them; slow tests play them."""


def _of_suites(families: Collection[str]) -> pytest.MarkDecorator:
    """Try the suites of families, each read when a test asks for it."""
    files = [path for path in paths() if path.name.partition(".")[0] in families]
    return pytest.mark.parametrize("suite", files, ids=lambda path: path.name, indirect=True)


@pytest.fixture
def suite(request: pytest.FixtureRequest) -> Loaded:
    """Read a suite."""
    return read_once(request.param)


def short(suite: Loaded) -> list[Scenario]:
    """Return the scenarios of a suite that quick tests play."""
    some = suite.suite.scenarios[LONG.get(suite.suite.suite.id, slice(None))]
    return [case for case in some if case.id not in LARGE]


def steps_of(case: Scenario, kind: type[Any]) -> list[Any]:
    """Return the steps of one kind, those of lanes and repetitions too."""
    return [step for step in flat(case.steps) if isinstance(step, kind)]


def meant(say: Say) -> set[str]:
    """Return the variables that a sentence is said to mean."""
    return {name for key in (say.sets, say.adds, say.was, say.supposes, say.plants) for name in key.values()}


def test_the_suites_are_there() -> None:
    """Twenty-three families, each id once, all of them readable."""
    assert [path.name for path in paths()] == [f"{family}.memsuite.yaml" for family in FAMILIES]
    assert [broken for suite in shipped() for broken in suite.broken] == []
    assert len({case.id for case in CASES}) == len(CASES) >= 80
    assert sum(case.gate == "hard" for case in CASES) >= 80
    assert {tag for case in CASES for tag in case.tags} == {
        *("normal", "rare", "ambiguous", "adversarial", "abstention")
    }


@_of_suites(FAMILIES)
def test_a_suite_is_named_like_its_file(suite: Loaded) -> None:
    """File, suite, family and the first part of every id are one word; versions and days are given."""
    family = suite.path.name.partition(".")[0]
    assert suite.suite.suite.id == family
    assert suite.suite.suite.released in {"2026-11-21", "2026-11-23", "2026-11-28"}
    assert {case.family for case in suite.suite.scenarios} == {family}
    assert all(re.fullmatch(rf"{family}\.[a-z0-9-]+\.[a-z0-9-]+", case.id) for case in suite.suite.scenarios)


def not_passed(cases: Sequence[Scenario]) -> dict[str, str]:
    """Say of *cases* which the ideal memory does not pass, or passes by saying nothing."""
    ends = {case.id: run_scenario(case, Ideal, INLINE) for case in cases}
    return {
        name: end.detail or "nothing had to come back"
        for name, end in ends.items()
        if end.verdict != Verdict.PASS or not end.positive
    }


@_of_suites(FAMILIES)
def test_the_ideal_memory_passes(suite: Loaded) -> None:
    """Every scenario of short families, and some of each long one."""
    assert not_passed(short(suite)) == {}


@pytest.mark.slow
@pytest.mark.parametrize("family", sorted({*LONG, *(name.partition(".")[0] for name in LARGE)}))
def test_the_ideal_memory_passes_all_that_is_long(family: str) -> None:
    """Every scenario of long families, and of those with a large one."""
    assert not_passed([case for case in CASES if case.family == family]) == {}


def survivors(cases: Iterable[Scenario]) -> list[tuple[str, str, str]]:
    """Say which mutants do not fail on *cases* that name them."""
    return [
        (case.id, name, end.verdict)
        for case in cases
        for name in case.kills
        if (end := run_scenario(case, MUTANTS[name], KILLS)).verdict != Verdict.FAIL
    ]


@_of_suites(FAMILIES)
def test_what_a_scenario_kills_fails_on_it(suite: Loaded) -> None:
    """A mutant that is named fails, whatever the seed."""
    assert survivors(case for case in suite.suite.scenarios if case.id not in LARGE) == []


@pytest.mark.slow
def test_what_a_large_scenario_kills_fails_on_it() -> None:
    """A large scenario kills what it names, too."""
    assert survivors(case for case in CASES if case.id in LARGE) == []


def test_every_mutant_is_named_by_two_cases_one_of_them_hard() -> None:
    """No mutant rests on one case, or on soft ones alone."""
    killers = {name: [case for case in CASES if name in case.kills] for name in MUTANTS}
    assert [name for name, cases in killers.items() if len(cases) < 2] == []
    assert [name for name, cases in killers.items() if all(case.gate == "soft" for case in cases)] == []


def test_what_comes_from_an_issue_says_which() -> None:
    """Every public failure names owner, repository and number; there are at least 25."""
    public = [case for case in CASES if case.provenance.kind == "public-issue"]
    assert len(public) >= 25
    assert [c.id for c in public if not re.fullmatch(r"[\w.-]+/[\w.-]+#\d+", c.provenance.ref)] == []
    assert {case.id for case in public} == {case.id for case in CASES if case.family == "production"}


def without_meaning(case: Scenario) -> list[str]:
    """Say what of a case means nothing: a placeholder, a variable, a protocol, or a title that is no sentence."""
    says, asks = steps_of(case, Say), steps_of(case, AskStep)
    names = set().union(*map(meant, says))
    texts = [*(say.say for say in says), *(ask.ask for ask in asks)]
    used = {name for text in texts for name in re.findall(r"\{(\w+)\}", text)}
    changed = {update.to for update in steps_of(case, Update)}
    unsaid = (names - used) | ((used | set(case.vars)) - names - changed)
    wrong = sorted(unsaid | (set(case.requires) - set(OPTIONAL)))
    headed = case.title[0].isupper() and not case.title.endswith(".")
    return wrong if headed else [*wrong, case.title]


@_of_suites(FAMILIES)
def test_every_word_of_a_case_has_a_meaning(suite: Loaded) -> None:
    """Every placeholder is a variable that some sentence means, every type is used, every protocol exists."""
    wrong = {case.id: without_meaning(case) for case in suite.suite.scenarios}
    assert {name: words for name, words in wrong.items() if words} == {}


def never_filled(case: Scenario) -> set[str]:
    """Return the slots that a case asks for and that nobody in it fills."""
    slots = {slot for say in steps_of(case, Say) for key in (say.sets, say.adds, say.was) for slot in key}
    slots |= {slot for say in steps_of(case, Say) for key in (say.supposes, say.plants) for slot in key}
    return {ask.about for ask in steps_of(case, AskStep)} - slots


@_of_suites(FAMILIES)
def test_a_question_about_nothing_is_an_abstention(suite: Loaded) -> None:
    """A slot that nobody ever fills is a misspelling, unless the case is about not knowing."""
    cases = [case for case in suite.suite.scenarios if "abstention" not in case.tags]
    assert {case.id: slots for case in cases if (slots := never_filled(case))} == {}


def test_the_published_schema_is_in_step() -> None:
    """The JSON Schema beside the suites is the one of the code (else: write it again)."""
    published = paths()[0].parent / "memsuite.schema.json"
    assert json.loads(published.read_text("utf-8")) == json_schema()


def test_the_published_schema_describes_its_keys() -> None:
    """Editors show what a key means."""
    schema = json_schema()
    assert schema["$defs"]["Say"]["properties"]["ends"]["description"] == "Slots that have no value any more."
    assert schema["properties"]["schema"]["const"] == 1
    assert schema["additionalProperties"] is False


@pytest.fixture(scope="module")
def validator() -> Any:
    """Make the validator of the JSON Schema once."""
    schema = json_schema()
    return pytest.importorskip("jsonschema.validators").validator_for(schema)(schema)


def as_json(suite: Loaded) -> Any:
    """Read a suite as JSON would hold it."""
    _, data = yaml_of(suite.path.read_bytes())
    return json.loads(json.dumps(data, default=str))


@pytest.mark.slow
@_of_suites(LONG)
def test_all_of_a_long_suite_fits_the_published_schema(suite: Loaded, validator: Any) -> None:
    """What the loader takes, the JSON Schema takes."""
    assert [error.message for error in validator.iter_errors(as_json(suite))] == []


@_of_suites(FAMILIES)
def test_a_suite_fits_the_published_schema(suite: Loaded, validator: Any) -> None:
    """What the loader takes, the JSON Schema takes; it refuses what the loader refuses."""
    data = as_json(suite)
    data["scenarios"] = data["scenarios"][LONG.get(suite.suite.suite.id, slice(None))]
    assert [error.message for error in validator.iter_errors(data)] == []
    data["scenarios"] = data["scenarios"][:1]
    data["scenarios"][0]["steps"][0] = {"sya": "hi"}
    assert not validator.is_valid(data)


def test_the_published_schema_is_one() -> None:
    """It fits the schema of schemas."""
    validator = pytest.importorskip("jsonschema.validators").validator_for(json_schema())
    assert list(validator(validator.META_SCHEMA).iter_errors(json_schema())) == []
