"""The public names of the package."""

from __future__ import annotations

import subprocess
import sys

import pytest

import memgauge


def test_every_public_name_is_there() -> None:
    """Everything in __all__ can be imported, and dir() says so."""
    assert memgauge.__all__ == sorted(memgauge._HOMES.keys() | {"__version__"})
    assert [name for name in memgauge.__all__ if not hasattr(memgauge, name)] == []
    assert dir(memgauge) == memgauge.__all__


def test_an_unknown_name_is_an_attribute_error() -> None:
    """A name that is not public does not exist."""
    with pytest.raises(AttributeError, match="nothing"):
        memgauge.nothing  # noqa: B018 - asking is the point


def test_importing_the_package_imports_nothing_else() -> None:
    """`import memgauge` is free: no other module of the package, no third-party one."""
    code = "import sys; before = set(sys.modules); import memgauge; print(sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "'memgauge', 'memgauge.version'" in done.stdout
    assert done.stdout.count("memgauge") == 2
    assert "numpy" not in done.stdout
