"""Sheets: whatever is wrong with one has a file, a field and a remedy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memgauge.errors import MalformedDataError
from memgauge.submissions.sheets.base import LARGEST, SheetProblem, inspect_sheet, read_sheet
from memgauge.submissions.sheets.registry import ProductSheet
from memgauge.submissions.sheets.writing import sheet_text

if TYPE_CHECKING:
    from pathlib import Path

GOOD = ProductSheet(
    schema=ProductSheet.SCHEMA,
    name="larder",
    title="Larder",
    vendor="The larder company",
    licence="MIT",
    home="larder/larder",
    role="product",
    category="open-source",
    consent="informed",
)


def problems(path: Path, text: str) -> tuple[SheetProblem, ...]:
    """Write a sheet, and read what is wrong with it."""
    path.write_text(text, "utf-8")
    sheet = inspect_sheet(ProductSheet, path)
    assert isinstance(sheet, tuple)
    return sheet


def test_a_sheet_reads_back_as_it_was_written(tmp_path: Path) -> None:
    """What is written is what is read."""
    path = tmp_path / "larder.toml"
    path.write_text(sheet_text(GOOD), "utf-8")
    assert read_sheet(ProductSheet, path) == GOOD


@pytest.mark.parametrize(
    ("old", "new", "field", "says"),
    [
        ('role = "product"', 'role = "prodct"', "role", "'product' or 'baseline'"),
        ('vendor = "The larder company"\n', "", "vendor", "is missing"),
        ('vendor = "', 'vendour = "x"\nvendor = "', "vendour", "nobody knows"),
        ('informed_on = ""', 'informed_on = "14.1.2027"', "reply.informed_on", ""),
        ('name = "larder"', 'name = "Larder Two"', "name", "pattern"),
        ("memgauge.product/1", "memgauge.product/2", "", "schema is 'memgauge.product/2'"),
        ("own = false", 'own = "perhaps"', "own", "boolean"),
    ],
)
def test_a_mistake_is_named_by_file_and_field(tmp_path: Path, old: str, new: str, field: str, says: str) -> None:
    """Each mistake is one problem, with its field, and with what to do."""
    text = sheet_text(GOOD)
    assert old in text
    named = problems(tmp_path / "larder.toml", text.replace(old, new))
    assert named
    problem = next(each for each in named if each.field.startswith(field))
    assert problem.file == "larder.toml"
    assert says in problem.what
    assert problem.remedy


def test_every_mistake_is_named_at_once(tmp_path: Path) -> None:
    """Nobody mends a sheet one mistake a time."""
    text = sheet_text(GOOD).replace('role = "product"', 'role = "x"').replace("own = false", "own = 7")
    assert {each.field for each in problems(tmp_path / "a.toml", text)} == {"role", "own"}


def test_a_file_that_is_no_toml_says_where(tmp_path: Path) -> None:
    """A broken line is named."""
    (problem,) = problems(tmp_path / "a.toml", "name = [\n")
    assert "is no TOML" in problem.what


def test_a_key_that_stands_twice_is_refused(tmp_path: Path) -> None:
    """The second of two values would win silently."""
    (problem,) = problems(tmp_path / "a.toml", sheet_text(GOOD).replace("own = false", "own = false\nown = true"))
    assert "is no TOML" in problem.what


def test_a_sheet_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    """A sheet is written by hand."""
    (problem,) = problems(tmp_path / "a.toml", "#" * (LARGEST + 1))
    assert "larger than" in problem.what


def test_an_absent_sheet_says_what_it_has_to_be(tmp_path: Path) -> None:
    """The kind that is missing is named."""
    absent = inspect_sheet(ProductSheet, tmp_path / "none.toml")
    assert isinstance(absent, tuple)
    assert "memgauge.product/1" in str(absent[0])
    with pytest.raises(MalformedDataError, match=r"none\.toml"):
        read_sheet(ProductSheet, tmp_path / "none.toml")
