"""One small set of runs for all tests of the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memgauge.cli import invoke
from support_cli import Said

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def memgauge(capsys: pytest.CaptureFixture[str]) -> Callable[..., Said]:
    """Call the command line in this process."""

    def call(*arguments: object) -> Said:
        code = invoke([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Said(code, captured.out, captured.err)

    return call


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with runs of three systems on the tiny world."""
    folder = tmp_path_factory.mktemp("made")
    systems = ("-s", "bm25", "-s", "random", "-s", "oracle")
    assert invoke(["run", "-d", "synthetic:tiny", *systems, "--out", str(folder), "--json"]) == 0
    return folder
