"""Breeding: mutants by construction, the same again by their names, each different from what it was bred from."""

from __future__ import annotations

import pickle
from collections import Counter

from memgauge.studies.golden.breeding.bred import Bred, breed
from memgauge.studies.golden.breeding.equivalence import difference
from memgauge.studies.golden.breeding.operator import OPERATORS
from memgauge.studies.golden.teaching import is_taught


def test_hundreds_are_bred_and_spread_over_operators_methods_and_references() -> None:
    """No two of one reference say the same, and no operator is left out."""
    mutants = breed(7, 400)
    assert len({mutant.name for mutant in mutants}) == 400
    assert len({(mutant.reference, mutant.operator, mutant.says) for mutant in mutants}) == 400
    assert {mutant.operator for mutant in mutants} == set(OPERATORS)
    assert len({mutant.method for mutant in mutants}) >= 14
    assert min(Counter(mutant.reference for mutant in mutants).values()) > 100
    assert all(mutant.says.endswith(".") and "{" not in mutant.says for mutant in mutants)


def test_a_seed_breeds_the_same_again() -> None:
    """Names, sentences and what they do follow from the seed, in another process too."""
    assert breed(3, 60) == breed(3, 60) == pickle.loads(pickle.dumps(breed(3, 60)))  # noqa: S301 - our own
    assert [mutant.says for mutant in breed(3, 60)] != [mutant.says for mutant in breed(4, 60)]


def test_a_mutant_is_taught_and_is_no_ceiling() -> None:
    """It is played as its reference is, and never counts as a ceiling."""
    memory = breed(1, 1)[0]()
    assert is_taught(memory)
    assert memory.capabilities().role == "system"


def test_what_is_always_wrong_differs_from_its_reference() -> None:
    """The second oracle sees a fault by play that knows no scenario, and says where."""
    wrong = {"delete": "wrong-count", "update": "wrong-update", "ingest": "false-receipt", "dump": "wrong-times"}
    for method, operator in wrong.items():
        assert "at call" in difference(Bred("graph", method, operator, 1, 1), rounds=3)
