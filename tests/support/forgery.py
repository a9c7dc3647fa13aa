"""What somebody does who wants a better number: rewrite files of a run, and seal them with our own functions."""

from __future__ import annotations

import json
import zlib
from typing import TYPE_CHECKING, Any

from memgauge.runs.record import journal
from memgauge.runs.record.manifest import FILE as MANIFEST
from memgauge.runs.record.seal import FILE as SEAL
from memgauge.runs.record.seal import Seal, file_hash, seal
from memgauge.runs.record.spelling import encode

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Row = dict[str, Any]


def forge(
    folder: Path, change: Callable[[list[Row]], object], spell: Callable[[bytes], bytes] = lambda lines: lines
) -> None:
    """Rewrite the rows of every attempt and their spelling, with checksums that fit, and seal the run again."""
    path = folder / journal.FILE
    rows = [json.loads(line) for line in path.read_bytes().splitlines()]
    written = bytearray()
    attempt: list[Row] = []
    for row in rows:
        if row["t"] != "sum":
            attempt.append(row)
            continue
        change(attempt)
        lines = spell(encode(attempt))
        written += lines + journal.sum_line(row["conversation"], row["attempt"], len(lines), zlib.crc32(lines))
        attempt = []
    path.write_bytes(written)
    seal(folder)


def rename(folder: Path, label: str) -> None:
    """Call the system of a run something else in its manifest."""
    path = folder / MANIFEST
    manifest = json.loads(path.read_text())
    manifest["system"]["label"] = label
    path.write_text(json.dumps(manifest, indent=2) + "\n")


def rehash(folder: Path, name: str) -> None:
    """Put the hash of one file, as it is now, into the seal."""
    old = Seal.read(folder)
    fields = {**json.loads(old.text), "files": {**old.files, name: file_hash(folder / name)}}
    (folder / SEAL).write_text(Seal(**fields).text)


def set_manifest(folder: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Rewrite the manifest, and seal the run again as if it had always been so."""
    path = folder / MANIFEST
    manifest = json.loads(path.read_text())
    change(manifest)
    path.write_text(json.dumps(manifest, indent=2) + "\n")
    seal(folder)


def questions(rows: list[Row]) -> list[Row]:
    """Return the rows of questions."""
    return [row for row in rows if row["t"] == "question"]
