"""TOML as it is written reads back as what it was."""

from __future__ import annotations

import tomllib
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from memgauge.submissions.sheets.writing import toml_text

FEW = 4
"""What a table or a list can hold, it can hold of a few: long ones took a tenth of a second to make up."""
texts = st.text(st.characters(exclude_categories=["Cs"]))
scalars = (
    texts | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False)
)
keys = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6)


def tables(below: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Tables, lists of scalars, and lists of tables."""
    rows = st.lists(st.dictionaries(keys, scalars, max_size=FEW), min_size=1, max_size=FEW)
    return st.dictionaries(keys, below | st.lists(scalars, max_size=FEW) | rows, max_size=FEW)


@given(st.dictionaries(keys, st.recursive(scalars, tables, max_leaves=6), max_size=FEW))
def test_what_is_written_reads_back(data: dict[str, Any]) -> None:
    """Every mapping of TOML's types comes back, whatever its strings hold."""
    assert tomllib.loads(toml_text(data)) == data


def test_what_is_none_is_left_out() -> None:
    """TOML has no word for it."""
    assert toml_text({"a": None, "b": 1}) == "b = 1\n"
