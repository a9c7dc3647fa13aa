"""The scenario language: what may be written, and what is said of mistakes."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from pydantic import ValidationError

from memgauge.studies.golden.scenario import STEPS, Concurrent, Identity, Provenance, Say, Scenario, Suite, User

CHECK = {"ask": "Who is my vet?", "about": "vet"}


def scenario(*steps: Any, **more: Any) -> Scenario:
    """Read a scenario with these steps."""
    return Scenario.model_validate({"id": "a.b", "title": "A case", "family": "a", "steps": [*steps], **more})


def mistake(*steps: Any, **more: Any) -> str:
    """Return what is said of a scenario that does not fit."""
    with pytest.raises(ValidationError) as caught:
        scenario(*steps, **more)
    return str(caught.value.errors()[0]["msg"])


@pytest.mark.parametrize(
    "step",
    [
        {"user": "bob", "tenant": "acme", "agent": "helper"},
        {"session": "two"},
        {"say": "My vet is {vet}.", "sets": {"vet": "vet"}, "at": "-3d", "until": "2d", "times": 3},
        {"say": "P.S. {x}", "channel": "web", "plants": {"vet": "x"}},
        {"ask": "Who?", "about": "vet", "as_of": "-12h", "layers": ["recall"], "k": 5},
        {"probe": ["vet", ""], "as_users": ["bob", None], "surfaces": ["list"]},
        {"erase": "user", "again": True},
        {"advance": "31d"},
        {"maintenance": 3},
        {"reingest": "two"},
        {"restart": "crash"},
        {"fault": "retry"},
        {"concurrent": [[{"say": "hi"}], [{"user": "bob"}, CHECK]]},
        {"assert": {"residue": True, "audit": "erasure", "once": "vet", "quarantined": True}},
    ],
    ids=lambda step: next(iter(step)),
)
def test_every_step_is_chosen_by_its_key(step: dict[str, Any]) -> None:
    """Each kind of step is read as what its key says, whatever the order of its keys."""
    read = scenario(dict(reversed(step.items())), CHECK).steps[0]
    assert isinstance(read, STEPS[next(iter(step))])
    assert scenario(read, CHECK).steps[0] == read


def test_lanes_hold_steps() -> None:
    """The lanes of a concurrent step are read like steps."""
    step = scenario({"concurrent": [[{"user": "a"}], [{"say": "b"}]]}, CHECK).steps[0]
    assert isinstance(step, Concurrent)
    assert [type(lane[0]) for lane in step.concurrent] == [User, Say]


@pytest.mark.parametrize(
    ("step", "said"),
    [
        ({"sya": "hi"}, "step 1: there is no step 'sya'; there are user, session, say"),
        ({}, "step 1 is no mapping"),
        ("hello", "step 1 is no mapping"),
        ({"say": "hi", "stes": {}}, "step 1: there is no key 'stes'; there are say, channel"),
        ({"advance": "3 days"}, "step 1: advance: '3 days' is no distance in time; write 3d, -12h, 30m or 10s"),
        ({"say": "hi", "until": "soon"}, "'soon' is no distance in time"),
        ({"say": "hi", "times": 0}, "step 1: times: Input should be greater than or equal to 1"),
        ({"say": "hi", "sets": {"vet": "vet"}}, "sets: vet: {vet} stands nowhere in what is said"),
        ({"say": "{x}", "plants": {"vet": "x"}}, "plants: what users say is believed; name a channel"),
        ({"ask": "Who?"}, "step 1: about: Field required"),
        ({"concurrent": [[{"say": "hi"}]]}, "step 1: concurrent: Tuple should have at least 2 items"),
        ({"concurrent": [[{"say": "hi"}], [{"asks": "x"}]]}, "there is no step 'asks'"),
        ({"concurrent": 5}, "step 1: concurrent: Input should be a valid tuple"),
        ({"assert": {"residues": True}}, "residues"),
    ],
)
def test_a_mistake_in_a_step_is_named(step: Any, said: str) -> None:
    """What is wrong with a step is said with its place and with what could stand there."""
    assert said in mistake(step, CHECK)


def test_a_case_without_a_check_is_refused() -> None:
    """Something must be asked, probed or asserted."""
    assert "nothing is ever checked" in mistake({"say": "hi"}, {"say": "ho"})


@pytest.mark.parametrize("name", ["A.b", "a b", "a..b", ".a", "a_b", ""])
def test_an_id_is_made_of_small_letters(name: str) -> None:
    """Ids are small letters and digits, with dots and hyphens between."""
    assert "pattern" in mistake({"say": "hi"}, CHECK, id=name)


def test_what_is_removed_need_not_be_named() -> None:
    """A member of a list can be removed by other words than its own."""
    step = Say.model_validate({"say": "I left the club.", "removes": {"clubs": "club"}})
    assert step.removes == {"clubs": "club"}


def test_days_may_be_written_as_yaml_reads_them() -> None:
    """YAML makes dates of days; they stay texts."""
    day: Any = date(2026, 11, 21)
    assert Identity(id="a", version="1.0.0", released=day).released == "2026-11-21"
    assert Provenance(seen=day).seen == "2026-11-21"


def test_a_version_has_three_numbers() -> None:
    """Another schema and a version that is none are refused."""
    good = {"schema": 1, "suite": {"id": "a", "version": "1.0.0"}}
    assert Suite.model_validate(good).suite.version == "1.0.0"
    with pytest.raises(ValidationError):
        Suite.model_validate({**good, "schema": 2})
    with pytest.raises(ValidationError):
        Suite.model_validate({**good, "suite": {"id": "a", "version": "1.0"}})
