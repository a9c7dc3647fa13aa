"""The result of measuring systems, as files know it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.results import ResultKind

if TYPE_CHECKING:
    from memgauge.systems.conformance.matrix import SystemsMatrix

MATRIX: ResultKind[SystemsMatrix] = ResultKind(
    "systems matrix",
    1,
    "memgauge.systems.conformance.matrix:SystemsMatrix",
    "memgauge systems card NAME --out FILE.json",
)
