"""Recompute every figure that the project or a document claims, and say which of them still hold.

Expectations are data (``reproduce/<section>.toml``), each with its source; what computes them is a *recipe*, a
function without arguments that returns every figure of its section by name.
"""

from __future__ import annotations

import sys
import tomllib
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Self, cast

from pydantic import BaseModel, ConfigDict, Field, model_validator

from memgauge.errors import DataNotFoundError, MissingExtraError, UserError
from memgauge.registry import load_target, require_known
from memgauge.studies.slices import slices

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from importlib.resources.abc import Traversable

    Recipe = Callable[[], Mapping[str, float]]


CHAOS = "chaos"
"""The package of accidents on purpose, which is in the checkout and in no wheel."""


class ExplainedFigures(dict[str, float]):
    """Figures of a recipe that has something to say of some of them."""

    def __init__(self, figures: Mapping[str, float], reasons: Mapping[str, str]) -> None:
        super().__init__(figures)
        self.reasons = reasons


class Status(StrEnum):
    """How one figure fared."""

    OK = "OK"
    OKISH = "OKish"
    """Beyond its tolerance, but near."""
    DIFFERS = "DIFFERS"
    """As measured here before, and not as published: a claim that does not hold."""
    FAIL = "FAIL"
    SKIP = "SKIP"
    """Not computed, because what it needs is not here."""


class _ClaimModel(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ClaimedFigure(_ClaimModel):
    """One claimed number."""

    name: str
    expected: float | None = None
    """The number itself; a figure that is only bounded has none."""
    low: float | None = None
    high: float | None = None
    """What it must reach, and must not exceed."""
    tolerance: float = Field(default=0.0, ge=0)
    """What a claim rounded to three digits leaves open is 0.0005; a count has none."""
    source: str
    okish: float | None = None
    """How far off is still near; without one, five times the tolerance, so that an exact figure is never near."""
    published: float | None = None
    """What the source says, where it is known not to hold and *expected* is what is measured instead."""

    @model_validator(mode="after")
    def _claims_something(self) -> Self:
        if (self.expected is None) == (self.low is None and self.high is None):
            raise ValueError(f"{self.name} claims either a number or bounds.")
        return self

    def judge(self, measured: float) -> Status:
        """Compare *measured* with what was claimed; a bound is kept or not."""
        if self.expected is None:
            low, high = -inf if self.low is None else self.low, inf if self.high is None else self.high
            return Status.OK if low <= measured <= high else Status.FAIL
        off = round(abs(measured - self.expected), 12)  # not to fail for the last bit of a decimal fraction
        if off <= self.tolerance:
            refuted = self.published is not None and abs(measured - self.published) > self.tolerance
            return Status.DIFFERS if refuted else Status.OK
        okish_within = 5 * self.tolerance if self.okish is None else self.okish
        return Status.OKISH if off <= okish_within else Status.FAIL


class FigureSection(_ClaimModel):
    """Figures that one recipe computes."""

    name: str
    title: str
    source: str
    needs: tuple[str, ...] = ()
    """Datasets and extras without which the section is skipped."""
    quick: bool = False
    """Whether it takes less than a second, data included."""
    recipe: str
    """``module:function``."""
    figures: tuple[ClaimedFigure, ...] = Field(alias="figure", min_length=1)


@dataclass(frozen=True, slots=True)
class RecomputedFigure:
    """One figure, recomputed."""

    section: str
    name: str
    expected: float | None
    """``None`` where only bounds are claimed."""
    tolerance: float
    measured: float | None
    """``None`` where *reason* says why it could not be computed."""
    status: Status
    source: str
    reason: str = ""
    low: float | None = None
    high: float | None = None

    @property
    def claim(self) -> str:
        """Write what was claimed, briefly."""
        if self.expected is not None:
            return f"{self.expected:g}" + (f" ± {self.tolerance:g}" if self.tolerance else "")
        low, high = (None if bound is None else f"{bound:g}" for bound in (self.low, self.high))
        return f"{low} to {high}" if low and high else f"at least {low}" if low else f"at most {high}"


@cache
def sections() -> tuple[FigureSection, ...]:
    """List every section, in alphabetical order."""
    return tuple(sorted(map(_section, _entries()), key=lambda section: section.name))


def _entries() -> Iterator[Traversable]:
    """Yield the files of claims: those of the project, and those that lie with each study."""
    packages = (study_slice.package for study_slice in slices())
    for folder in (files("memgauge") / "reproduce", *(files(package) / "claims" for package in packages)):
        if folder.is_dir():
            yield from (entry for entry in folder.iterdir() if entry.name.endswith(".toml"))


def _section(entry: Traversable) -> FigureSection:
    return FigureSection.model_validate(
        {"name": entry.name.removesuffix(".toml"), **tomllib.loads(entry.read_text("utf-8"))}
    )


def reproduce(names: Sequence[str] = (), *, quick_only: bool = False) -> list[RecomputedFigure]:
    """Recompute the figures of the sections called *names* (all when empty), section by section.

    Raises:
        UnknownNameError: No such section.
    """
    sections_by_name = {section.name: section for section in sections()}
    require_known("section", names, sections_by_name)
    selected = [sections_by_name[name] for name in dict.fromkeys(names)] or list(sections_by_name.values())
    return [row for section in selected if section.quick or not quick_only for row in recompute(section)]


def recompute(section: FigureSection) -> Iterator[RecomputedFigure]:
    """Run the recipe of *section* and compare; a recipe that cannot work costs its own section only."""
    try:
        recipe = _recipe(section)
    except DataNotFoundError as error:
        yield from (_row(section, figure, Status.SKIP, str(error)) for figure in section.figures)
        return
    try:
        figures = recipe()
    except (DataNotFoundError, MissingExtraError) as error:
        yield from (_row(section, figure, Status.SKIP, str(error)) for figure in section.figures)
        return
    except UserError as error:
        yield from (_row(section, figure, Status.FAIL, str(error)) for figure in section.figures)
        return
    for figure in section.figures:
        value = figures.get(figure.name)
        if value is None:
            yield _row(section, figure, Status.FAIL, "not measured")
        else:
            status = figure.judge(value)
            explanation = figures.reasons.get(figure.name, "") if isinstance(figures, ExplainedFigures) else ""
            reason = f"published: {figure.published:g}" if status is Status.DIFFERS else explanation
            yield _row(section, figure, status, reason, value)


def _recipe(section: FigureSection) -> Recipe:
    """Import a recipe.

    Raises:
        DataNotFoundError: It lies in the checkout, as accidents on purpose do, and this is not its root.
    """
    if section.recipe.startswith(f"{CHAOS}.") and find_spec(CHAOS) is None:
        if not Path(CHAOS, "__init__.py").is_file():
            raise DataNotFoundError(f"{section.recipe} is part of the checkout.", "Run this at the root of one.")
        sys.path.insert(0, str(Path.cwd()))
    return cast("Recipe", load_target(section.recipe))


def _row(
    section: FigureSection, figure: ClaimedFigure, status: Status, reason: str = "", measured: float | None = None
) -> RecomputedFigure:
    return RecomputedFigure(
        section.name,
        figure.name,
        figure.expected,
        figure.tolerance,
        measured,
        status,
        figure.source,
        reason,
        figure.low,
        figure.high,
    )
