"""The results of this study, as files know them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.results import ResultKind

if TYPE_CHECKING:
    from memgauge.studies.erasure.record import ErasureReport

ERASURE: ResultKind[ErasureReport] = ResultKind(
    "erasure",
    2,
    "memgauge.studies.erasure.record:ErasureReport",
    "memgauge study erasure report SYSTEM --out FOLDER",
)
