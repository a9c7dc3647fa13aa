"""Tables as values, and what a spreadsheet makes of them."""

from __future__ import annotations

import csv
import io
import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.show import Cell, Table
from memgauge.show.exports import csv_text, json_text
from memgauge.show.safety import harmless
from memgauge.show.table import cell


def scores() -> Table:
    """Make a small table with every kind of cell."""
    rows = [
        ("a", Cell("0.5", "[0.4, 0.6]", 0.512345678), 1_234),
        ("=1+1", Cell("undefined", "nobody"), None),
    ]
    return Table.of("scores", "Scores", ("system", "nDCG", "n"), rows, "A note.")


def test_csv_holds_values_at_full_precision_and_small_print_beside_them() -> None:
    """A column with small print becomes two; a number is written as it is, a formula as text."""
    read = list(csv.reader(io.StringIO(csv_text(scores()))))
    assert read == [
        ["system", "nDCG", "nDCG (note)", "n"],
        ["a", "0.512345678", "[0.4, 0.6]", "1234"],
        ["'=1+1", "undefined", "nobody", ""],
    ]


def test_json_names_title_note_and_heads() -> None:
    """The JSON form holds everything that the page says of a table."""
    data = json.loads(json_text(scores()))
    assert data["title"] == "Scores"
    assert data["note"] == "A note."
    assert data["heads"] == ["system", "nDCG", "nDCG (note)", "n"]
    assert data["rows"][0] == ["a", 0.512345678, "[0.4, 0.6]", 1234]


@pytest.mark.parametrize(
    "text", ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "  =1", "%0a=1", "|x", "\n=1"]
)
def test_what_looks_like_a_formula_is_written_as_text(text: str) -> None:
    """An apostrophe stands before whatever a spreadsheet could compute."""
    assert str(harmless(text)).startswith("'")


@pytest.mark.parametrize("text", ["-0.5", "+0.25", "1e-9", "words", "", "a=b", "5 - 3"])
def test_numbers_and_words_stay_as_they_are(text: str) -> None:
    """What no spreadsheet computes is not touched."""
    assert harmless(text) == text


@given(st.text(max_size=20) | st.sampled_from(["-inf", "+nan", "-1_0", "-0.5", "+1e3"]))
def test_no_text_begins_a_formula(text: str) -> None:
    """Whatever a memory says, a cell begins with no sign of a formula unless it is a plain number."""
    written = harmless(text)
    begins = written.lstrip(" ")[:1] in set("=+-@\t\r\n|%")
    assert not begins or (math.isfinite(float(written)) and "_" not in written)


def test_figures_are_told_from_words() -> None:
    """A column of figures, signs and gaps is numeric; one with a word is not."""
    assert scores().numeric == (False, True, True)
    assert Table.of("x", "X", ("a", "b"), [("x", Cell("", mark="text"))]).numeric == (False, False)


def test_a_plain_value_becomes_a_cell() -> None:
    """Numbers are written for people and kept for programs."""
    assert cell(0.25) == Cell("0.250", value=0.25)
    assert cell(None) == Cell("")
    assert cell(1_000) == Cell("1,000", value=1_000)
