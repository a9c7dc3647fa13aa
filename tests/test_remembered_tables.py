"""Answers of tables are remembered by their bytes, and by nothing else."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from memgauge.errors import RunError
from memgauge.runs.record import store
from memgauge.runs.record.store import load

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support.cli import Said

RUN = ("run", "-d", "synthetic:tiny", "-s", "bm25", "--executor", "inline", "--json")


@pytest.fixture
def folder(memgauge: Callable[..., Said], tmp_path: Path) -> Path:
    """Make a run."""
    assert memgauge(*RUN, "--out", tmp_path / "runs").code == 0
    return next((tmp_path / "runs").glob("*bm25*"))


def test_a_copy_is_not_read_again_and_owns_what_it_returns(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The database is not asked for the same bytes elsewhere; who changes an answer changes it alone."""
    before, rows = load(folder).questions["ms"], load(folder).asked()
    shutil.copytree(folder, tmp_path / "copy")
    with monkeypatch.context() as patch:
        patch.setattr(store, "connect", pytest.fail)
        again = load(tmp_path / "copy")
        assert again.questions["ms"].tolist() == before.tolist()
        assert again.asked() == rows
    before[:] = -1
    rows[0]["question"] = "another"
    assert (load(folder).questions["ms"] >= 0).all()
    assert load(folder).asked()[0]["question"] != "another"


def test_other_bytes_are_read(folder: Path) -> None:
    """Also where size and time are those of before: a file that is spoilt is refused, though it was read."""
    path = folder / "questions.parquet"
    whole, state = path.read_bytes(), path.stat()
    assert len(load(folder).asked()) == 32
    path.write_bytes(bytes(len(whole)))
    assert path.stat().st_size == state.st_size
    with pytest.raises(RunError, match="cannot be read"):
        load(folder, altered=True).asked()
    path.write_bytes(whole)
    assert len(load(folder).asked()) == 32
