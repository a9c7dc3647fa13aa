"""What people say of answers, from a file."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from memgauge.errors import DataNotFoundError, MalformedDataError
from memgauge.scoring.labels import read_answer_labels

if TYPE_CHECKING:
    from pathlib import Path

LINE = '{"system": "bm25", "question": "q1", "right": true}'


def test_labels_are_read_by_system(tmp_path: Path) -> None:
    """Empty lines and repetitions say nothing new."""
    path = tmp_path / "labels.jsonl"
    path.write_text("\n".join([LINE, "", LINE, LINE.replace("bm25", "dense").replace("true", "false")]))
    assert read_answer_labels(path) == {"bm25": {"q1": True}, "dense": {"q1": False}}


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ('{"system": "bm25", "question": "q2"}', "2: right: "),
        ('{"system": "bm25", "question": "q2", "right": "yes"}', "2: right: "),
        ("nonsense", "2: the line itself: "),
        (LINE.replace("true", "false"), "2: q1 of bm25 is right and wrong"),
    ],
)
def test_a_broken_file_is_named_by_its_line(tmp_path: Path, line: str, what: str) -> None:
    """File, line and field are named; a missing file too."""
    path = tmp_path / "labels.jsonl"
    path.write_text(f"{LINE}\n{line}\n")
    with pytest.raises(MalformedDataError, match=re.escape(f"{path}:{what}")):
        read_answer_labels(path)
    with pytest.raises(DataNotFoundError, match="Cannot read"):
        read_answer_labels(tmp_path / "absent")
