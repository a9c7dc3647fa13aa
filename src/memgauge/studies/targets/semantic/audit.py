"""What judges say of the cases: shares by arm, agreement, and what each denominator hides (tables 3, 6, 13)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from memgauge.llm.judges.rubrics import OPEN, SUPPORT, decide
from memgauge.results import result
from memgauge.stats import Clusters, Interval, estimates
from memgauge.stats.agreement import MISSING, agreement_interval, cohen_kappa, fleiss_kappa
from memgauge.studies.targets.semantic.cases import ARMS, STRATA
from memgauge.studies.targets.semantic.labels import PERSON

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from memgauge.studies.targets.semantic.cases import SupportCase
    from memgauge.studies.targets.semantic.labels import CaseLabel

ALL = "majority"


@result
@dataclass(frozen=True)
class ArmRow:
    """What one judge, or the majority, says of one arm or of a part of it."""

    judge: str
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
    """Two judges on the cases that both decided."""

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
class SupportAudit:
    """The whole semantic audit."""

    cases: Mapping[str, int]
    """By arm."""
    judges: tuple[str, ...]
    quorum: int
    common: int
    """Cases that every judge decided."""
    rows: tuple[ArmRow, ...]
    pairs: tuple[PairRow, ...]
    fleiss: Interval
    """Over the cases that every judge decided."""
    lower: ArmRow | None
    """Contested cases with ties decided for the lower support."""


def support_audit(cases: Sequence[SupportCase], labels: Sequence[CaseLabel], quorum: int = 1) -> SupportAudit:
    """Summarise labels; people are judges like others, but not part of the majority."""
    by_judge: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for label in labels:
        by_judge[label.judge][label.case] = label.label
    judges = sorted(by_judge)
    voters = [judge for judge in judges if not judge.startswith(PERSON)]
    majority = decided(labels, quorum)
    ties_down = {case: _lower(votes, majority[case]) for case, votes in _votes(labels).items()}
    by_voice = {ALL: majority, **by_judge} if len(voters) > 1 else dict(by_judge)
    contested = [case for case in cases if case.arm == ARMS[0]]
    conversations = {case.id: case.conversation for case in cases}
    common = _ratings(by_judge, voters, conversations)
    return SupportAudit(
        cases=dict(Counter(case.arm for case in cases)),
        judges=tuple(judges),
        quorum=quorum,
        common=len(common[0]),
        rows=tuple(row for judge in by_voice for row in _rows(judge, by_voice[judge], cases)),
        pairs=tuple(_pair(a, b, by_judge, conversations) for a, b in combinations(judges, 2)),
        fleiss=_interval(*common, fleiss=True),
        lower=_row("ties down", "all", ARMS[0], contested, ties_down) if len(voters) > 1 else None,
    )


def decided(labels: Sequence[CaseLabel], quorum: int = 1) -> dict[str, str]:
    """Return what the majority of models and heuristics says of every case that any of them labelled."""
    return {case: str(decide(votes, quorum)) for case, votes in _votes(labels).items()}


def _votes(labels: Sequence[CaseLabel]) -> dict[str, list[str]]:
    votes: defaultdict[str, list[str]] = defaultdict(list)
    for label in labels:
        if not label.judge.startswith(PERSON):
            votes[label.case].append(label.label)
    return dict(votes)


def _lower(votes: Sequence[str], decision: str) -> str:
    """Decide a tie for the lower support."""
    valid_votes = [vote for vote in votes if vote not in OPEN]
    if decision not in OPEN or not valid_votes:
        return decision
    most_votes = max(valid_votes.count(vote) for vote in valid_votes)
    return [grade for grade in SUPPORT.grades if valid_votes.count(grade) == most_votes][-1]


def _rows(judge: str, labels: Mapping[str, str], cases: Sequence[SupportCase]) -> list[ArmRow]:
    """Return the rows of one judge: every arm, and contested cases by category and rank."""
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
        rows += [_row(judge, part, arm, part_cases, labels) for part, part_cases in parts.items() if part_cases]
    return [row for row in rows if row.labelled or row.open]


def _row(judge: str, part: str, arm: str, part_cases: Sequence[SupportCase], labels: Mapping[str, str]) -> ArmRow:
    labelled_cases = [case for case in part_cases if labels.get(case.id, "") in SUPPORT.grades]
    unclear = Counter(labels[case.id] for case in part_cases if labels.get(case.id) in OPEN)
    shares = {}
    if labelled_cases:
        values = np.array(
            [[labels[c.id] == grade for grade in SUPPORT.grades] for c in labelled_cases], dtype=np.float64
        )
        means = estimates(values, Clusters.of([c.conversation for c in labelled_cases]), shares=True)
        shares = {grade: mean.interval for grade, mean in zip(SUPPORT.grades, means, strict=True)}
    return ArmRow(judge, arm, part, len(part_cases), len(labelled_cases), shares, dict(sorted(unclear.items())))


def _ratings(
    by_judge: Mapping[str, Mapping[str, str]], judges: Sequence[str], conversations: Mapping[str, str]
) -> tuple[npt.NDArray[np.int64], list[str]]:
    """Lay out as (cases, judges) what every judge decided, and name the conversation of each case."""
    number = {grade: n for n, grade in enumerate(reversed(SUPPORT.grades))}
    cases = sorted({case for judge in judges for case in by_judge[judge]})
    rows = [[number.get(by_judge[judge].get(case, ""), MISSING) for judge in judges] for case in cases]
    ratings = np.array(rows, dtype=np.int64).reshape(len(cases), len(judges))
    is_complete = (ratings != MISSING).all(axis=1)
    clusters = [conversations.get(case, "") for case, complete in zip(cases, is_complete, strict=True) if complete]
    return ratings[is_complete], clusters


def _pair(a: str, b: str, by_judge: Mapping[str, Mapping[str, str]], conversations: Mapping[str, str]) -> PairRow:
    shared_ratings, clusters = _ratings(by_judge, [a, b], conversations)
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
