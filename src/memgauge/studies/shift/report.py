"""What is kept of a shift study: everything that its document says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from memgauge.datasets.base import DatasetIdentity
from memgauge.results import ResultKind, result
from memgauge.studies.shift.findings.answering import AnswerCheck
from memgauge.studies.shift.findings.result import ShiftResult
from memgauge.studies.shift.findings.sensitivity import DefinitionResult
from memgauge.studies.shift.protocol.spec import ShiftSpec


@result
@dataclass(frozen=True)
class FrozenPlay:
    """Where what one policy found under one burst length is kept."""

    policy: str
    burst: int
    folder: str


@result
@dataclass(frozen=True)
class ShiftReport:
    """One reading of the protocol, played."""

    dataset: DatasetIdentity
    preset: str
    memgauge: str
    """The version that played."""
    spec: ShiftSpec
    result: ShiftResult
    answers: AnswerCheck | None
    readings: tuple[DefinitionResult, ...]
    """What every other definition finds, where that was asked for."""
    evidence: int
    """Entries of evidence in the dataset."""
    unmatched: int
    """Of which nothing was found in the conversation."""
    short: int
    """Bursts that had to be shorter than the longest m."""
    left_out: str
    """Who could not take part and why; empty where everybody did."""
    seconds: Mapping[str, float]
    """CPU seconds by part."""
    runs: tuple[FrozenPlay, ...]
    embedder: str = ""
    """Whose sentence vectors simulated policies saw; empty where they saw none."""

    @property
    def like_published(self) -> bool:
        """Whether the published numbers are of the same thing: LoCoMo in any variant, at the paper's depths."""
        return self.dataset.name == "locomo" and (self.spec.k, self.spec.horizon) == (5, 5)


SHIFT = ResultKind("shift", 1, ShiftReport, "memgauge study shift run --out FOLDER")


@result
@dataclass(frozen=True)
class SensitivityReport:
    """What every definition that the paper leaves open finds."""

    dataset: DatasetIdentity
    burst: int
    horizon: int
    seed: int
    memgauge: str
    """The version that played."""
    readings: tuple[DefinitionResult, ...]


SENSITIVITY = ResultKind(
    "shift sensitivity", 1, SensitivityReport, "memgauge study shift sensitivity --out FOLDER"
)
