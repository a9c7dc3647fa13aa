"""A run that was bundled without texts, told again the words that the dataset at hand holds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from memgauge.runs.record.lineage import digest, spelled
from memgauge.runs.record.store import Run

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from memgauge.records import Turn


def said_in(turns: Iterable[Turn]) -> dict[str, str]:
    """Return every turn in every form in which memories keep it word for word, by its hash."""
    return {digest(text): text for turn in turns for text in spelled([turn])}


@dataclass(frozen=True, eq=False)
class RetoldRun(Run):
    """A run whose hits have their words again; one whose hash is not that of a turn stays without."""

    said: Mapping[str, str] = field(default_factory=dict)
    """By hash."""

    def hits_of(self, questions: Sequence[str], depth: int) -> dict[str, list[dict[str, Any]]]:
        """Return hits as they were recorded, with the words that their hashes stand for."""
        hits = super().hits_of(questions, depth)
        rows = [hit for ranking in hits.values() for hit in ranking if hit["text"] is None]
        hashes = self.hashes_of(sorted({hit["memory_row"] for hit in rows}))
        for hit in rows:
            hit["text"] = self.said.get(hashes[hit["memory_row"]])
        return hits
