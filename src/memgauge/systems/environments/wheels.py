"""Wheels that are named for a newer system than they need: pip refuses them, and is told to take them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memgauge.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_PLATFORM = re.compile(r"[a-z0-9_]+")
_NAMED = re.compile(r"(?m)^([A-Za-z0-9][A-Za-z0-9._-]*)==")


def pip_steps(lock: Path, wheels: Mapping[str, str], folder: Path) -> list[list[str]]:
    """Return pip's options for each step that installs *lock*: first what fits here, then wheels by their name.

    *wheels* are the platforms by which wheels are named, by package; parts of the lock are written in *folder*.

    Raises:
        ConfigError: A name is no platform, or a package is not in the lock.
    """
    if not wheels:
        return [_step(lock)]
    pins = _pins(lock.read_text("utf-8"))
    for package, platform in wheels.items():
        if not _PLATFORM.fullmatch(platform):
            raise ConfigError(f"{platform!r} is no platform of a wheel.", "Write it like manylinux_2_39_x86_64.")
        if package.lower() not in pins:
            raise ConfigError(f"{package} is not in {lock}.", "Name packages that the lock holds.")
    taken = {package.lower(): platform for package, platform in wheels.items()}
    rest = [text for name, text in pins.items() if name not in taken]
    steps = [_step(_part(folder / "rest.txt", rest))]
    site = next(iter(folder.glob("lib/python3*/site-packages")), folder)
    for name, platform in taken.items():
        options = [f"--platform={platform}", "--only-binary=:all:", f"--target={site}"]
        steps.append([*options, *_step(_part(folder / f"{name}.txt", [pins[name]]))])
    return steps


def _step(lock: Path) -> list[str]:
    return ["--require-hashes", "--no-deps", "-r", str(lock)]


def _part(path: Path, pins: list[str]) -> Path:
    path.write_text("".join(pins), encoding="utf-8")
    return path


def _pins(text: str) -> dict[str, str]:
    """Cut a lock into its packages, by their names as an index writes them."""
    starts = list(_NAMED.finditer(text))
    ends = [*(match.start() for match in starts[1:]), len(text)]
    return {match[1].lower(): text[match.start() : end] for match, end in zip(starts, ends, strict=True)}
