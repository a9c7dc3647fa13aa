"""Memories that are right and unlike any other: what they return is true, however it is said."""

from __future__ import annotations

from itertools import islice

import pytest

from memgauge.errors import UserError
from memgauge.records import Verdict
from memgauge.studies.golden.matrix import trusting
from memgauge.studies.golden.programs import programs
from memgauge.studies.golden.runner import run_scenario
from memgauge.systems.catalogue import open_system
from memgauge.systems.reference.unusual import UNUSUAL, unusual

RIGHT = {str(Verdict.PASS), str(Verdict.UNSUPPORTED)}


def test_there_are_more_than_twelve_each_with_a_reason() -> None:
    """They are opened by name, and each says in its docstring what is unusual about it."""
    assert len(UNUSUAL) >= 20
    assert all(memory.__doc__ and open_system(f"unusual:{name}").name == name for name, memory in UNUSUAL.items())
    with pytest.raises(UserError, match="unusual memory"):
        unusual("nothing")


@pytest.mark.parametrize(
    "name", ["paraphrasing", "triples", "other-dates", "one-document", "deduplicated", "fresh-ids", "asynchronous"]
)
def test_random_programs_find_nothing_wrong(name: str) -> None:
    """What is merely unusual is no anomaly."""
    for program in islice(programs("unusual"), 4):
        ended = run_scenario(program, UNUSUAL[name], trusting())
        assert ended.verdict in RIGHT, ended.detail
