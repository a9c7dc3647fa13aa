"""Breeding: as many different mutants as are asked for, each by a name from which it can be made again."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count as counting
from random import Random
from typing import TYPE_CHECKING

from memgauge.studies.golden.breeding import operators as _operators  # noqa: F401 - importing it registers them
from memgauge.studies.golden.breeding.calls import mutated
from memgauge.studies.golden.breeding.operator import OPERATORS
from memgauge.systems.reference.named import REFERENCES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.studies.golden.breeding.operator import BredFault
    from memgauge.systems.reference.shared import ReferenceMemory


@dataclass(frozen=True)
class Bred:
    """One mutant: a reference, a method, an operator, and a number that its dice are made of."""

    reference: str
    method: str
    operator: str
    number: int
    seed: int

    @property
    def name(self) -> str:
        """Its name, as ``graph/search/cache#3``."""
        return f"{self.reference}/{self.method}/{self.operator}#{self.number}"

    @property
    def group(self) -> str:
        """The class of failures that it belongs to."""
        return OPERATORS[self.operator].group

    @property
    def says(self) -> str:
        """What is wrong with it, in a sentence."""
        return f"{self._fault.says}."

    @property
    def _fault(self) -> BredFault:
        dice = Random(f"{self.seed}/{self.name}")  # noqa: S311 - mutants that can be made again, not a secret
        return OPERATORS[self.operator].make(dice, self.method)

    def __call__(self) -> ReferenceMemory:
        """Open it, with nothing in it."""
        return mutated(REFERENCES[self.reference], self._fault.advice)

    def plain(self) -> ReferenceMemory:
        """Open the reference that it was bred from."""
        return REFERENCES[self.reference]()


def breed(seed: int, count: int) -> tuple[Bred, ...]:
    """Return *count* mutants that say different things, spread over operators, methods and references."""
    mutants: dict[tuple[str, str, str], Bred] = {}
    for mutant in _drawn(seed):
        if len(mutants) == count:
            break
        mutants.setdefault((mutant.reference, mutant.operator, mutant.says), mutant)
    return tuple(mutants.values())


def _drawn(seed: int) -> Iterator[Bred]:
    """Yield mutants without end: every operator in turn, at one of its methods, on one of the references."""
    dice = Random(seed)  # noqa: S311 - as above
    for number in counting(1):
        names = list(OPERATORS)
        dice.shuffle(names)
        for place, name in enumerate(names):
            reference = list(REFERENCES)[(place + number) % len(REFERENCES)]
            yield Bred(reference, dice.choice(OPERATORS[name].methods), name, number, seed)
