"""`memgauge runs list` tells runs apart that were made otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pytest

    from support.cli import Said


def test_unlike_runs_look_unlike(
    memgauge: Callable[..., Said], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was set otherwise than usual is said beside the run, and nothing where nothing was."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    plain = ("run", "-d", "synthetic:tiny", "-s", "bm25", "--executor", "inline")
    memgauge(*plain)
    memgauge(*plain, "--conversations", 2, "--budget-tokens", 50)
    memgauge(*plain, "--stream", "question-order:seed=3")
    memgauge(*plain, "--timeout", 5)
    listed = memgauge("runs", "list", "--format", "csv").out.splitlines()
    assert listed[0] == "run,dataset,system,k,seed,settings,state"
    settings = {line.split(",60,0,")[1] for line in listed[1:]}
    assert settings == {
        ",sealed",
        '"the first 2, budget tokens 50",sealed',
        "question-order:seed=3,sealed",
        "timeout 5,sealed",
    }
