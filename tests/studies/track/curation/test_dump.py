"""Dumps of issues and pull requests."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.errors import MalformedDataError
from memgauge.studies.track.curation.dump import read_dump
from support.track.curation import dump

if TYPE_CHECKING:
    from pathlib import Path

COMMITS = {"fix": "a" * 40, "wide": "b" * 40, "other": "c" * 40, "picture": "d" * 40}


def written(path: Path, content: Any) -> Path:
    """Write a dump."""
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def test_open_and_unmerged_entries_are_left_out(tmp_path: Path) -> None:
    """Closed issues and merged requests remain, with comments in order and numbers that they close."""
    found = read_dump(written(tmp_path / "dump.json", dump(COMMITS)))
    assert [issue.number for issue in found.issues] == [1, 2, 3, 4, 5, 6, 7]
    assert [pull.number for pull in found.pulls] == [11, 12, 13, 14, 15, 16, 17]
    assert found.pulls[0].closes == {1}
    assert [remark.author for remark in found.issues[0].remarks] == ["octo-maker", "octo-guest"]


def test_one_list_means_the_same_as_two(tmp_path: Path) -> None:
    """A request is known by what it has, wherever it stands."""
    both = dump(COMMITS)
    one = read_dump(written(tmp_path / "one.json", [*both["pulls"], *both["issues"]]))
    assert one == read_dump(written(tmp_path / "two.json", both))


def test_the_command_line_s_spelling_is_read(tmp_path: Path) -> None:
    """Camel case, authors as objects, and the issues that a request names itself."""
    issue = {
        "number": 7,
        "title": "T",
        "author": {"login": "a"},
        "createdAt": "2025-01-01T00:00:00Z",
        "closedAt": "2025-01-03T00:00:00Z",
        "comments": [{"author": {"login": "b"}, "createdAt": "2025-01-02T00:00:00Z", "body": "Yes."}],
    }
    pull = {
        "number": 8,
        "title": "P",
        "author": "b",
        "createdAt": "2025-01-02T00:00:00Z",
        "mergedAt": "2025-01-03T00:00:00Z",
        "mergeCommit": {"oid": "e" * 40},
        "closingIssuesReferences": [{"number": 7}],
    }
    found = read_dump(written(tmp_path / "dump.json", [issue, pull]))
    assert (found.issues[0].remarks[0].text, found.pulls[0].commit) == ("Yes.", "e" * 40)
    assert found.pulls[0].closes == {7}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("text", "holds no issues"),
        ({"issues": [{"number": 1, "closed_at": "2025-01-01"}]}, r"issues\[0\]: the entry lacks 'title'"),
        ([["no", "object"]], r"\[0\]: this is no issue"),
        ([{"number": 1, "title": "T", "closed_at": "2025-01-01", "user": "a"}], "lacks 'created_at'"),
    ],
)
def test_what_cannot_be_read_is_named(tmp_path: Path, content: Any, said: str) -> None:
    """A broken dump says where."""
    with pytest.raises(MalformedDataError, match=said):
        read_dump(written(tmp_path / "dump.json", content))
