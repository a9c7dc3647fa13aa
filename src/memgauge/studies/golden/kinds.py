"""The results of this study, as files know them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.results import ResultKind

if TYPE_CHECKING:
    from memgauge.studies.golden.outcome import GoldenOutcome

GOLDEN: ResultKind[GoldenOutcome] = ResultKind(
    "golden", 1, "memgauge.studies.golden.outcome:GoldenOutcome", "memgauge study golden run --out FOLDER"
)
