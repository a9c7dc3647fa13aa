"""What verification hands on: every finding, the level that was reached, and who signed. Values only."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from memgauge.records import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class Assurance(StrEnum):
    """How much of a run was shown to hold, from nothing to everything."""

    FAILED = "failed"
    """Something contradicts the seal, the data, or itself."""
    PARTIAL = "partial"
    """Nothing contradicts, but something could not be checked."""
    CONSISTENT = "consistent"
    """Files, checksums, identity, tables, rows, layers and texts agree with the seal and each other."""
    RECOMPUTED = "recomputed"
    """And every score file follows from the rows and the dataset at hand."""
    REPEATED = "repeated"
    """And the system was played again on the dataset at hand, and gave the same content."""

    @property
    def rank(self) -> int:
        """Return the place of a level in their order."""
        return tuple(Assurance).index(self)


class Reach(StrEnum):
    """What a finding shows where it passes."""

    CONSISTENT = "consistent"
    RECOMPUTED = "recomputed"
    REPEATED = "repeated"
    SIGNED = "signed"


@dataclass(frozen=True)
class Finding:
    """What was found about one file or one claim."""

    subject: str
    verdict: Verdict
    """``pass``, ``fail``, ``unsupported`` where it could not be checked, ``vacuous`` where nothing was there."""
    detail: str = ""
    reach: Reach = Reach.CONSISTENT


@dataclass(frozen=True)
class Verification:
    """What is known of one run after it was checked."""

    findings: tuple[Finding, ...]
    signers: tuple[str, ...] = ()
    """Whom the reader trusts and who signed this run as it is."""
    unsigned: tuple[str, ...] = ()
    """Layers that nobody trusted signed; what a model said cannot be repeated."""

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    @property
    def level(self) -> Assurance:
        """Return the highest level that everything checked supports."""
        verdicts = {finding.verdict for finding in self.findings}
        if Verdict.FAIL in verdicts:
            return Assurance.FAILED
        if Verdict.UNSUPPORTED in verdicts:
            return Assurance.PARTIAL
        shown = {finding.reach for finding in self.findings if finding.verdict is Verdict.PASS}
        return next(
            (level for level in (Assurance.REPEATED, Assurance.RECOMPUTED) if Reach(level) in shown),
            Assurance.CONSISTENT,
        )

    @property
    def origin(self) -> bool:
        """Whether it is known where record and layers come from: played again here, or signed by the trusted."""
        return (self.level is Assurance.REPEATED or bool(self.signers)) and not self.unsigned

    @property
    def verified(self) -> bool:
        """Whether nothing failed, nothing stayed unchecked, and the origin of the record is known."""
        return self.level.rank >= Assurance.CONSISTENT.rank and self.origin

    @property
    def sentence(self) -> str:
        """Say what was shown, and never more."""
        signed = f", signed by {', '.join(self.signers)}" if self.signers else ""
        if self.level is Assurance.FAILED:
            return "FAILED"
        if self.level is Assurance.PARTIAL:
            return f"partial{signed}: something could not be checked"
        if self.origin:
            return f"verified: {self.level}{signed}"
        if self.level is Assurance.REPEATED or self.signers:
            return f"{self.level}{signed}, with layers of unknown origin: {', '.join(self.unsigned)}"
        return f"{self.level}, origin unknown: it agrees with itself, and nothing here shows who made it"

    @property
    def data(self) -> dict[str, Any]:
        """Return everything as JSON-ready data."""
        return {
            "level": str(self.level),
            "verified": self.verified,
            "origin": self.origin,
            "signers": list(self.signers),
            "unsigned": list(self.unsigned),
            "sentence": self.sentence,
            "findings": [asdict(finding) for finding in self.findings],
        }


def passed(findings: Iterable[Finding]) -> bool:
    """Whether nothing failed, which is less than verified: ask for the level."""
    return all(finding.verdict is not Verdict.FAIL for finding in findings)
