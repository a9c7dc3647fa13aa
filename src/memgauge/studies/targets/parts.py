"""Why a score shifts between targets: displacement, tickets, the norm, duplicates; each by rescoring alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from memgauge.measures import Trace, credit_of, find, parse
from memgauge.records import Credit, Target
from memgauge.results import result
from memgauge.scoring.targets import marked

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from memgauge.studies.targets.lineup import Audited, Lineup


@result
@dataclass(frozen=True)
class Parts:
    """One run: Canonical minus Raw, and what is left of it when one cause is taken away."""

    label: str
    n: int
    shift: float
    """Canonical - Raw as scored."""
    within_kind: float
    """The same with every list cut to one form and ranked anew: without the slots that the other form took."""
    size_matched: float
    """The same with each anchor's credit shared among its memories: without the chance of many tickets."""
    canonical_minus_source: float
    gains: float
    """The part of Canonical - Source that comes from gains: never positive."""
    norm: float
    """The part that comes from dividing by another ideal."""
    common_norm: float
    """Canonical - Source under one norm."""
    exceeding: int
    """Questions on which Canonical exceeds Source, which only the norm can do."""
    canonical_slots: float
    """Share of returned slots that hold derived memories."""
    canonical_stored: float
    """Their share of the store."""
    repeated: float
    """Share of slots that show no turn which an earlier slot had not."""


def parts(lineup: Lineup) -> list[Parts]:
    """Take apart the shift of every run that holds raw and derived memories."""
    mask = lineup.shared(Target.RAW, Target.SOURCE, Target.CANONICAL)
    serving = lineup.serving(Target.RAW, Target.CANONICAL) if mask.any() else []
    return [_parts(lineup, audited, mask) for audited in serving]


def _parts(lineup: Lineup, audited: Audited, mask: NDArray[np.bool_]) -> Parts:
    def mean(target: Target, credit: Credit | None = None) -> float:
        return float(audited.rows(target, credit=credit).values[mask].mean())

    gains, norm, exceeding = _split(lineup, audited, mask)
    alone = {target: _alone(lineup, audited, target, mask) for target in (Target.RAW, Target.CANONICAL)}
    is_derived = marked(audited.run, Target.CANONICAL)
    slots = is_derived[audited.trace.memory]
    return Parts(
        label=audited.label,
        n=int(mask.sum()),
        shift=mean(Target.CANONICAL) - mean(Target.RAW),
        within_kind=alone[Target.CANONICAL] - alone[Target.RAW],
        size_matched=mean(Target.CANONICAL, Credit.SIZE_MATCHED) - mean(Target.RAW, Credit.SIZE_MATCHED),
        canonical_minus_source=mean(Target.CANONICAL) - mean(Target.SOURCE),
        gains=gains,
        norm=norm,
        common_norm=mean(Target.CANONICAL, Credit.ANCHOR_CN) - mean(Target.SOURCE, Credit.ANCHOR_CN),
        exceeding=exceeding,
        canonical_slots=float(slots.mean()) if len(slots) else 0.0,
        canonical_stored=float(is_derived.mean()) if len(is_derived) else 0.0,
        repeated=repeated_slots(audited),
    )


def _split(lineup: Lineup, audited: Audited, mask: NDArray[np.bool_]) -> tuple[float, float, int]:
    """Split Canonical - Source exactly: (DCG_c - DCG_s) / I_s and DCG_c (1 / I_c - 1 / I_s) (targets.md, 6.2)."""
    discount = 1.0 / np.log2(np.arange(2.0, lineup.spec.k + 2.0))
    sums = {}
    for target in (Target.SOURCE, Target.CANONICAL):
        judged_target = audited.judged(target)
        sums[target] = (judged_target.gains @ discount)[mask], (judged_target.ideal @ discount)[mask]
    (dcg_s, ideal_s), (dcg_c, ideal_c) = sums[Target.SOURCE], sums[Target.CANONICAL]
    gains, norm = (dcg_c - dcg_s) / ideal_s, dcg_c * (1 / ideal_c - 1 / ideal_s)
    return float(gains.mean()), float(norm.mean()), int((dcg_c / ideal_c > dcg_s / ideal_s + 1e-12).sum())


def _alone(lineup: Lineup, audited: Audited, target: Target, mask: NDArray[np.bool_]) -> float:
    """Score the same lists with all other forms taken out, so that what is left moves up."""
    form = marked(audited.run, target)
    is_form = form[audited.trace.memory]
    trace = Trace(audited.trace.query[is_form], audited.trace.memory[is_form], audited.trace.n_queries)
    anchors = lineup.gold.anchors(lineup.spec.evidence)
    hits = find(trace, audited.lineage, anchors, k=lineup.spec.k, credited=form)
    judged_target = credit_of(hits, lineup.spec.credit, lineup.spec.coverage, source=hits)
    return float(parse(lineup.spec.metrics[0]).rows(judged_target).values[mask].mean())


def repeated_slots(audited: Audited) -> float:
    """Return the share of slots whose turns had all been shown, in any form, by better slots of the same list."""
    sources: Mapping[int, frozenset[str]] = {
        int(memory): frozenset(audited.run.memories["sources"][memory])
        for memory in np.unique(audited.trace.memory)
    }
    n_repeated, question, shown_turns = 0, -1, set[str]()
    for query, memory in zip(audited.trace.query.tolist(), audited.trace.memory.tolist(), strict=True):
        if query != question:
            question, shown_turns = query, set()
        memory_turns = sources[memory]
        n_repeated += bool(memory_turns) and memory_turns <= shown_turns
        shown_turns |= memory_turns
    return n_repeated / len(audited.trace.query) if len(audited.trace.query) else 0.0
