"""What the page of health says in a terminal."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from memgauge.exchange.traffic.reading import Traffic
from memgauge.frame.output import Format, text_of
from memgauge.studies.production.health import health, health_rows
from memgauge.studies.production.show import health_document, seen
from support.recorded import faults, operation

if TYPE_CHECKING:
    from pathlib import Path


def test_times_have_units_and_columns_names(tmp_path: Path) -> None:
    """A unit stands with its measure, which no narrow window leaves out."""
    arrays = faults(
        tmp_path, operation("add", 0, "ada", ("m", "x")), operation("search", 1, "ada", ("m", "x"))
    ).traffic
    value = health(Traffic.read(tmp_path / "traffic"), arrays, health_rows(arrays))
    text = text_of(health_document(value), Format.MARKDOWN)
    for name in (
        "search, median, in ms",
        "write, 95th percentile, in ms",
        "age of the first hit, median, in days",
    ):
        assert name in text
    assert "| 0.04 |" in text  # an hour, in days
    assert "what is counted" in text
    assert "which are" not in text


@pytest.mark.parametrize(
    ("weeks", "spelled"),
    [
        (8.0, "8.0 weeks"),
        (0.5, "3.5 days"),
        (0.01, "1.7 hours"),
        (0.001, "10.1 minutes"),
        (1e-9, "less than a minute"),
    ],
)
def test_how_long_was_recorded_is_never_0_weeks(tmp_path: Path, weeks: float, spelled: str) -> None:
    """The largest unit of which it is one at least."""
    arrays = faults(tmp_path, operation("search", 1, "ada")).traffic
    value = replace(health(Traffic.read(tmp_path / "traffic"), arrays, ()), weeks=weeks)
    assert f", {spelled})" in text_of(health_document(value), Format.MARKDOWN)


def test_a_short_age_is_not_0(tmp_path: Path) -> None:
    """A memory of some seconds is younger than a hundredth of a day; a witness without a span says so."""
    arrays = faults(
        tmp_path,
        operation("add", 0, "ada", ("m", "x")),
        operation("search", 0.01, "ada", ("m", "x")),
        operation("search", 0.02, "bob", ("m", "x")),
    ).traffic
    value = health(Traffic.read(tmp_path / "traffic"), arrays, health_rows(arrays))
    text = text_of(health_document(value), Format.MARKDOWN)
    assert "&lt;0.01" in next(line for line in text.splitlines() if "age of a hit" in line)
    (leak,) = value.faults
    assert leak.first is not None
    assert seen(replace(leak.first, span="")) == "first seen in week 1, row 2, trace unknown, span unknown"
