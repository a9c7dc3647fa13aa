"""Everything that is measured of one instance played once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memgauge.results import result
from memgauge.studies.track.scoring.correctness import Correctness, correctness
from memgauge.studies.track.scoring.coverage import InstanceCoverage, coverage
from memgauge.studies.track.scoring.efficiency import (
    environment,
    per_instance,
    per_question,
    success_rate,
    tool_entropy,
)
from memgauge.studies.track.scoring.paper import judged_redundancy
from memgauge.studies.track.scoring.patterns import Counts, count, find
from memgauge.studies.track.scoring.redundancy import redundancy
from memgauge.studies.track.timeline.files import fingerprint

if TYPE_CHECKING:
    from memgauge.studies.track.play.played import PlayedInstance
    from memgauge.studies.track.scoring.judge import TrackJudge
    from memgauge.studies.track.timeline.models import Timeline


@result
@dataclass(frozen=True, slots=True)
class InstanceCard:
    """The measures of one instance played once; ``None`` is undefined."""

    instance: str
    repeat: int
    history: str
    """Which history it has; instances that share one are no independent samples."""
    correctness: Correctness
    efficiency: float
    efficiency_per_question: float | None
    redundancy: float | None
    redundancy_judged: float | None
    """By a model, where one was asked."""
    redundancy_reason: str
    """Why no model could say."""
    tc: int
    """Calls to the environment."""
    calls: int
    """All calls, with those of the memory."""
    entropy: float | None
    entropy_without_memory: float | None
    success_rate: float | None
    coverage: InstanceCoverage
    patterns: Counts
    ended: Mapping[str, int]
    """How the questions ended."""
    input_tokens: int
    output_tokens: int
    usd: float | None
    """``None`` where a price is not known."""

    def values(self) -> dict[str, float | None]:
        """Return what is averaged, by name."""
        return {
            "correctness": self.correctness.score,
            "strict": self.correctness.strict,
            "follow_up": self.correctness.follow_up,
            "follow_up_drop": self.correctness.drop,
            "efficiency": self.efficiency,
            "efficiency_per_question": self.efficiency_per_question,
            "redundancy": self.redundancy,
            "redundancy_paper": self.redundancy_judged,
            "tc": float(self.tc),
            "entropy": self.entropy,
            "entropy_without_memory": self.entropy_without_memory,
            "success_rate": self.success_rate,
            "event_coverage": self.coverage.events,
            "evidence_coverage": self.coverage.evidence,
            "evidence_seen_before": self.coverage.seen_before,
            "reread_rate": self.coverage.reread,
        }


def card(
    played: PlayedInstance, timeline: Timeline, judge: TrackJudge | None = None, *, paper: TrackJudge | None = None
) -> InstanceCard:
    """Measure one instance; *judge* reads answers, *paper* counts redundant calls as the document does."""
    judged_calls = judged_redundancy(paper, played.calls) if paper else None
    prices = [answer.usd for answer in played.answers]
    return InstanceCard(
        instance=played.instance,
        repeat=played.repeat,
        history=fingerprint(timeline),
        correctness=correctness(played, timeline, judge),
        efficiency=per_instance(played),
        efficiency_per_question=per_question(played),
        redundancy=redundancy(played.calls),
        redundancy_judged=judged_calls.fraction if judged_calls else None,
        redundancy_reason=judged_calls.reason if judged_calls else "",
        tc=len(environment(played.calls)),
        calls=len(played.calls),
        entropy=tool_entropy(played.calls),
        entropy_without_memory=tool_entropy(played.calls, memory=False),
        success_rate=success_rate(played),
        coverage=coverage(played, timeline),
        patterns=count(find(played.calls)),
        ended=dict(Counter(str(played.ending(question.id)) for question in timeline.questions)),
        input_tokens=sum(answer.input_tokens for answer in played.answers),
        output_tokens=sum(answer.output_tokens for answer in played.answers),
        usd=None if None in prices else sum(price for price in prices if price is not None),
    )
