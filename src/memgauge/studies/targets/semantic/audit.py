"""What raters say of the cases: shares by arm, agreement, and what each denominator hides (tables 3, 6, 13)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from memgauge.llm.judges.rubrics import OPEN, SUPPORT
from memgauge.results import result
from memgauge.stats import Clusters, Interval, estimates
from memgauge.stats.agreement import MISSING, agreement_interval, cohen_kappa, fleiss_kappa
from memgauge.studies.targets.semantic.cases import ARMS, STRATA, distinct
from memgauge.studies.targets.semantic.raters import GROUPS, grouped, ties_down, voices

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from memgauge.studies.targets.semantic.cases import SupportCase
    from memgauge.studies.targets.semantic.labels import CaseLabel

EVERYBODY = "everybody"


@result
@dataclass(frozen=True)
class ArmRow:
    """What one rater, or the majority of a group, says of one arm or of a part of it."""

    rater: str
    arm: str
    part: str
    """All of it, a category, or a range of ranks."""
    cases: int
    labelled: int
    shares: Mapping[str, Interval]
    """Of the labelled, by label; intervals over conversations."""
    open: Mapping[str, int]
    """Not decided, by why: invalid or a tie."""


@result
@dataclass(frozen=True)
class PairRow:
    """Two raters on the cases that both decided."""

    a: str
    b: str
    n: int
    alike: float | None
    alike_binary: float | None
    """With supports and partial as one."""
    kappa: Interval
    kappa_binary: Interval


@result
@dataclass(frozen=True)
class GroupAgreement:
    """The raters of one group, or all of them, on the cases that each of them decided."""

    group: str
    raters: int
    n: int
    fleiss: Interval


@result
@dataclass(frozen=True)
class SupportAudit:
    """The whole semantic audit."""

    cases: Mapping[str, int]
    """By arm."""
    raters: Mapping[str, tuple[str, ...]]
    """By group: people, judges, heuristics."""
    voices: tuple[str, ...]
    """Whose shares are told, the one to be believed first: a group by its majority, or its only rater."""
    quorum: int
    unknown: tuple[str, ...]
    """Cases that labels name and that are not among the cases."""
    rows: tuple[ArmRow, ...]
    pairs: tuple[PairRow, ...]
    agreement: tuple[GroupAgreement, ...]
    """Of every group of more than one rater, and of all where there are several groups."""
    lower: ArmRow | None
    """Contested cases with ties of the first voice decided for the lower support."""


def support_audit(cases: Sequence[SupportCase], labels: Sequence[CaseLabel], quorum: int = 1) -> SupportAudit:
    """Summarise labels; people, judges and heuristics decide apart, and labels of other cases are only named."""
    cases_once = distinct(cases)
    conversations = {case.id: case.conversation for case in cases_once}
    known_labels = [label for label in labels if label.case in conversations]
    by_rater: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for label in known_labels:
        by_rater[label.judge][label.case] = label.label
    raters, by_voice = grouped(by_rater), voices(known_labels, quorum)
    return SupportAudit(
        cases=dict(Counter(case.arm for case in cases_once)),
        raters={group: tuple(names) for group, names in raters.items()},
        voices=tuple(by_voice),
        quorum=quorum,
        unknown=tuple(dict.fromkeys(label.case for label in labels if label.case not in conversations)),
        rows=tuple(
            row
            for name, labelled in {**by_voice, **by_rater, **by_voice}.items()  # voices first, as they decide
            for row in _rows(name, labelled, cases_once)
        ),
        pairs=tuple(
            _pair(a, b, by_rater, conversations)
            for a, b in combinations([rater for names in raters.values() for rater in names], 2)
        ),
        agreement=tuple(_group_agreements(raters, by_rater, conversations)),
        lower=_lower(cases_once, known_labels, quorum),
    )


def _group_agreements(
    raters: Mapping[str, Sequence[str]],
    by_rater: Mapping[str, Mapping[str, str]],
    conversations: Mapping[str, str],
) -> list[GroupAgreement]:
    everybody = [rater for names in raters.values() for rater in names]
    rows = []
    for group, names in {**raters, **({EVERYBODY: everybody} if len(raters) > 1 else {})}.items():
        if len(names) > 1:
            ratings, clusters = _ratings(by_rater, names, conversations)
            rows.append(GroupAgreement(group, len(names), len(ratings), _interval(ratings, clusters, fleiss=True)))
    return rows


def _lower(cases: Sequence[SupportCase], labels: Sequence[CaseLabel], quorum: int) -> ArmRow | None:
    """Return contested cases with ties of the first group decided downwards; ``None`` where it is one rater."""
    first, raters = next(iter(grouped(label.judge for label in labels).items()), (GROUPS[0], []))
    if len(raters) < 2:
        return None
    contested = [case for case in cases if case.arm == ARMS[0]]
    return _row("ties down", "all", ARMS[0], contested, ties_down(first, labels, quorum))


def _rows(rater: str, labels: Mapping[str, str], cases: Sequence[SupportCase]) -> list[ArmRow]:
    """Return the rows of one rater: every arm, and contested cases by category and rank."""
    rows = []
    for arm in ARMS:
        arm_cases = [case for case in cases if case.arm == arm]
        parts = {"all": arm_cases}
        if arm == ARMS[0]:
            parts |= {
                name: [c for c in arm_cases if c.category == name]
                for name in sorted({c.category for c in arm_cases})
            }
            parts |= {
                f"rank {low}-{min(high, 60)}": [c for c in arm_cases if low <= c.rank <= high]
                for low, high in STRATA
            }
        rows += [_row(rater, part, arm, part_cases, labels) for part, part_cases in parts.items() if part_cases]
    return [row for row in rows if row.labelled or row.open]


def _row(rater: str, part: str, arm: str, part_cases: Sequence[SupportCase], labels: Mapping[str, str]) -> ArmRow:
    labelled_cases = [case for case in part_cases if labels.get(case.id, "") in SUPPORT.grades]
    unclear = Counter(labels[case.id] for case in part_cases if labels.get(case.id) in OPEN)
    shares = {}
    if labelled_cases:
        values = np.array(
            [[labels[c.id] == grade for grade in SUPPORT.grades] for c in labelled_cases], dtype=np.float64
        )
        means = estimates(values, Clusters.of([c.conversation for c in labelled_cases]), shares=True)
        shares = {grade: mean.interval for grade, mean in zip(SUPPORT.grades, means, strict=True)}
    return ArmRow(rater, arm, part, len(part_cases), len(labelled_cases), shares, dict(sorted(unclear.items())))


def _ratings(
    by_rater: Mapping[str, Mapping[str, str]], raters: Sequence[str], conversations: Mapping[str, str]
) -> tuple[npt.NDArray[np.int64], list[str]]:
    """Lay out as (cases, raters) what every rater decided, and name the conversation of each case."""
    number = {grade: n for n, grade in enumerate(reversed(SUPPORT.grades))}
    cases = sorted({case for rater in raters for case in by_rater[rater]})
    rows = [[number.get(by_rater[rater].get(case, ""), MISSING) for rater in raters] for case in cases]
    ratings = np.array(rows, dtype=np.int64).reshape(len(cases), len(raters))
    is_complete = (ratings != MISSING).all(axis=1)
    clusters = [conversations.get(case, "") for case, complete in zip(cases, is_complete, strict=True) if complete]
    return ratings[is_complete], clusters


def _pair(a: str, b: str, by_rater: Mapping[str, Mapping[str, str]], conversations: Mapping[str, str]) -> PairRow:
    shared_ratings, clusters = _ratings(by_rater, [a, b], conversations)
    binary = (shared_ratings > 0).astype(np.int64)
    alike, alike_binary = (
        float((pair_ratings[:, 0] == pair_ratings[:, 1]).mean()) if len(pair_ratings) else None
        for pair_ratings in (shared_ratings, binary)
    )
    return PairRow(
        a,
        b,
        len(shared_ratings),
        alike,
        alike_binary,
        _interval(shared_ratings, clusters),
        _interval(binary, clusters),
    )


def _interval(ratings: npt.NDArray[np.int64], clusters: Sequence[str], *, fleiss: bool = False) -> Interval:
    if not len(ratings) or ratings.shape[1] < 2:
        return Interval(None, None, None, 0, "no case was decided by two")
    return agreement_interval(ratings, fleiss_kappa if fleiss else cohen_kappa, clusters)
