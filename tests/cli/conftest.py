"""One small set of runs for all tests of the command line."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.cli import invoke

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@dataclass(frozen=True)
class Said:
    """What one command printed, and how it ended."""

    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        """Return what was printed with --json."""
        return json.loads(self.out)


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
