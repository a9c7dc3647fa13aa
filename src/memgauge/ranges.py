"""Ranges of numbers that are parameters: a signature declares one by its type, and that is what may be given.

``b: ranges.Share = 0.75`` is a number for a type checker, and one from 0 to 1 for whoever opens a system by its
text (:func:`memgauge.registry.arguments_for`) or makes a policy (:func:`require`).
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from math import isfinite
from typing import TYPE_CHECKING, TypeAlias

from memgauge.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from _typeshed import DataclassInstance

Share: TypeAlias = float
"""A part of a whole."""
Factor: TypeAlias = float
"""What a term of a formula is multiplied by, or raised by."""
Span: TypeAlias = float
"""A length that is divided by, in days or turns."""
Seconds: TypeAlias = float
"""How long something may take."""
Pause: TypeAlias = float
"""Seconds; 0 is none, or what is usual."""
Count: TypeAlias = int
"""How many, of which none makes no sense."""
Number: TypeAlias = int
"""How many; 0 is none, or as many as there are."""
Dimension: TypeAlias = int
"""Numbers of a vector; 0 is what the embedder has."""
Dose: TypeAlias = int
"""What a deliberate defect counts; 0 is its usual number."""
Seed: TypeAlias = int
"""Where chance begins."""


@dataclass(frozen=True)
class Range:
    """Which numbers may be given."""

    least: int
    most: int
    whole: bool = False
    above: bool = False
    """Whether the least is itself too little."""

    @property
    def words(self) -> str:
        """Name what may be given."""
        kind = "a whole number" if self.whole else "a number"
        least = f"above {self.least:,} up" if self.above else f"from {self.least:,}"
        return f"{kind} {least} to {self.most:,}"

    def read(self, text: str) -> float:
        """Read a number.

        Raises:
            ValueError: It is none, or lies outside.
        """
        value = int(text) if self.whole else float(text)
        if not isfinite(value) or not self.least <= value <= self.most or (self.above and value == self.least):
            raise ValueError(text)
        return value


RANGES: Mapping[str, Range] = {
    "Share": Range(0, 1),
    "Factor": Range(0, 1_000),
    "Span": Range(0, 1_000_000, above=True),
    "Seconds": Range(0, 1_000_000, above=True),
    "Pause": Range(0, 1_000_000),
    "Count": Range(1, 1_000_000_000, whole=True),
    "Number": Range(0, 1_000_000_000, whole=True),
    "Hits": Range(1, 10_000, whole=True),
    "Dimension": Range(0, 65_536, whole=True),
    "Dose": Range(0, 10_000, whole=True),
    "Seed": Range(0, 2**63 - 1, whole=True),
    "Money": Range(0, 1_000_000),
    "Rate": Range(0, 1_000_000, above=True),
    "Port": Range(0, 65_535, whole=True),
}
"""The range that each of the types declares."""


def range_of(annotation: object) -> Range | None:
    """Return the range that an annotation, as it is written, declares; ``None`` where it declares none."""
    module, _, name = str(annotation).removesuffix(" | None").rpartition(".")
    return RANGES.get(name) if module == __name__.rpartition(".")[2] else None


def outside(where: str, value: object, wanted: str) -> ConfigError:
    """Build the error for a parameter that is not what is *wanted*."""
    return ConfigError(f"Parameter {where}={value} is not {wanted}.")


def require(made: DataclassInstance, name: str) -> None:
    """Refuse fields of *made*, which users call *name*, that lie outside of the ranges that they declare.

    Raises:
        ConfigError: Names the parameter, its value and the range.
    """
    for field in fields(made):
        declared, value = range_of(field.type), getattr(made, field.name)
        if declared is None or value is None:
            continue
        try:
            declared.read(str(value))
        except ValueError:
            raise outside(f"{name}:{field.name}", value, declared.words) from None
