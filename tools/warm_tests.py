"""Prepare what every worker of the tests would prepare alone: rewritten assertions, and constants for Hypothesis.

On a fresh clone that takes a worker twelve seconds, and four of them do it at the same time. What is there already
is looked at and left.
"""

from __future__ import annotations

import contextlib
import io
import os
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import pytest
from _pytest.assertion import rewrite

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).resolve().parent.parent
TESTS, SOURCES = ("tests/**/test_*.py", "tests/**/conftest.py"), ("src/**/*.py", "tools/*.py", "bench/**/*.py")
CONSTANTS = ROOT / ".hypothesis" / "constants"


class _Warmer:
    """A plugin of pytest that prepares files in place of collecting them."""

    def __init__(self, tests: Sequence[Path]) -> None:
        self._tests = tests

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self, session: pytest.Session) -> bool:
        """Rewrite the tests, and collect nothing."""
        for path in self._tests:
            _rewrite(path, session.config)
        return True


def _kept(path: Path) -> Path:
    """Name the file that holds the rewritten code of a test."""
    return rewrite.get_cache_dir(path) / f"{path.stem}{rewrite.PYC_TAIL}"


def _is_warm(path: Path) -> bool:
    kept = _kept(path)
    return kept.is_file() and kept.stat().st_mtime >= path.stat().st_mtime


def _rewrite(path: Path, config: pytest.Config) -> None:
    """Write the assertions of one file, where that was not done since it changed."""
    kept = _kept(path)
    if rewrite._read_pyc(path, kept) is None and rewrite.try_makedirs(kept.parent):
        stat, code = rewrite._rewrite_test(path, config)
        rewrite._write_pyc(config.stash[rewrite.assertstate_key], code, stat, kept)


def _find_constants(sources: Sequence[Path]) -> None:
    """Let Hypothesis keep the constants of each file beside its examples."""
    from hypothesis.internal.constants_ast import constants_from_module

    for path in sources:
        module = ModuleType(path.stem)
        module.__file__ = str(path)
        constants_from_module(module)


def _files(patterns: Sequence[str]) -> list[Path]:
    return sorted(path for pattern in patterns for path in ROOT.glob(pattern))


def warm(share: int, shares: int, fresh: bool) -> None:
    """Prepare a share of the files; constants are looked for where none were kept before."""
    os.chdir(ROOT)
    tests, sources = (_files(patterns)[share::shares] for patterns in (TESTS, SOURCES))
    with contextlib.redirect_stdout(io.StringIO()):  # that no test was run is no news
        pytest.main(["-p", "no:cacheprovider", "--noconftest"], plugins=[_Warmer(tests)])
    if fresh:
        _find_constants(sources)


def main() -> None:
    """Share the files among all cores."""
    cores = os.cpu_count() or 1
    fresh = not CONSTANTS.is_dir()
    if not fresh and all(map(_is_warm, _files(TESTS))):
        return
    with ProcessPoolExecutor(cores) as pool:
        list(pool.map(warm, range(cores), [cores] * cores, [fresh] * cores))


if __name__ == "__main__":
    main()
