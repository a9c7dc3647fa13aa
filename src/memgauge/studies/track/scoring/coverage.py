"""What an agent has seen of the timeline: exact, since every result names the events that it reveals."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

from memgauge.results import result

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memgauge.studies.track.play.played import Answer, PlayedInstance
    from memgauge.studies.track.play.trajectory import Call
    from memgauge.studies.track.timeline.models import Timeline


@result
@dataclass(frozen=True, slots=True)
class InstanceCoverage:
    """What was seen of one instance."""

    events: float | None
    """Share of all events that some result revealed."""
    evidence: float | None
    """Share of the events that any question needs; ``None`` where nobody has said which these are."""
    seen_before: float | None
    """Share of the questions with known evidence whose evidence had all been seen before the answer."""
    reread: float | None
    """Share of revealed events that had been revealed before; ``None`` where nothing was."""


def coverage(played: PlayedInstance, timeline: Timeline) -> InstanceCoverage:
    """Measure one instance."""
    seen = {name for call in played.calls for name in call.events}
    seen |= {name for answer in played.answers for name in answer.events}
    needed = {name for question in timeline.questions for name in question.evidence}
    return InstanceCoverage(
        _share(seen, [event.id for event in timeline.events]),
        _share(seen, needed),
        _seen_before(played, timeline),
        reread_rate(played.calls),
    )


def seen_until(played: PlayedInstance, answer: Answer) -> frozenset[str]:
    """Return the events that had been revealed when *answer* was given."""
    calls = {name for call in played.calls if call.seq < answer.after for name in call.events}
    order = [each.question for each in played.answers]
    earlier = played.answers[: order.index(answer.question) + 1]
    return frozenset(calls | {name for each in earlier for name in each.events})


def evidence_seen(played: PlayedInstance, timeline: Timeline) -> dict[str, bool]:
    """Say for each question with known evidence whether all of it had been seen before the answer."""
    needed = {question.id: set(question.evidence) for question in timeline.questions if question.evidence}
    return {
        answer.question: needed[answer.question] <= seen_until(played, answer)
        for answer in played.answers
        if answer.question in needed
    }


def reread_rate(calls: Iterable[Call]) -> float | None:
    """Return the share of revealed events that an earlier call had revealed; one result counts each once."""
    revealed = [set(call.events) for call in calls]
    total = sum(map(len, revealed))
    return 1 - len(set().union(*revealed)) / total if total else None


def _seen_before(played: PlayedInstance, timeline: Timeline) -> float | None:
    seen = evidence_seen(played, timeline)
    return fmean(seen.values()) if seen else None


def _share(seen: set[str], wanted: Iterable[str]) -> float | None:
    every = set(wanted)
    return len(seen & every) / len(every) if every else None
