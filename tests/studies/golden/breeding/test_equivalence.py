"""The second oracle: what differs in nothing that a caller can see is no mutant."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest

from memgauge.studies.golden.breeding.bred import Bred
from memgauge.studies.golden.breeding.calls import mutated
from memgauge.studies.golden.breeding.equivalence import difference, judged
from memgauge.studies.golden.breeding.people import people
from memgauge.studies.golden.breeding.trial import EQUIVALENT, SURVIVES, BredRow
from memgauge.systems.reference.named import REFERENCES

if TYPE_CHECKING:
    from memgauge.systems.reference.shared import ReferenceMemory


class Unchanged(Bred):
    """A mutant with nothing wrong."""

    def __call__(self) -> ReferenceMemory:
        """Open the reference, with advice that lets everything pass."""
        return mutated(REFERENCES[self.reference], {"search": lambda call: call.go()})


@pytest.mark.parametrize(
    "reference",
    [pytest.param(name, marks=pytest.mark.slow if number else ()) for number, name in enumerate(REFERENCES)],
)
def test_what_lets_every_call_pass_is_equivalent(reference: str) -> None:
    """Play beside the reference shows no difference."""
    mutant = Unchanged(reference, "search", "cache", 1, 1)
    assert not difference(mutant, rounds=2)


def test_what_is_equivalent_is_called_so() -> None:
    """A survivor that differs in nothing does not count; one that differs says by which call."""
    row = BredRow("n", "graph", "cache", "currency", "says", SURVIVES)
    assert judged(row, Unchanged("graph", "search", "cache", 1, 1), rounds=2).fate == EQUIVALENT
    real = Bred("graph", "delete", "wrong-count", 1, 1)
    verdict = judged(row, real, rounds=2)
    assert verdict.fate == SURVIVES
    assert "delete(" in verdict.reason


def test_people_are_nearly_alike_and_all_different() -> None:
    """Ids differ, and some by one letter, sign or space alone."""
    drawn = people(Random(1), 40)  # noqa: S311 - ids that come again, not a secret
    assert len(set(drawn)) == len(drawn) == 40
    assert len({name.strip().casefold() for name in drawn}) < 40
