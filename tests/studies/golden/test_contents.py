"""What a scenario holds: its hash stays, and whose memory takes part."""

from __future__ import annotations

from typing import Any

import pytest

from memgauge.studies.golden.contents import alone, content_of
from memgauge.studies.golden.scenario import Scenario

VET = {"say": "My vet is {vet}.", "sets": {"vet": "vet"}}
WHO = {"ask": "Who is my vet?", "about": "vet"}
ASIDE = {"session": "aside", "confined": True}
OTHER = {"session": "other"}


def scenario(*steps: Any) -> Scenario:
    """Read a scenario with these steps."""
    return Scenario.model_validate({"id": "a.b", "title": "A case", "family": "a", "steps": [*steps]})


def test_a_case_that_uses_no_new_key_keeps_its_hash() -> None:
    """Results of the language before sessions could keep to themselves are still compared."""
    assert content_of(scenario(OTHER, VET, WHO)) == "bf482ca273d03539"
    assert content_of(scenario(OTHER, VET, WHO)) == content_of(scenario({**OTHER, "confined": False}, VET, WHO))
    assert content_of(scenario(OTHER, VET, WHO)) != content_of(scenario({**OTHER, "confined": True}, VET, WHO))


@pytest.mark.parametrize(
    ("steps", "one"),
    [
        ([VET, WHO], True),
        ([VET, OTHER, WHO], True),
        ([ASIDE, VET, WHO], True),
        ([VET, ASIDE, WHO], False),
        ([ASIDE, VET, OTHER, WHO], False),
        ([ASIDE, VET, {**ASIDE, "session": "apart"}, WHO], False),
        ([VET, {"user": "bob"}, WHO], False),
        ([{"user": "bob"}, VET, WHO], True),
        ([VET, {"probe": ["vet"], "as_users": ["bob"]}], False),
        ([VET, {"concurrent": [[ASIDE, WHO], [OTHER, WHO]]}], False),
    ],
)
def test_only_one_memory_takes_part_or_more(steps: list[Any], one: bool) -> None:
    """Another user, a probe as one, or a session that keeps to itself beside anything else is a second one."""
    assert alone(scenario(*steps)) is one
