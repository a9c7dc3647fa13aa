"""The certificate of a judge: what it accepts and rejects among answers of which it is known."""

from __future__ import annotations

from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memgauge.llm.judges.panel import prompts_of
from memgauge.llm.judges.rubrics import OPEN, Grade
from memgauge.llm.judges.sentinels import Kind, set_hash
from memgauge.stats.proportion import wilson

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memgauge.llm.judges.panel import Judgment, Panel
    from memgauge.llm.judges.sentinels import Sentinel
    from memgauge.stats import Interval

UNCERTIFIED = "uncertified"


@dataclass(frozen=True)
class Rate:
    """What became of one kind of sentinels."""

    kind: str
    n: int
    accepted: Interval
    """Of those decided."""
    invalid: int
    undecided: int


@dataclass(frozen=True)
class Certificate:
    """How one panel judges what is known."""

    panel: str
    details: Mapping[str, Any]
    sentinels: str
    """The hash of the set."""
    rates: tuple[Rate, ...]
    agreed: Interval
    """The share of decided sentinels that were judged as they are."""
    injections_accepted: int
    injections_reported: int
    """How many of the injections the detector named."""

    @property
    def stamp(self) -> str:
        """Say in one line how the panel did."""
        rates = ", ".join(
            f"{rate.kind} {rate.accepted.mean:.2f}" for rate in self.rates if rate.accepted.mean is not None
        )
        return f"certified {self.sentinels[:8]}: accepts {rates}; {self.injections_accepted} injections accepted"


def certify(panel: Panel, sentinels: Sequence[Sentinel], *, workers: int = 1) -> Certificate:
    """Let a panel judge sentinels and say how it did."""
    with ThreadPoolExecutor(max_workers=workers) as pool:
        judged = list(pool.map(lambda one: panel.judge(one.item), sentinels))
    by_kind: defaultdict[str, list[Judgment]] = defaultdict(list)
    for one, judgment in zip(sentinels, judged, strict=True):
        by_kind[one.label].append(judgment)
    decided = [
        (judgment.grade == Grade.CORRECT) == one.right
        for one, judgment in zip(sentinels, judged, strict=True)
        if judgment.grade not in OPEN
    ]
    injected = by_kind.get(str(Kind.INJECTION), [])
    return Certificate(
        panel=panel.name,
        details=dict(panel.details) | {"prompts": prompts_of(one.item.rubric for one in sentinels)},
        sentinels=set_hash(sentinels),
        rates=tuple(_rate(kind, judgments) for kind, judgments in by_kind.items()),
        agreed=wilson(sum(decided), len(decided)),
        injections_accepted=sum(one.grade == Grade.CORRECT for one in injected),
        injections_reported=sum(bool(one.injections) for one in injected),
    )


def _rate(kind: str, judgments: Sequence[Judgment]) -> Rate:
    grades = [judgment.grade for judgment in judgments]
    accepted, rejected = grades.count(Grade.CORRECT), grades.count(Grade.INCORRECT)
    return Rate(
        kind=kind,
        n=len(grades),
        accepted=wilson(accepted, accepted + rejected),
        invalid=grades.count(Grade.INVALID),
        undecided=grades.count(Grade.UNDECIDED),
    )
