"""The results of this study, as files know them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.results import ResultKind

if TYPE_CHECKING:
    from memgauge.studies.targets.semantic.report import SupportReport
    from memgauge.studies.targets.study import Audit

AUDIT: ResultKind[Audit] = ResultKind(
    "targets", 1, "memgauge.studies.targets.study:Audit", "memgauge targets audit --out FOLDER"
)
SUPPORT: ResultKind[SupportReport] = ResultKind(
    "targets support",
    1,
    "memgauge.studies.targets.semantic.report:SupportReport",
    "memgauge targets support FOLDER --out FOLDER",
)
