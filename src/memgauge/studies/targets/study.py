"""The whole audit of some frozen runs: what every table, page and file says comes from this one value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memgauge.errors import ConfigError
from memgauge.records import Contract
from memgauge.results import ResultKind, result
from memgauge.scoring.card import TargetCard, card_of
from memgauge.studies.targets.answers import AnswerCells, answer_cells
from memgauge.studies.targets.ensembles import EnsembleRow, TargetAgreement, agreement, ensembles
from memgauge.studies.targets.groups import CategoryRow, CoverageBias, by_category, coverage_bias
from memgauge.studies.targets.lineup import TARGETS, AuditSpec, EvidenceUnit, line_up
from memgauge.studies.targets.parts import Parts, parts
from memgauge.studies.targets.placebo import Placebo, placebos
from memgauge.studies.targets.sets import SetRow, evidence_sets
from memgauge.studies.targets.shifts import Shift, TargetFlips, Transfer, flips, shifts, transfers
from memgauge.studies.targets.verdicts import PairVerdict, grid, verdicts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.datasets.base import Dataset
    from memgauge.runs.record.store import Run
    from memgauge.scoring.gold import GoldTable


@result
@dataclass(frozen=True)
class TargetAudit:
    """Everything that an audit found; plain values."""

    spec: AuditSpec
    dataset: str
    sha256: str
    runs: Mapping[str, str]
    """Label and folder."""
    unsupported: Mapping[str, str]
    """Runs of which nothing can be said, and why."""
    excluded: Mapping[str, int]
    """Questions left out, by reason."""
    asked: int
    """Questions that every run answered."""
    covered: int
    """Those of them that all three targets can score in every run that serves them."""
    contracts: int
    """Cells of the grid."""
    shifts: tuple[Shift, ...]
    flips: tuple[TargetFlips, ...]
    transfers: tuple[Transfer, ...]
    by_target: tuple[PairVerdict, ...]
    """Pairs of runs under the targets alone."""
    by_contract: tuple[PairVerdict, ...]
    """Pairs of runs under every contract of the grid."""
    ensembles: tuple[EnsembleRow, ...]
    agreement: tuple[TargetAgreement, ...]
    categories: tuple[CategoryRow, ...]
    coverage: tuple[CoverageBias, ...]
    parts: tuple[Parts, ...]
    placebos: tuple[Placebo, ...]
    sets: tuple[SetRow, ...]
    answers: tuple[AnswerCells, ...]
    cards: tuple[TargetCard, ...]

    @property
    def contract(self) -> str:
        """Name what every number is counted by, where a table does not say otherwise."""
        spec = self.spec
        return (
            f"{spec.metrics[0]}, credit={spec.credit}, coverage={spec.coverage}, ties={spec.ties}, "
            f"evidence={spec.evidence}, anchors={spec.anchors}, "
            f"questions={'answerable' if spec.answerable else 'all'}"
        )


AUDIT = ResultKind("targets", 1, TargetAudit, "memgauge study targets audit --out FOLDER")


def audit(runs: Sequence[Run], gold: GoldTable, dataset: Dataset, spec: AuditSpec | None = None) -> TargetAudit:
    """Audit frozen runs on one dataset; nothing is asked of any system.

    Raises:
        ConfigError: No run can be audited, or they share no question.
        IdentityError: A run was made on other data.
    """
    audit_spec = spec or AuditSpec()
    lineup = line_up(runs, gold, audit_spec, dataset)
    for target in audit_spec.own:
        if not any(audited.serves(target) for audited in lineup.runs):
            raise ConfigError(
                f"No run holds anything that the target {target!r} credits.",
                "Name forms that are stored, joined by + (`edge+node`), or `rule:NAME`.",
            )
    all_terms = grid(lineup)
    contract = Contract(
        credit=audit_spec.credit, coverage=audit_spec.coverage, ties=audit_spec.ties, evidence=audit_spec.evidence
    )
    return TargetAudit(
        spec=audit_spec,
        dataset=gold.identity.ref,
        sha256=gold.identity.sha256,
        runs={audited.label: str(audited.run.folder) for audited in lineup.runs},
        unsupported=lineup.unsupported,
        excluded=lineup.excluded,
        asked=int(lineup.inside.sum()),
        covered=int(lineup.shared(*TARGETS).sum()),
        contracts=len(all_terms),
        shifts=tuple(shifts(lineup)),
        flips=tuple(flips(lineup)),
        transfers=tuple(transfers(lineup)),
        by_target=tuple(verdicts(lineup, grid(lineup, whole=False))),
        by_contract=tuple(verdicts(lineup, all_terms)),
        ensembles=tuple(ensembles(lineup)),
        agreement=tuple(agreement(lineup)),
        categories=tuple(by_category(lineup)),
        coverage=tuple(coverage_bias(lineup)),
        parts=tuple(parts(lineup)),
        placebos=tuple(placebos(lineup, dataset)) if audit_spec.anchors is EvidenceUnit.TURN else (),
        sets=tuple(evidence_sets(lineup)),
        answers=tuple(answer_cells(lineup)),
        cards=tuple(card_of(audited.run, contract) for audited in lineup.runs),
    )
