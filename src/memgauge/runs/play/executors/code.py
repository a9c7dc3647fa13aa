"""Which code a process runs: what must be equal on every machine that works on one run."""

from __future__ import annotations

import hashlib
import os
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from memgauge import version
from memgauge.runs.record.manifest import environment

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

HARDWARE = "platform"
"""The version that may differ between the machines of a cluster."""


@cache
def code() -> Mapping[str, str]:
    """Name the versions of this process, and the hash of the package as it lies on disk."""
    versions = {name: value for name, value in environment().items() if name != HARDWARE}
    return MappingProxyType({**versions, "memgauge's files": _hash(Path(version.__file__).parent)[:12]})


def differences(here: Mapping[str, str], there: Mapping[str, str]) -> str:
    """Say in what two machines differ; empty where they agree."""
    names = [name for name in {**here, **there} if here.get(name) != there.get(name)]
    return ", ".join(f"{name} is {there.get(name, 'absent')}, not {here.get(name, 'absent')}" for name in names)


def _hash(folder: Path) -> str:
    whole = hashlib.sha256()
    for name in sorted(_files(f"{folder}/", "")):
        with open(f"{folder}/{name}", "rb") as file:  # noqa: PTH123 - paths as objects took two thirds of the time
            whole.update(f"{name}\0".encode() + hashlib.sha256(file.read()).digest())
    return whole.hexdigest()


def _files(folder: str, below: str) -> Iterator[str]:
    """Name the files below *folder*, by their place in it; every process that plays looks at two thousand."""
    with os.scandir(folder + below) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                yield from _files(folder, f"{below}{entry.name}/")
            elif entry.is_file() and not entry.name.endswith(".pyc"):
                yield below + entry.name
