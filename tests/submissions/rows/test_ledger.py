"""Rows follow from bundles alone: kept ones are used where all is the same, and nothing else is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from memgauge.submissions.repository import Repository
from memgauge.submissions.rows import keeping, ledger
from memgauge.submissions.rows.ledger import read_ledger
from support.small_registry import copied, folder_of

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from memgauge.submissions.rows.ledger import Ledger


def read(root: Path, cache: Path) -> Ledger:
    """Read the ledger of one submission."""
    repository = Repository.at(root)
    folders = [each for each in repository.submissions() if each.folder == folder_of(root, 3)]
    return read_ledger(repository, folders, cache)


def same(a: Ledger, b: Ledger) -> bool:
    """Whether two ledgers say the same."""
    pairs = [pair for name in a.runs for pair in zip(a.runs[name], b.runs[name], strict=True)]
    return all(
        x.valued is not None
        and y.valued is not None
        and x.valued.row == y.valued.row
        and all(np.array_equal(x.valued.values[m], y.valued.values[m], equal_nan=True) for m in x.valued.values)
        for x, y in pairs
    )


def test_a_row_says_what_its_bundle_holds(small_registry: Path, rows_kept: Path) -> None:
    """It is verified, and its denominator is every question of the dataset that can be scored."""
    (run, _) = next(iter(read(small_registry, rows_kept).runs.values()))
    assert run.valued is not None
    made = run.valued.row
    assert made.holds
    assert made.problems == ()
    assert {score.denominator.scored for score in made.scores.values()} == {made.asked}
    assert made.unanswered == 0


def test_a_kept_row_is_the_row(small_registry: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It comes back to the last digit, and no bundle is read for it."""
    made = read(small_registry, tmp_path)

    def refuse(*_: object) -> None:
        raise AssertionError("a bundle was read")

    monkeypatch.setattr(ledger, "read_bundle", refuse)
    assert same(made, read(small_registry, tmp_path))


def test_what_is_kept_is_not_believed_blindly(small_registry: Path, rows_kept: Path, tmp_path: Path) -> None:
    """A kept row that somebody changed, or cut short, is derived again."""
    right = read(small_registry, rows_kept)
    read(small_registry, tmp_path)
    for path in tmp_path.iterdir():
        path.write_bytes(path.read_bytes().replace(b'"unanswered": 0', b'"unanswered": 7'))
    assert same(right, read(small_registry, tmp_path))
    for path in tmp_path.iterdir():
        path.write_bytes(path.read_bytes()[:-8])
    assert same(right, read(small_registry, tmp_path))


def test_another_scorer_derives_anew(
    small_registry: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows of other code, of the same version too, are not used."""
    read(small_registry, tmp_path)
    before = set(tmp_path.iterdir())
    monkeypatch.setattr(keeping, "scorer", lambda: "another")
    read(small_registry, tmp_path)
    assert len(set(tmp_path.iterdir())) == 2 * len(before)


def test_a_bundle_that_its_sheet_does_not_name_has_no_row(
    small_registry: Path, tmp_path: Path, rows_kept: Path
) -> None:
    """One more byte, and there is a sentence in its place."""
    mine = copied(small_registry, tmp_path / "registry")
    path = folder_of(mine, 3) / "bundles" / "tiny.0.zip"
    path.write_bytes(path.read_bytes() + b" ")
    runs = next(iter(read(mine, rows_kept).runs.values()))
    assert [run.valued is None for run in runs] == [True, False]
    assert "is not the file that its sheet names" in runs[0].problem
