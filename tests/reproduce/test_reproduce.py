"""Reproduction: every claimed figure is recomputed, and what cannot be computed says why."""

from __future__ import annotations

import json
import tomllib
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.datasets.catalogue import DATASETS
from memgauge.errors import ConfigError, DataMismatchError, DataNotFoundError, MissingExtraError, UnknownNameError
from memgauge.registry import load_target
from memgauge.reproduce import (
    ClaimedFigure,
    FigureSection,
    RecomputedFigure,
    Status,
    recompute,
    reproduce,
    sections,
)
from support import real_data

if TYPE_CHECKING:
    from collections.abc import Mapping


def figure(name: str = "answer", **fields: Any) -> ClaimedFigure:
    """Claim that the answer is 42."""
    return ClaimedFigure(name=name, **{"expected": 42, "source": "a document", **fields})


def section(recipe: str, *names: str) -> FigureSection:
    """Claim figures that a recipe of this module computes."""
    figures = tuple(figure(name) for name in names or ("answer",))
    return FigureSection(name="test", title="A test", source="", recipe=f"{__name__}:{recipe}", figure=figures)


def answer() -> Mapping[str, float]:
    """Compute the answer and nothing else."""
    return {"answer": 42.0}


def absent() -> Mapping[str, float]:
    """Look for data that are not here."""
    raise DataNotFoundError("No file.", "Fetch it.")


def incomplete() -> Mapping[str, float]:
    """Look for packages that are not here."""
    raise MissingExtraError("No onnxruntime.", "Install memgauge[dense].")


def altered() -> Mapping[str, float]:
    """Find data that are not the published ones."""
    raise DataMismatchError("Another file.")


@pytest.mark.parametrize(
    ("measured", "status"),
    [
        (42.0, Status.OK),
        (42.1, Status.OK),
        (41.9, Status.OK),
        (42.11, Status.OKISH),
        (41.5, Status.OKISH),
        (42.51, Status.FAIL),
        (float("nan"), Status.FAIL),
    ],
)
def test_a_figure_is_judged_by_its_tolerance(measured: float, status: Status) -> None:
    """Within the tolerance is OK, within five of them OKish, anything else FAIL; the borders belong inside."""
    assert figure(tolerance=0.1).judge(measured) is status


def test_an_exact_figure_is_never_near() -> None:
    """Without a tolerance there is right and wrong, unless the figure itself says what is near."""
    assert figure().judge(42.0) is Status.OK
    assert figure().judge(42.001) is Status.FAIL
    assert figure(okish=0.01).judge(42.001) is Status.OKISH


def test_a_claim_that_is_known_not_to_hold_differs() -> None:
    """What is measured as before is told apart from what was published; another value fails, also a near claim."""
    refuted = figure(published=50.0, tolerance=0.5)
    assert refuted.judge(42.3) is Status.DIFFERS
    assert refuted.judge(50.0) is Status.FAIL
    assert figure(published=42.4, tolerance=0.5).judge(42.2) is Status.OK


@pytest.mark.parametrize(
    ("bounds", "measured", "status", "claim"),
    [
        ({"low": 0.93, "high": 0.97}, 0.93, Status.OK, "0.93 to 0.97"),
        ({"low": 0.93, "high": 0.97}, 0.98, Status.FAIL, "0.93 to 0.97"),
        ({"high": 0.05}, 0.0, Status.OK, "at most 0.05"),
        ({"low": 0.95}, 0.9499, Status.FAIL, "at least 0.95"),
        ({"low": 0.95}, float("nan"), Status.FAIL, "at least 0.95"),
    ],
)
def test_a_bounded_figure_keeps_its_bounds_or_fails(
    bounds: dict[str, float], measured: float, status: Status, claim: str
) -> None:
    """A claim without a number of its own has bounds, which belong to it, and says them."""
    claimed = ClaimedFigure(name="answer", source="a document", **bounds)
    assert claimed.judge(measured) is status
    row = RecomputedFigure(
        "test", "answer", None, 0.0, measured, status, "", low=bounds.get("low"), high=bounds.get("high")
    )
    assert row.claim == claim


def test_a_figure_claims_a_number_or_bounds() -> None:
    """A figure with neither, or with both, is refused."""
    for claims in ({}, {"expected": 1.0, "low": 0.5}):
        with pytest.raises(ValueError, match="either a number or bounds"):
            ClaimedFigure(name="answer", source="a document", **claims)


