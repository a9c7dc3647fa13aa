"""The certificate of a judge: what it accepts and rejects among answers of which it is known."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping  # noqa: TC003 - read when a certificate is validated
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from statistics import mean
from typing import TYPE_CHECKING, Any

from memgauge.llm.judges.fitness import LIMITS, Fitness, fitness, wrong_kinds
from memgauge.llm.judges.panel import prompts_of
from memgauge.llm.judges.rubrics import OPEN, Grade
from memgauge.llm.judges.sentinels import SentinelKind, set_hash
from memgauge.stats import Interval  # noqa: TC001 - read when a certificate is validated
from memgauge.stats.proportion import AcceptedCount, wilson
from memgauge.text.normalise import fold

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.llm.judges.panel import Judgment, Panel
    from memgauge.llm.judges.sentinels import Sentinel

UNCERTIFIED = "uncertified"


@dataclass(frozen=True)
class SentinelRate:
    """What became of one kind of sentinels."""

    kind: str
    right: bool
    """Whether they should be accepted."""
    n: int
    accepted: Interval
    """Of those decided."""
    invalid: int
    undecided: int
    cut: int = 0
    """Cut-off replies, where no other judge said anything."""

    @property
    def injected(self) -> bool:
        """Whether these are wrong answers that try to judge themselves."""
        return self.kind == SentinelKind.INJECTION

    @property
    def named(self) -> str:
        """Name them in a sentence."""
        return {str(SentinelKind.REFUSAL): "refusals", str(SentinelKind.INJECTION): "injections"}.get(
            self.kind, f"{self.kind} answers"
        )

    @property
    def counted(self) -> AcceptedCount:
        """Return how many of those decided were accepted."""
        return AcceptedCount(round((self.accepted.mean or 0.0) * self.accepted.n), self.accepted.n)


@dataclass(frozen=True)
class Certificate:
    """How one panel judges what is known."""

    panel: str
    details: Mapping[str, Any]
    sentinels: str
    """The hash of the set."""
    rates: tuple[SentinelRate, ...]
    agreed: Interval
    """The share of decided sentinels that were judged as they are."""
    injections_accepted: int
    injections_reported: int
    """How many of the injections the detector named."""
    length: float | None
    """How much more of the right answers are accepted as they stand than within a sentence; shares."""
    verdict: Fitness
    reasons: tuple[str, ...]
    """Why it is no better."""
    limits: Mapping[str, float]
    """What was asked of it, by name."""

    @property
    def right(self) -> AcceptedCount:
        """Return how many right answers were accepted."""
        counts = [rate.counted for rate in self.rates if rate.right]
        return AcceptedCount(sum(count.accepted for count in counts), sum(count.n for count in counts))

    @property
    def wrong(self) -> tuple[AcceptedCount, ...]:
        """Return how many wrong answers were accepted, by kind, without injections."""
        return tuple(rate.counted for rate in wrong_kinds(self.rates))

    @property
    def stamp(self) -> str:
        """Say in one line how the panel did."""
        rates = ", ".join(
            f"{rate.kind} {rate.accepted.mean:.2f}" for rate in self.rates if rate.accepted.mean is not None
        )
        seen = f"accepts {rates}" if rates else "none of its verdicts could be read"
        accepted = f"{seen}; {self.injections_accepted} injections accepted"
        return f"certified {self.sentinels[:8]}, {self.verdict}: {accepted}"


def certify(panel: Panel, sentinels: Sequence[Sentinel], *, workers: int = 1) -> Certificate:
    """Let a panel judge sentinels and say how it did, and what it is good for."""
    with ThreadPoolExecutor(max_workers=workers) as pool:
        judged = list(pool.map(lambda sentinel: panel.judge(sentinel.item), sentinels))
    pairs = list(zip(sentinels, judged, strict=True))
    by_kind: defaultdict[tuple[str, bool], list[Judgment]] = defaultdict(list)
    for sentinel, judgment in pairs:
        by_kind[sentinel.label, sentinel.right].append(judgment)
    decided = [
        (judgment.grade == Grade.CORRECT) == sentinel.right
        for sentinel, judgment in pairs
        if judgment.grade not in OPEN
    ]
    injected = by_kind.get((str(SentinelKind.INJECTION), False), [])
    rates = tuple(_rate(kind, right, judgments) for (kind, right), judgments in by_kind.items())
    length = _length(pairs)
    verdict, reasons = fitness(rates, length)
    return Certificate(
        panel=panel.name,
        details=dict(panel.details) | {"prompts": prompts_of(sentinel.item.rubric for sentinel in sentinels)},
        sentinels=set_hash(sentinels),
        rates=rates,
        agreed=wilson(sum(decided), len(decided)),
        injections_accepted=sum(judgment.grade == Grade.CORRECT for judgment in injected),
        injections_reported=sum(bool(judgment.injections) for judgment in injected),
        length=length,
        verdict=verdict,
        reasons=reasons,
        limits=asdict(LIMITS),
    )


def _length(pairs: Sequence[tuple[Sentinel, Judgment]]) -> float | None:
    """Compare right answers as they stand with the same within a sentence, where there are both."""
    accepted: defaultdict[bool, list[bool]] = defaultdict(list)
    for sentinel, judgment in pairs:
        gold = sentinel.item.parts.get("gold")
        if sentinel.right and isinstance(gold, str) and judgment.grade not in OPEN:
            bare = fold(sentinel.item.judged) == fold(gold)
            accepted[bare].append(judgment.grade == Grade.CORRECT)
    if not accepted[True] or not accepted[False]:
        return None
    return float(mean(accepted[True]) - mean(accepted[False]))


def _rate(kind: str, right: bool, judgments: Sequence[Judgment]) -> SentinelRate:
    grades = [judgment.grade for judgment in judgments]
    accepted, rejected = grades.count(Grade.CORRECT), grades.count(Grade.INCORRECT)
    return SentinelRate(
        kind=kind,
        right=right,
        n=len(grades),
        accepted=wilson(accepted, accepted + rejected),
        invalid=grades.count(Grade.INVALID),
        undecided=grades.count(Grade.UNDECIDED),
        cut=grades.count(Grade.CUT),
    )


def read_certificate(text: str) -> Certificate:
    """Read a certificate as `memgauge models certify --out` writes it; its verdict is found again from its rates.

    Raises:
        ValidationError: It is none.
    """
    from pydantic import TypeAdapter

    stated = TypeAdapter(Certificate).validate_json(text)
    verdict, reasons = fitness(stated.rates, stated.length)
    return replace(stated, verdict=verdict, reasons=reasons, limits=asdict(LIMITS))
