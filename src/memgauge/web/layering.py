"""The rows of layers by question: which lie where is kept, the rows themselves are read when looked at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memgauge.runs.layers.layer import FOLDER, ROWS, SEAL, load_layer, sealed
from memgauge.runs.record.files import opened
from memgauge.text.jsons import json_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from memgauge.runs.layers.layer import Layer
    from memgauge.runs.record.rows import Row
    from memgauge.runs.record.store import Run
    from memgauge.web.library import Library


@dataclass(frozen=True, eq=False)
class Indexed:
    """A sealed layer, and where the rows of each question lie."""

    layer: Layer
    places: Mapping[str, tuple[tuple[int, int], ...]]
    """Offset and length of each row, by question."""

    def rows(self, question: str) -> list[Row]:
        """Read the rows of one question, in their order."""
        with opened(self.layer.folder / ROWS) as file:
            rows = []
            for offset, length in self.places.get(question, ()):
                file.seek(offset)
                rows.append(json_of(file.read(length)))
            return rows


def layers_of(library: Library, run: Run, kind: str) -> list[Indexed]:
    """Open the finished layers of one kind that stand on a run."""
    folder = run.folder / FOLDER
    if not folder.is_dir():
        return []
    return [library.kept(layer / SEAL, _index) for layer in sorted(folder.glob(f"{kind}-*")) if sealed(layer)]


def _index(seal: Path) -> Indexed:
    layer = load_layer(seal.parent)
    places: dict[str, tuple[tuple[int, int], ...]] = {}
    offset = 0
    with opened(layer.folder / ROWS) as file:
        for line in file:
            question = str(json_of(line).get("question", ""))
            places[question] = (*places.get(question, ()), (offset, len(line)))
            offset += len(line)
    return Indexed(layer, places)
