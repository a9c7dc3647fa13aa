"""A measure as a value with a text form: ``nDCG@60``, ``Recall@5``, ``Precision(conv=returned)@5``."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol

from memgauge.errors import ConfigError
from memgauge.registry import Registry, unknown_name

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from memgauge.measures.credit import Judged


@dataclass(frozen=True, eq=False)
class Rows:
    """One value a question, and whether it has one at all."""

    values: NDArray[np.float64]
    """(Q,) 0 where undefined: never read one without *defined*."""
    defined: NDArray[np.bool_]
    """(Q,)"""


class Compute(Protocol):
    """The formula of a measure, over questions already cut to its cutoff."""

    def __call__(self, judged: Judged, params: Mapping[str, str], /) -> Rows:
        """Value every question; *params* holds every option, defaults included."""
        ...


@dataclass(frozen=True)
class Formula:
    """What a registry entry says about one kind of measure."""

    compute: Compute
    cutoff: bool = True
    """Whether a cutoff must be named; otherwise it may be, and none means every judged rank."""
    options: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Accepted values of each parameter, the default first."""


_RANKING = "memgauge.measures.ranking"
MEASURES: Registry[Formula] = Registry(
    kind="measure",
    group="memgauge.measures",
    builtin={
        "Complete": f"{_RANKING}:COMPLETE",
        "Hit": f"{_RANKING}:HIT",
        "MAP": f"{_RANKING}:MAP",
        "MRR": f"{_RANKING}:MRR",
        "Precision": f"{_RANKING}:PRECISION",
        "Recall": f"{_RANKING}:RECALL",
        "nDCG": f"{_RANKING}:NDCG",
    },
)
"""Every measure by name; a package adds its own through entry points."""

_GRAMMAR = re.compile(r"(?P<name>\w+)(?:\((?P<params>[^()]*)\))?(?:@(?P<cutoff>-?\d{1,9}))?", re.ASCII)


@dataclass(frozen=True)
class Measure:
    """One measure, equal to another exactly when their texts are."""

    name: str
    cutoff: int | None = None
    params: tuple[tuple[str, str], ...] = ()
    """What differs from the defaults, in alphabetical order (brought into that form here)."""

    def __post_init__(self) -> None:
        formula = MEASURES.get(self.name)
        if self.cutoff is None and formula.cutoff:
            raise ConfigError(f"Measure {self.name} needs a cutoff.", f"Write {self.name}@10, for example.")
        if self.cutoff is not None and self.cutoff < 1:
            raise ConfigError(
                f"Measure {self.name} cannot look at the first {self.cutoff} hits.",
                f"Name at least 1, as in {self.name}@10.",
            )
        for key, value in self.params:
            if key not in formula.options:
                known = ", ".join(formula.options) or "none"
                raise ConfigError(f"Measure {self.name} has no parameter {key!r}.", f"It has: {known}.")
            if value not in formula.options[key]:
                known = ", ".join(formula.options[key])
                raise ConfigError(f"Parameter {key} of {self.name} cannot be {value!r}.", f"Choose from: {known}.")
        canonical = sorted((key, value) for key, value in self.params if value != formula.options[key][0])
        object.__setattr__(self, "params", tuple(canonical))

    def __str__(self) -> str:
        params = ",".join(f"{key}={value}" for key, value in self.params)
        cutoff = "" if self.cutoff is None else f"@{self.cutoff}"
        return self.name + (f"({params})" if params else "") + cutoff

    @property
    def depth(self) -> int | None:
        """Return how many ranks it looks at, ``None`` for all that were judged."""
        return self.cutoff

    def rows(self, judged: Judged) -> Rows:
        """Value every question.

        Raises:
            ConfigError: Fewer ranks were judged than the measure looks at.
        """
        if self.cutoff is not None and self.cutoff > judged.depth:
            raise ConfigError(
                f"{self} looks at {self.cutoff} ranks, but only {judged.depth} were judged.",
                f"Judge with k={self.cutoff} or lower the cutoff.",
            )
        formula = MEASURES.get(self.name)
        defaults = {key: values[0] for key, values in formula.options.items()}
        return formula.compute(_cut(judged, self.cutoff), defaults | dict(self.params))


def parse(text: str) -> Measure:
    """Read a measure from its text form; the case of the name does not matter.

    Raises:
        UnknownNameError: No such measure.
        ConfigError: Not of the form ``Name(key=value,…)@cutoff``, or a cutoff or parameter that does not fit.
    """
    match = _GRAMMAR.fullmatch(text.strip())
    if match is None:
        raise ConfigError(f"{text!r} is not a measure.", "Write Name@cutoff or Name(key=value)@cutoff: nDCG@10.")
    names = {name.casefold(): name for name in MEASURES.names()}
    folded = match["name"].casefold()
    if folded not in names:
        raise unknown_name("measure", match["name"], names.values())
    params: dict[str, str] = {}
    for item in filter(None, (part.strip() for part in (match["params"] or "").split(","))):
        key, equals, value = (part.strip() for part in item.partition("="))
        if not equals or key in params:
            raise ConfigError(f"{item!r} in {text!r} is not one key=value.", "Name each parameter once.")
        params[key] = value
    cutoff = None if match["cutoff"] is None else int(match["cutoff"])
    return Measure(names[folded], cutoff, tuple(params.items()))


def _cut(judged: Judged, depth: int | None) -> Judged:
    """Forget everything beyond *depth* ranks."""
    if depth is None or depth == judged.depth:
        return judged
    return replace(
        judged,
        gains=judged.gains[:, :depth],
        ideal=judged.ideal[:, :depth],
        covered=judged.covered[:, :depth],
        returned=judged.returned.clip(max=depth),
    )
