"""Read a note as ReMe writes it: fields in YAML between two fences, then the text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.systems.adapters.product_store import product
from memgauge.systems.adapters.rows import StoredTurn

if TYPE_CHECKING:
    from pathlib import Path

FENCE = "---\n"


def read_note(path: Path) -> StoredTurn:
    """Read the note at *path*; one without front matter is all text."""
    written = path.read_bytes().decode("utf-8", "replace")
    fields = None
    if written.startswith(FENCE) and (end := written.find(f"\n{FENCE}", len(FENCE))) > 0:
        fields = product("yaml").safe_load(written[len(FENCE) : end])
        written = written[end + 1 + len(FENCE) :].removeprefix("\n")
    return StoredTurn.beside(path.stem, written.removesuffix("\n"), fields)
