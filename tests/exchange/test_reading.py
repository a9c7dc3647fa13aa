"""Reading foreign files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memgauge.errors import MalformedDataError
from memgauge.exchange.reading import expect, read_json, read_lines, read_text, score
from memgauge.exchange.trace import FileLocation

if TYPE_CHECKING:
    from pathlib import Path


def test_what_is_no_text_is_refused(tmp_path: Path) -> None:
    """Bytes that are not UTF-8, and a packed file that is not packed."""
    for name in ("bad.json", "bad.json.gz"):
        path = tmp_path / name
        path.write_bytes(b"\xff\xfe\x00")
        with pytest.raises(MalformedDataError, match="cannot be read"):
            read_text(path)


def test_broken_json_has_a_line_and_a_column(tmp_path: Path) -> None:
    """So that an editor can jump there."""
    path = tmp_path / "x.json"
    path.write_text('{\n "a": }')
    with pytest.raises(MalformedDataError, match=r"x\.json:2: column 7"):
        read_json(path)


def test_marks_inside_a_text_do_not_end_a_line(tmp_path: Path) -> None:
    """Only a line feed does; empty lines are passed over."""
    path = tmp_path / "x.jsonl"
    path.write_text('{"a": "b\u2028c"}\n\n{"a": 1}\n', encoding="utf-8")
    assert [row["a"] for _, row in read_lines(path)] == ["b\u2028c", 1]


def test_kinds_are_expected(tmp_path: Path) -> None:
    """A truth value is no number, and nothing is no score."""
    place = FileLocation(tmp_path, 3, "score")
    with pytest.raises(MalformedDataError, match=r":3: score: bool where int is expected"):
        expect(bool(place), int, place)
    assert expect("x", (str, int), place) == "x"
    assert score("", place) is None
    assert score("1.5", place) == 1.5
