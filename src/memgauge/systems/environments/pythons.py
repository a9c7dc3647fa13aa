"""Find a Python of the right version on this machine."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from memgauge.errors import ConfigError, MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Iterator

    Version = tuple[int, ...]

_BOUND = re.compile(r"(>=|<=|==|<|>|!=)\s*(\d+(?:\.\d+)*)")
_ASK = "import sys; print('%d.%d.%d' % sys.version_info[:3])"
NEWEST = 20
"""Minor versions of Python 3 are looked for up to this one."""


def fits(version: Version, wanted: str) -> bool:
    """Whether *version* lies within bounds like ``>=3.11,<3.14``; of a bound's precision and no finer."""
    for part in filter(None, (part.strip() for part in wanted.split(","))):
        match = _BOUND.fullmatch(part)
        if match is None:
            raise ConfigError(f"{part!r} in {wanted!r} is no bound of a version.", "Write it like >=3.11,<3.14.")
        sign, bound = match[1], tuple(map(int, match[2].split(".")))
        own = version[: len(bound)]
        good = {
            ">=": own >= bound,
            "<=": own <= bound,
            "==": own == bound,
            "<": own < bound,
            ">": own > bound,
            "!=": own != bound,
        }
        if not good[sign]:
            return False
    return True


def find_python(wanted: str, product: str) -> tuple[str, str]:
    """Return the path and the version of a Python within the bounds *wanted*; this one if it fits.

    Raises:
        MissingExtraError: There is none; the message names those that were found.
    """
    seen: dict[str, str] = {}
    for path in _candidates():
        version = version_of(path)
        if version and fits(tuple(map(int, version.split("."))), wanted):
            return path, version
        if version:
            seen[version] = path
    others = f"there is {', '.join(sorted(seen))}" if seen else "there is none"
    raise MissingExtraError(
        f"{product} needs Python {wanted}; {others}.",
        "Install one and put it on the path, or name it: --python PATH.",
    )


def version_of(path: str) -> str:
    """Ask a Python for its version; empty where it does not run."""
    try:
        asked = subprocess.run([path, "-I", "-c", _ASK], capture_output=True, text=True, check=False, timeout=30)  # noqa: S603 - a Python of this machine
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return asked.stdout.strip() if asked.returncode == 0 else ""


def _candidates() -> Iterator[str]:
    """Yield this Python, those on the path, and those that a version manager keeps."""
    yield getattr(sys, "_base_executable", sys.executable)
    for minor in range(NEWEST, 10, -1):
        if path := shutil.which(f"python3.{minor}"):
            yield path
    if path := shutil.which("python3"):
        yield path
    versions = Path(os.environ.get("PYENV_ROOT", "") or Path.home() / ".pyenv") / "versions"
    yield from map(str, sorted(versions.glob("3.*/bin/python"), reverse=True))
