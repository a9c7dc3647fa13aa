"""A measure as a value with a text form: ``nDCG@60``, ``Recall@2000tok``, ``Precision(conv=returned)@5``."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Final, Protocol

import numpy as np

from memgauge.errors import ConfigError
from memgauge.measures.catalogue import MEASURES
from memgauge.measures.formula import GIVEN_BY, Reads, Rows
from memgauge.records.contracts import MOST_HITS
from memgauge.registry import unknown_name

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from memgauge.measures.credit import Judged
    from memgauge.measures.formula import Formula


class Compute(Protocol):
    """The formula of a measure of rankings, over questions already cut to its cutoff."""

    def __call__(self, judged: Judged, params: Mapping[str, str], /) -> Rows:
        """Value every question; *params* holds every option, defaults included."""
        ...


BUDGETS: Final = (250, 500, 1_000, 2_000, 4_000, 8_000)
"""Tokens that a reader may be handed; each is twice the one before, so that steps are equal on a log scale."""

_GRAMMAR = re.compile(
    r"(?P<name>\w+(?:-\w+)*)(?P<variant>\(\s*\w+\s*\))?(?:\((?P<params>[^()]*)\))?"
    r"(?:@(?P<cutoff>-?\d{1,9})(?P<tokens>tok)?)?",
    re.ASCII,
)


@dataclass(frozen=True)
class Measure:
    """One measure, equal to another exactly when their texts are."""

    name: str
    cutoff: int | None = None
    params: tuple[tuple[str, str], ...] = ()
    """What differs from the defaults, in alphabetical order (brought into that form here)."""
    budget: int | None = None
    """Tokens to look at, in the place of a cutoff."""

    def __post_init__(self) -> None:
        formula = MEASURES.get(self.name)
        self._require_length(formula)
        for key, value in self.params:
            if key not in formula.options:
                choices = ", ".join(formula.options) or "none"
                raise ConfigError(f"Measure {self.name} has no parameter {key!r}.", f"It has: {choices}.")
            if value not in formula.options[key]:
                choices = ", ".join(formula.options[key])
                raise ConfigError(
                    f"Parameter {key} of {self.name} cannot be {value!r}.", f"Choose from: {choices}."
                )
        canonical = sorted((key, value) for key, value in self.params if value != formula.options[key][0])
        object.__setattr__(self, "params", tuple(canonical))

    def _require_length(self, formula: Formula) -> None:
        """Make sure that what it looks at is named as *formula* has it.

        Raises:
            ConfigError: It is not.
        """
        has_length = self.cutoff is not None or self.budget is not None
        if formula.cutoff is None and has_length:
            raise ConfigError(f"Measure {self.name} looks at no cutoff.", f"Write {self.name} alone.")
        if formula.ladder and has_length:
            raise ConfigError(f"Measure {self.name} looks at every budget.", f"Write {self.name} alone.")
        if self.budget is not None and not formula.tokens:
            raise ConfigError(f"Measure {self.name} has no token budget.", f"Write {self.name}@10, for example.")
        if self.cutoff is None and self.budget is None and formula.cutoff:
            raise ConfigError(f"Measure {self.name} needs a cutoff.", f"Write {self.name}@10, for example.")
        for length, unit, such in ((self.cutoff, "hits", "10"), (self.budget, "tokens", "2000tok")):
            if length is not None and length < 1:
                raise ConfigError(
                    f"Measure {self.name} cannot look at the first {length} {unit}.",
                    f"Name at least 1, as in {self.name}@{such}.",
                )
        if self.cutoff is not None and self.cutoff > MOST_HITS:
            raise ConfigError(
                f"Measure {self.name} cannot look at the first {self.cutoff:,} hits.",
                f"Name {MOST_HITS:,} at most: a run keeps no more.",
            )

    def __str__(self) -> str:
        params = ",".join(f"{key}={value}" for key, value in self.params)
        cutoff = "" if self.cutoff is None else f"@{self.cutoff}"
        cutoff = cutoff if self.budget is None else f"@{self.budget}tok"
        return self.name + (f"({params})" if params else "") + cutoff

    @property
    def formula(self) -> Formula:
        """Return what the registry says of it."""
        return MEASURES.get(self.name)

    def required(self, *reads: Reads) -> Measure:
        """Return it, if it is computed from one of *reads*, which is what is at hand.

        Raises:
            ConfigError: It is computed from something else; the remedy names what gives it.
        """
        formula = self.formula
        if formula.reads in reads:
            return self
        module = getattr(formula.compute, "__module__", "")
        raise ConfigError(
            f"{self} is read from {formula.reads}, which is not at hand here.",
            GIVEN_BY[formula.reads].format(measure=self, module=module),
        )

    @property
    def why_no_ranks(self) -> str:
        """Say why its values rank nobody; empty where they may."""
        if self.formula.reads is Reads.RANKINGS:
            return ""
        return f"{self} is read from {self.formula.reads}, where no witness bears out what systems claim"

    @property
    def depth(self) -> int | None:
        """Return how many ranks it looks at, ``None`` for all that were judged."""
        return self.cutoff

    @property
    def reads_whole_lists(self) -> bool:
        """Whether it looks at everything returned, or as much of it as its budgets hold."""
        return self.formula.reads is Reads.RANKINGS and self.cutoff is None

    @property
    def budgets(self) -> tuple[int, ...]:
        """Return every token budget that it looks at; none where it counts ranks."""
        if self.formula.ladder:
            return BUDGETS
        return () if self.budget is None else (self.budget,)

    def within(self, judged: Callable[[int], Judged]) -> Rows:
        """Value every question by what *judged* gives within each of its budgets; several give an area.

        The area lies under straight lines between the budgets on a log scale, as a share of what is possible.
        """
        rows = [self.rows(judged(budget)) for budget in self.budgets]
        if len(rows) == 1:
            return rows[0]
        values = np.stack([row.values for row in rows], axis=1)
        weights = np.ones(len(rows))
        weights[[0, -1]] = 0.5
        is_defined = np.logical_and.reduce([row.defined for row in rows])
        return Rows(np.where(is_defined, values @ (weights / weights.sum()), 0.0), is_defined)

    def rows(self, judged: Judged) -> Rows:
        """Value every question.

        Raises:
            ConfigError: Fewer ranks were judged than the measure looks at, or within another budget.
        """
        if judged.budget not in (self.budgets or (None,)):
            raise ConfigError(
                f"{self} needs hits that were judged within its token budget.", "Score a run, which has the texts."
            )
        if self.cutoff is not None and self.cutoff > judged.depth:
            raise ConfigError(
                f"{self} looks at {self.cutoff} ranks, but only {judged.depth} were judged.",
                f"Judge with k={self.cutoff} or lower the cutoff.",
            )
        formula = self.required(Reads.RANKINGS).formula
        defaults = {key: values[0] for key, values in formula.options.items()}
        compute: Compute = formula.compute
        return compute(_cut(judged, self.cutoff), defaults | dict(self.params))


@lru_cache(maxsize=1024)  # a board reads the same few again and again
def parse(text: str) -> Measure:
    """Read a measure from its text form; the case of the name does not matter.

    Raises:
        UnknownNameError: No such measure.
        ConfigError: Not of the form ``Name(key=value,…)@cutoff``, or a cutoff or parameter that does not fit.
    """
    match = _GRAMMAR.fullmatch(text.strip())
    if match is None:
        raise ConfigError(f"{text!r} is not a measure.", "Write Name@cutoff or Name(key=value)@cutoff: nDCG@10.")
    name, parameters = _named(match)
    params: dict[str, str] = {}
    for item in filter(None, (part.strip() for part in parameters.split(","))):
        key, equals, value = (part.strip() for part in item.partition("="))
        if not equals or key in params:
            raise ConfigError(f"{item!r} in {text!r} is not one key=value.", "Name each parameter once.")
        params[key] = value
    length = None if match["cutoff"] is None else int(match["cutoff"])
    if match["tokens"]:
        return Measure(name, None, tuple(params.items()), length)
    return Measure(name, length, tuple(params.items()))


def _named(match: re.Match[str]) -> tuple[str, str]:
    """Return the name that the registry has, its variant included, and the parameters as they are written."""
    names = {name.casefold(): name for name in MEASURES.names()}
    base, variant = match["name"].casefold(), "".join((match["variant"] or "").casefold().split())
    if base + variant in names:
        return names[base + variant], match["params"] or ""
    if base not in names:
        raise unknown_name("measure", match["name"] + (match["variant"] or ""), names.values())
    return names[base], match["params"] or variant.strip("()")


def _cut(judged: Judged, depth: int | None) -> Judged:
    """Forget everything beyond *depth* ranks."""
    if depth is None or depth == judged.depth:
        return judged
    return replace(
        judged,
        gains=judged.gains[:, :depth],
        ideal=judged.ideal[:, :depth],
        covered=judged.covered[:, :depth],
        share=None if judged.share is None else judged.share[:, :depth],
        returned=judged.returned.clip(max=depth),
    )
