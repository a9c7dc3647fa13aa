"""A small shift study, as the analysis would hand it over, and what is kept of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from memgauge.datasets.base import DatasetIdentity
from memgauge.studies.shift.findings.analysis import analyse
from memgauge.studies.shift.findings.sensitivity import DefinitionResult
from memgauge.studies.shift.play.outcomes import Outcomes
from memgauge.studies.shift.protocol.spec import ShiftSpec
from memgauge.studies.shift.report import FrozenPlay, ShiftReport

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memgauge.studies.shift.findings.result import ShiftResult

RATES: Mapping[str, tuple[float, float]] = {
    "flat": (0.60, 0.30),
    "gated": (0.50, 0.28),
    "hsr": (0.48, 0.48),
    "raptor": (0.62, 0.26),
    "fusion": (0.75, 0.31),
}
"""Hit rates on the clean stream and after any burst."""


def outcomes(
    rates: Mapping[str, tuple[float, float]] = RATES,
    bursts: tuple[int, ...] = (0, 50, 100),
    conversations: int = 6,
    **knobs: int,
) -> Outcomes:
    """Draw hits at the given rates: four sessions a conversation, ten questions a session."""
    rng = np.random.default_rng(5)
    n = 40 * conversations
    return Outcomes(
        spec=ShiftSpec(bursts=bursts, **knobs),  # type: ignore[arg-type] # whole numbers only
        policies=tuple(rates),
        questions=tuple(f"q{i}" for i in range(n)),
        conversation=np.repeat(np.arange(conversations), 40).astype(np.int32),
        segment=np.tile(np.repeat(np.arange(4), 10), conversations).astype(np.int32),
        order=np.tile(np.arange(1, 11), conversations * 4).astype(np.int32),
        hits=np.stack([[rng.random(n) < pair[bool(m)] for m in bursts] for pair in rates.values()]),
    )


def study(
    rates: Mapping[str, tuple[float, float]] = RATES, bursts: tuple[int, ...] = (0, 50, 100), **knobs: int
) -> tuple[ShiftResult, ShiftSpec]:
    """Analyse drawn hits."""
    drawn = outcomes(rates, bursts, **knobs)
    return analyse(drawn, draws=200), drawn.spec


READINGS = (
    DefinitionResult("as published", {"flat": 0.6, "hsr": 0.5}, {"flat": 0.3, "hsr": 0.5}, 1.0, -1.0),
    DefinitionResult("filed like turns", {"flat": 0.6, "hsr": 0.5}, {"flat": 0.31, "hsr": 0.29}, 0.0, 1.0),
    DefinitionResult("all alike", {"flat": 0.6, "hsr": 0.6}, {"flat": 0.4, "hsr": 0.4}, 0.0, None),
)


def reported(
    result: ShiftResult,
    spec: ShiftSpec,
    *,
    dataset: str = "locomo:captions=false",
    readings: tuple[DefinitionResult, ...] = READINGS,
    left_out: str = "Only six conversations.",
) -> ShiftReport:
    """Keep a study as if it had been played on a dataset."""
    return ShiftReport(
        dataset=DatasetIdentity(dataset, dataset.partition(":")[0], "0" * 64),
        preset="paper",
        memgauge="1.0",
        spec=spec,
        result=result,
        answers=None,
        readings=readings,
        evidence=250,
        unmatched=10,
        short=0,
        left_out=left_out,
        seconds={"stream": 0.5},
        runs=(FrozenPlay("flat", 0, "runs/flat"),),
    )
