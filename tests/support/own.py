"""A folder of one's own data, written by hand."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from memgauge.datasets.files import sha256_of
from memgauge.datasets.own.lines import FILES, FORMAT, MANIFEST

if TYPE_CHECKING:
    from pathlib import Path


def pin(folder: Path) -> None:
    """Write the manifest of what lies in *folder*."""
    hashes = {name: sha256_of(folder / name) for name in FILES if (folder / name).exists()}
    (folder / MANIFEST).write_text(json.dumps({"format": FORMAT, "sha256": hashes}), "utf-8")
