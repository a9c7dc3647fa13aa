"""A semantic audit with the runs that were scored by it."""

from __future__ import annotations

from dataclasses import dataclass

from memgauge.results import result
from memgauge.studies.targets.semantic.audit import SupportAudit
from memgauge.studies.targets.semantic.graded import Graded


@result
@dataclass(frozen=True)
class SupportReport:
    """What judges said of the cases, and what that makes of the runs."""

    support: SupportAudit
    graded: tuple[Graded, ...]
