"""One format for every history of a study: lines that say their kind, when and of what."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memgauge.errors import MalformedDataError, RunError
from memgauge.results import result
from memgauge.studies.history import HistoryFormat, RecordKind

if TYPE_CHECKING:
    from pathlib import Path


@result
@dataclass(frozen=True)
class Weighed:
    """A weight."""

    at: str
    what: str
    grams: float
    notes: tuple[str, ...] = ()


@result
@dataclass(frozen=True)
class Tared:
    """A decision."""

    at: str
    scale: str


SCALES: Final = HistoryFormat[Weighed | Tared](
    (
        RecordKind("weight", 2, f"{__name__}:Weighed", "weigh", subject="what"),
        RecordKind("tare", 1, f"{__name__}:Tared", "tare", subject="scale"),
    )
)
APPLE = Weighed("2026-11-01", "apple", 0.1 + 0.2)
WORDS = st.text(st.characters(codec="utf-8"))


@given(
    records=st.lists(
        st.builds(Weighed, WORDS, WORDS, st.floats(allow_nan=False), st.lists(WORDS).map(tuple))
        | st.builds(Tared, WORDS, WORDS)
    ),
    split=st.integers(0, 5),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
def test_what_is_appended_is_read_back(tmp_path: Path, records: list[Weighed | Tared], split: int) -> None:
    """In its order and to the last digit, however often the file was opened."""
    path = tmp_path / "kept" / "history.jsonl"
    path.unlink(missing_ok=True)
    SCALES.append(path, records[:split])
    SCALES.append(path, records[split:])
    assert SCALES.read(path) == tuple(records)


def test_a_line_says_its_kind_when_and_of_what(tmp_path: Path) -> None:
    """Once each, and a file is known by its first line."""
    path = tmp_path / "history.jsonl"
    assert SCALES.read(path) == ()
    assert not SCALES.recognises(path)
    SCALES.append(path, [APPLE])
    assert json.loads(path.read_text()) == {
        "kind": "weight",
        "version": 2,
        "at": "2026-11-01",
        "of": "apple",
        "value": {"grams": 0.1 + 0.2, "notes": []},
    }
    assert SCALES.recognises(path)
    other = tmp_path / "other.jsonl"
    other.write_text('{"kind": "weight"}\n')
    assert not SCALES.recognises(other)
    assert not SCALES.recognises(path.rename(tmp_path / "history.txt"))


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ('{"at": "1", "what": "pear", "grams": 1}', "no result of this version of memgauge"),
        (
            '{"kind": "weight", "version": 1, "at": "1", "of": "a", "value": {"grams": 1}}',
            "weight result of",
        ),
        ('{"kind": "height", "version": 1, "at": "1", "of": "a", "value": {}}', "a height result of version 1"),
        ('{"kind": "weight", "version": 2, "at": "1", "of": "a", "value": {"grams": "much"}}', "grams"),
        ('{"kind": "weight", "version": 2, "of": "a", "value": {"grams": 1}}', "at"),
        ('{"kind": "weight", "version": 2, "at": "1", "of": "a", "value": 3}', "weight"),
        ("[]", "no result"),
        ('{"kind": "we', "not JSON"),
        ('"\\ud800', "not JSON"),
    ],
)
def test_a_line_of_something_else_is_named_and_nothing_is_added(tmp_path: Path, line: str, why: str) -> None:
    """File, number and reason; a line of an earlier version is refused with a sentence too."""
    path = tmp_path / "history.jsonl"
    SCALES.append(path, [APPLE])
    path.write_text(path.read_text() + "\n" + line + "\n")
    before = path.read_bytes()
    with pytest.raises(MalformedDataError, match=rf"history\.jsonl:3: .*{re.escape(why)}") as refused:
        SCALES.read(path)
    assert "begin another one" in refused.value.remedy
    with pytest.raises(MalformedDataError, match="history"):
        SCALES.append(path, [APPLE])
    assert path.read_bytes() == before


def test_a_place_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    """A file is no folder."""
    (tmp_path / "file").write_text("")
    with pytest.raises(RunError, match="Cannot write"):
        SCALES.append(tmp_path / "file" / "history.jsonl", [APPLE])


def test_a_line_that_broke_off_is_left_out_and_written_over(tmp_path: Path) -> None:
    """Whoever was killed in it had told nobody; a last line without an end that is whole counts."""
    path = tmp_path / "history.jsonl"
    SCALES.append(path, [APPLE, APPLE])
    whole = path.read_bytes()
    path.write_bytes(whole[:-20])
    assert SCALES.read(path) == (APPLE,)
    SCALES.append(path, [APPLE])
    assert path.read_bytes() == whole
    path.write_bytes(whole[:-1])
    SCALES.append(path, [APPLE])
    assert SCALES.read(path) == (APPLE, APPLE, APPLE)
