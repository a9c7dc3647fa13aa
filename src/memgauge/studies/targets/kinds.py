"""The results of this study, as files know them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.results import ResultKind

if TYPE_CHECKING:
    from memgauge.studies.targets.semantic.report import SupportReport
    from memgauge.studies.targets.study import TargetAudit

AUDIT: ResultKind[TargetAudit] = ResultKind(
    "targets", 1, "memgauge.studies.targets.study:TargetAudit", "memgauge study targets audit --out FOLDER"
)
SUPPORT: ResultKind[SupportReport] = ResultKind(
    "targets support",
    1,
    "memgauge.studies.targets.semantic.report:SupportReport",
    "memgauge study targets support FOLDER --out FOLDER",
)
