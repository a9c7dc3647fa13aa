"""The results of this study, as files know them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.results import ResultKind

if TYPE_CHECKING:
    from memgauge.studies.shift.report import SensitivityReport, ShiftReport

SHIFT: ResultKind[ShiftReport] = ResultKind(
    "shift", 1, "memgauge.studies.shift.report:ShiftReport", "memgauge study shift run --out FOLDER"
)
SENSITIVITY: ResultKind[SensitivityReport] = ResultKind(
    "shift sensitivity",
    1,
    "memgauge.studies.shift.report:SensitivityReport",
    "memgauge study shift sensitivity --out FOLDER",
)
