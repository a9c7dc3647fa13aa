"""The results of this study, as files know them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.results import ResultKind

if TYPE_CHECKING:
    from memgauge.studies.quality.gate import GateResult
    from memgauge.studies.quality.published import PublishedAudit
    from memgauge.studies.quality.study import Quality

QUALITY: ResultKind[Quality] = ResultKind(
    "quality", 1, "memgauge.studies.quality.study:Quality", "memgauge study quality run --out FOLDER"
)
GATE: ResultKind[GateResult] = ResultKind(
    "quality gate",
    1,
    "memgauge.studies.quality.gate:GateResult",
    "memgauge study quality gate RUN --baseline RUN --out FILE.json",
)
PUBLISHED: ResultKind[PublishedAudit] = ResultKind(
    "quality audit-table",
    1,
    "memgauge.studies.quality.published:PublishedAudit",
    "memgauge study quality audit-table --out FILE.json",
)
