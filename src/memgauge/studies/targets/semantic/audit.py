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
    lower = {case: _lower(votes, majority[case]) for case, votes in _votes(labels).items()}
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
        lower=_row("ties down", "all", ARMS[0], contested, lower) if len(voters) > 1 else None,
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
    valid = [vote for vote in votes if vote not in OPEN]
    if decision not in OPEN or not valid:
        return decision
    most = max(valid.count(vote) for vote in valid)
    return [grade for grade in SUPPORT.grades if valid.count(grade) == most][-1]


def _rows(judge: str, labels: Mapping[str, str], cases: Sequence[SupportCase]) -> list[ArmRow]:
    """Return the rows of one judge: every arm, and contested cases by category and rank."""
    rows = []
    for arm in ARMS:
        inside = [case for case in cases if case.arm == arm]
        parts = {"all": inside}
        if arm == ARMS[0]:
            parts |= {
                name: [c for c in inside if c.category == name] for name in sorted({c.category for c in inside})
            }
            parts |= {
                f"rank {low}-{min(high, 60)}": [c for c in inside if low <= c.rank <= high] for low, high in STRATA
            }
        rows += [_row(judge, part, arm, chosen, labels) for part, chosen in parts.items() if chosen]
    return [row for row in rows if row.labelled or row.open]


def _row(judge: str, part: str, arm: str, chosen: Sequence[SupportCase], labels: Mapping[str, str]) -> ArmRow:
    labelled = [case for case in chosen if labels.get(case.id, "") in SUPPORT.grades]
    unclear = Counter(labels[case.id] for case in chosen if labels.get(case.id) in OPEN)
    shares = {}
    if labelled:
        values = np.array(
            [[labels[c.id] == grade for grade in SUPPORT.grades] for c in labelled], dtype=np.float64
        )
        means = estimates(values, Clusters.of([c.conversation for c in labelled]), shares=True)
        shares = {grade: mean.interval for grade, mean in zip(SUPPORT.grades, means, strict=True)}
    return ArmRow(judge, arm, part, len(chosen), len(labelled), shares, dict(sorted(unclear.items())))


def _ratings(
    by_judge: Mapping[str, Mapping[str, str]], judges: Sequence[str], conversations: Mapping[str, str]
) -> tuple[npt.NDArray[np.int64], list[str]]:
    """Lay out as (cases, judges) what every judge decided, and name the conversation of each case."""
    number = {grade: n for n, grade in enumerate(reversed(SUPPORT.grades))}
    cases = sorted({case for judge in judges for case in by_judge[judge]})
    rows = [[number.get(by_judge[judge].get(case, ""), MISSING) for judge in judges] for case in cases]
    ratings = np.array(rows, dtype=np.int64).reshape(len(cases), len(judges))
    whole = (ratings != MISSING).all(axis=1)
    clusters = [conversations.get(case, "") for case, complete in zip(cases, whole, strict=True) if complete]
    return ratings[whole], clusters


def _pair(a: str, b: str, by_judge: Mapping[str, Mapping[str, str]], conversations: Mapping[str, str]) -> PairRow:
    both, clusters = _ratings(by_judge, [a, b], conversations)
    binary = (both > 0).astype(np.int64)
    alike, alike_binary = (
        float((each[:, 0] == each[:, 1]).mean()) if len(each) else None for each in (both, binary)
    )
    return PairRow(a, b, len(both), alike, alike_binary, _interval(both, clusters), _interval(binary, clusters))


def _interval(ratings: npt.NDArray[np.int64], clusters: Sequence[str], *, fleiss: bool = False) -> Interval:
    if not len(ratings) or ratings.shape[1] < 2:
        return Interval(None, None, None, 0, "no case was decided by two")
    return agreement_interval(ratings, fleiss_kappa if fleiss else cohen_kappa, clusters)
