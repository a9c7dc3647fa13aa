"""What a preflight found: a row a rule."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from memgauge.records import Verdict
from memgauge.results import ResultKind, result


@result
@dataclass(frozen=True, slots=True)
class PreflightRow:
    """How one rule fared."""

    key: str
    title: str
    verdict: Verdict
    """``error``: it could not be looked at, because of another row; ``vacuous``: it was not tried."""
    detail: str
    rule: str
    sure: int
    """How many say so: 1 one, 2 two to four, 3 five or more, or somebody saw it happen."""
    then: str
    """What the platform does where it is broken."""
    remedy: str
    figures: Mapping[str, float] = field(default_factory=dict)


@result
@dataclass(frozen=True, slots=True)
class PreflightReport:
    """What one server was found to do."""

    address: str
    is_private: bool
    """Whether the platform would refuse the address."""
    cycle: int
    prefix: str
    """How every ``user_id`` that was used begins."""
    timeout_s: float
    calls: int
    rows: tuple[PreflightRow, ...]

    @property
    def failed(self) -> tuple[PreflightRow, ...]:
        """Return the rows that are red."""
        return tuple(row for row in self.rows if row.verdict is Verdict.FAIL)

    @property
    def green(self) -> bool:
        """Whether everything that was tried is as the contract says."""
        return all(row.verdict not in {Verdict.FAIL, Verdict.ERROR} for row in self.rows)


PREFLIGHT: ResultKind[PreflightReport] = ResultKind(
    "preflight", 1, PreflightReport, "memgauge systems preflight URL --out FILE.json"
)
