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
    seen_ids = {name for call in played.calls for name in call.events}
    seen_ids |= {name for answer in played.answers for name in answer.events}
    evidence_ids = {name for question in timeline.questions for name in question.evidence}
    return InstanceCoverage(
        _share(seen_ids, [event.id for event in timeline.events]),
        _share(seen_ids, evidence_ids),
        _seen_before(played, timeline),
        reread_rate(played.calls),
    )


def seen_until(played: PlayedInstance, answer: Answer) -> frozenset[str]:
    """Return the events that had been revealed when *answer* was given."""
    calls = {name for call in played.calls if call.seq < answer.after for name in call.events}
    order = [given_answer.question for given_answer in played.answers]
    answers_so_far = played.answers[: order.index(answer.question) + 1]
    return frozenset(calls | {name for given_answer in answers_so_far for name in given_answer.events})


def evidence_seen(played: PlayedInstance, timeline: Timeline) -> dict[str, bool]:
    """Say for each question with known evidence whether all of it had been seen before the answer."""
    evidence_ids = {question.id: set(question.evidence) for question in timeline.questions if question.evidence}
    return {
        answer.question: evidence_ids[answer.question] <= seen_until(played, answer)
        for answer in played.answers
        if answer.question in evidence_ids
    }


def reread_rate(calls: Iterable[Call]) -> float | None:
    """Return the share of revealed events that an earlier call had revealed; one result counts each once."""
    event_sets = [set(call.events) for call in calls]
    total = sum(map(len, event_sets))
    return 1 - len(set().union(*event_sets)) / total if total else None


def _seen_before(played: PlayedInstance, timeline: Timeline) -> float | None:
    evidence_by_question = evidence_seen(played, timeline)
    return fmean(evidence_by_question.values()) if evidence_by_question else None


def _share(seen_ids: set[str], ids: Iterable[str]) -> float | None:
    every = set(ids)
    return len(seen_ids & every) / len(every) if every else None