def test_a_figure_that_is_not_measured_fails() -> None:
    """A recipe that leaves out a figure of its section fails that figure, and only that."""
    found, missing = recompute(section("answer", "answer", "question"))
    assert (found.status, found.measured, found.reason) == (Status.OK, 42.0, "")
    assert (missing.status, missing.measured, missing.reason) == (Status.FAIL, None, "not measured")


@pytest.mark.parametrize(
    ("recipe", "status", "reason"),
    [
        ("absent", Status.SKIP, "No file. Fetch it."),
        ("incomplete", Status.SKIP, "No onnxruntime. Install memgauge[dense]."),
        ("altered", Status.FAIL, "Another file."),
    ],
)
def test_what_cannot_be_computed_says_why(recipe: str, status: Status, reason: str) -> None:
    """Absent data and extras skip every figure of a section; other data than the published fail it."""
    rows = list(recompute(section(recipe, "answer", "question")))
    assert [(row.status, row.measured, row.reason) for row in rows] == [(status, None, reason)] * 2


def test_a_recipe_that_does_not_exist_is_an_error() -> None:
    """A section that names no function is broken, which is not a figure that fails."""
    with pytest.raises(UnknownNameError, match="no_such_recipe"):
        list(recompute(section("no_such_recipe")))
    broken = FigureSection(name="b", title="", source="", recipe="no_such_module:recipe", figure=(figure(),))
    with pytest.raises(ConfigError, match="no_such_module"):
        list(recompute(broken))


EXTRAS = tomllib.loads(Path(__file__).parents[2].joinpath("pyproject.toml").read_text("utf-8"))["project"][
    "optional-dependencies"
]


def test_shipped_sections_are_whole() -> None:
    """Every section names existing needs and a callable recipe, and each of its figures once, with a source."""
    names = [each.name for each in sections()]
    assert names == sorted(names)
    assert {"instrument", "locomo", "measures"} <= set(names)
    for each in sections():
        assert set(each.needs) <= {*DATASETS.names(), *EXTRAS}
        assert callable(load_target(each.recipe))
        assert len({claimed.name for claimed in each.figures}) == len(each.figures)
        assert all(claimed.source for claimed in each.figures)


def test_an_unknown_section_is_refused() -> None:
    """A section that does not exist is named together with those that do."""
    with pytest.raises(UnknownNameError, match=r"measure.*Did you mean measures"):
        reproduce(["measure"])


def test_printed_numbers_of_the_documents_follow() -> None:
    """Table 11 and the rank disagreement of Table 1 come out as printed, without any data."""
    rows = reproduce(["measures", "measures"])
    assert len(rows) == 13
    assert {row.status for row in rows} == {Status.OK}
    assert {row.section for row in rows} == {"measures"}


def test_rows_are_json() -> None:
    """A row becomes JSON as it is."""
    (row,) = recompute(section("answer"))
    assert json.loads(json.dumps(asdict(row))) == {
        "section": "test",
        "name": "answer",
        "expected": 42.0,
        "tolerance": 0.0,
        "measured": 42.0,
        "status": "OK",
        "source": "a document",
        "reason": "",
        "low": None,
        "high": None,
    }


def test_quick_sections_alone() -> None:
    """The quick sections are those that say so; what they lack is skipped with a remedy."""
    rows = reproduce(quick_only=True)
    assert {row.section for row in rows} == {each.name for each in sections() if each.quick}
    assert "instrument" not in {row.section for row in rows}
    assert all("memgauge data fetch locomo" in row.reason for row in rows if row.status is Status.SKIP)


@pytest.mark.data
def test_locomo_is_what_the_documents_counted() -> None:
    """The published file holds the conversations, turns and questions that were counted in it."""
    real_data("locomo/locomo10.json")
    rows = reproduce(["locomo"])
    assert len(rows) == 12
    assert {row.status for row in rows} == {Status.OK}


@pytest.mark.data
def test_the_instrument_repeats_itself() -> None:
    """The lexical systems score on LoCoMo what this project says that they score, to the fourth digit."""
    real_data("locomo/locomo10.json")
    rows = reproduce(["instrument"])
    assert {row.status for row in rows} == {Status.OK}, rows


def test_answers_and_judges_are_worth_what_is_claimed() -> None:
    """Matching, official rules and agreement come out as known, and no injected verdict is accepted."""
    rows = {row.name: row for row in reproduce(["models"])}
    assert {row.status for row in rows.values()} == {Status.OK}
    assert rows["injected_verdicts_accepted"].measured == 0
