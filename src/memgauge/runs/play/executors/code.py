"""Which code a process runs: what must be equal on every machine that works on one run."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from memgauge import version
from memgauge.runs.record.manifest import environment

if TYPE_CHECKING:
    from collections.abc import Mapping

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
    files = (path for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc")
    whole = hashlib.sha256()
    for name, path in sorted((path.relative_to(folder).as_posix(), path) for path in files):
        whole.update(f"{name}\0".encode() + hashlib.sha256(path.read_bytes()).digest())
    return whole.hexdigest()
