"""Whether credit goes with answers: who was answered better where Raw and Canonical disagree (table 12)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memgauge.records import Contract, Target
from memgauge.results import result
from memgauge.runs.layers.layer import layers
from memgauge.scoring.answered import answer_column

if TYPE_CHECKING:
    from memgauge.studies.targets.lineup import Lineup

STRONG = 0.5
"""Token F1 from which an answer is strong."""


@result
@dataclass(frozen=True)
class AnswerCells:
    """One layer of answers by which target calls the retrieval a hit."""

    label: str
    answers: str
    """Who answered."""
    n: Mapping[str, int]
    f1: Mapping[str, float | None]
    """Mean token F1."""
    strong: Mapping[str, float | None]
    """Share of answers with an F1 of 0.5 or more."""


def answer_cells(lineup: Lineup) -> list[AnswerCells]:
    """Split every layer of answers of every run; runs without answers have no row."""
    mask = lineup.shared(Target.RAW, Target.CANONICAL)
    hit = f"Hit@{lineup.spec.k}"
    cells = []
    for audited in lineup.serving(Target.CANONICAL):
        raw, canonical = (audited.rows(target, hit).values > 0 for target in (Target.RAW, Target.CANONICAL))
        groups = {
            "raw only": raw & ~canonical,
            "canonical only": ~raw & canonical,
            "both": raw & canonical,
            "neither": ~raw & ~canonical,
        }
        for layer in layers(audited.run, "answers"):
            column = answer_column(layer.rows(), lineup.gold, Contract(), "F1").rows
            parts = {name: column.values[group & mask & column.defined] for name, group in groups.items()}
            cells.append(
                AnswerCells(
                    audited.label,
                    layer.manifest.label,
                    {name: len(values) for name, values in parts.items()},
                    {name: float(values.mean()) if len(values) else None for name, values in parts.items()},
                    {
                        name: float((values >= STRONG).mean()) if len(values) else None
                        for name, values in parts.items()
                    },
                )
            )
    return cells
