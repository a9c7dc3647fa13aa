"""Which issues can become an instance."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memgauge.errors import ConfigError, DataNotFoundError
from memgauge.studies.track.curation.candidates import branch_of, candidates, choose
from memgauge.studies.track.curation.dump import read_dump

if TYPE_CHECKING:
    from pathlib import Path


def test_an_issue_with_one_small_change_is_usable(cloned: tuple[Path, Path, dict[str, str]]) -> None:
    """Contents come from the clone: new text, and nothing for a file that is gone."""
    clone, dump, commits = cloned
    first, *others = candidates(clone, read_dump(dump))
    assert (first.issue.number, first.remarks) == (1, 3)
    assert first.change is not None
    assert first.change.files == {"slugs/cut.py": "LIMIT = 80\n", "old.txt": None}
    assert (first.change.commit, first.change.base) == (commits["fix"], commits["base"])
    assert all(one.change is None for one in others)


@pytest.mark.parametrize(
    ("number", "why"),
    [
        (2, "no merged pull request"),
        (3, "touches 3 files"),
        (4, r"several pull requests close it \(#13, #14\)"),
        (5, "does not have the commit 000000000000"),
        (6, "no text"),
        (7, "merged before it was opened"),
        (99, "not among the closed issues"),
    ],
)
def test_others_say_why_not(cloned: tuple[Path, Path, dict[str, str]], number: int, why: str) -> None:
    """Every issue that is refused has its reason."""
    clone, dump, _ = cloned
    with pytest.raises(ConfigError, match=why):
        choose(candidates(clone, read_dump(dump)), number)


def test_the_limit_of_files_is_the_user_s(cloned: tuple[Path, Path, dict[str, str]]) -> None:
    """Three files are fine where three are allowed, and two are not where one is."""
    clone, dump, _ = cloned
    assert choose(candidates(clone, read_dump(dump), files=3), 3).change is not None
    with pytest.raises(ConfigError, match="None of 7"):
        choose(candidates(clone, read_dump(dump), files=1))


def test_a_clone_is_a_clone(cloned: tuple[Path, Path, dict[str, str]], tmp_path: Path) -> None:
    """Its branch is known, bare or not; another folder is refused."""
    clone, dump, _ = cloned
    assert branch_of(clone) == branch_of(clone / ".git") == "trunk"
    with pytest.raises(DataNotFoundError, match="no clone"):
        candidates(tmp_path, read_dump(dump))
