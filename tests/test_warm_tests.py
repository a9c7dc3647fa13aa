"""What workers would prepare alone is prepared once."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from _pytest.assertion import rewrite

import warm_tests

if TYPE_CHECKING:
    import pytest


def _is_read(path: Path) -> bool:
    return rewrite._read_pyc(path, warm_tests._kept(path)) is not None


def test_a_test_is_rewritten_once_and_again_when_it_changes(tmp_path: Path, pytestconfig: pytest.Config) -> None:
    """What pytest itself would take for its own is kept beside the test, until the test is another."""
    path = tmp_path / "test_sum.py"
    path.write_text("def test_sum():\n    assert 1 + 1 == 2\n")
    assert not warm_tests._is_warm(path)
    warm_tests._rewrite(path, pytestconfig)
    assert warm_tests._is_warm(path)
    assert _is_read(path)
    path.write_text("def test_sum():\n    assert 1 + 2 == 3\n    assert True\n")
    later = path.stat().st_mtime + 60
    os.utime(path, (later, later))
    assert not warm_tests._is_warm(path)
    assert not _is_read(path)


def test_every_file_of_tests_is_meant() -> None:
    """All that pytest rewrites: the modules of tests, and what they have in common."""
    names = {path.relative_to(warm_tests.ROOT).as_posix() for path in warm_tests._files(warm_tests.TESTS)}
    assert {"tests/conftest.py", "tests/test_warm_tests.py", "tests/web/test_fresh.py"} <= names
    assert all(Path(name).suffix == ".py" for name in names)
