"""How an optional part is added to this installation, as it is typed on this machine."""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path

from memgauge.errors import MissingExtraError

_CHECKOUT = Path(__file__).resolve().parents[2]


def lacking(extra: str, what: str) -> MissingExtraError:
    """Say *what* is not here, and how the *extra* that holds it is added."""
    return MissingExtraError(what, f"Run: {extra_named(extra)}")


def extra_named(name: str, checkout: Path = _CHECKOUT) -> str:
    """Return the command that adds an extra: from the lock of a checkout, or by the checkout, else by an index."""
    lock = checkout / "requirements" / f"{name}.lock"
    if lock.is_file():
        return pip(f"--require-hashes --no-deps -r {shlex.quote(_short(lock))}")
    if (checkout / "pyproject.toml").is_file():
        return pip(f"--editable {shlex.quote(f'{_short(checkout)}[{name}]')}")
    return pip(f"'memgauge[{name}]'")


def pip(what: str) -> str:
    """Return the command that installs with pip."""
    return f"{this_python()} -m pip install {what}"


def this_python() -> str:
    """Return how this Python is called here: by its name where that works, else by the shortest path."""
    path = Path(sys.executable)
    return "python" if shutil.which("python") == str(path) else shlex.quote(_short(path))


def _short(path: Path) -> str:
    return str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)
