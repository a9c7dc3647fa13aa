"""Runs judged together need their data, wherever the command stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pytest

    from support.cli import Said


def test_data_that_are_not_found_from_here_are_told_with_their_run(
    memgauge: Callable[..., Said], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Own data by a relative path lie where the run was made; the run is named, and what to do."""
    made, elsewhere = tmp_path / "made", tmp_path / "elsewhere"
    made.mkdir()
    elsewhere.mkdir()
    monkeypatch.chdir(made)
    assert memgauge("data", "synth", "--out", "five", "--size", "tiny").code == 0
    assert memgauge("run", "-d", "own:./five", "-s", "bm25", "--executor", "inline", "--out", elsewhere).code == 0
    assert memgauge("score", elsewhere).code == 0
    monkeypatch.chdir(elsewhere)
    told = memgauge("score", elsewhere)
    assert told.code == 2
    (run,) = elsewhere.glob("own-*")
    assert f"{run} was made on own:./five: {elsewhere / 'five'} has no manifest.json." in told.err
    assert "Go to the folder in which the run was made, or name the other runs alone." in told.err
