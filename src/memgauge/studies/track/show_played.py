"""What was played, for a page: timelines, and every call with what it revealed."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from memgauge.show import Document, Figure, Fold, Note, Prose, Section, Step, Steps, Tone
from memgauge.show.numbers import number
from memgauge.show.safety import visible
from memgauge.studies.track.charts import calls_chart, events_chart, lane_of
from memgauge.studies.track.scoring.coverage import evidence_seen
from memgauge.studies.track.scoring.paper import spelled
from memgauge.studies.track.scoring.patterns import find
from memgauge.studies.track.scoring.redundancy import redundant
from memgauge.studies.track.scoring.scored import score_run, scores_of
from memgauge.studies.track.show import document

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from memgauge.show import Block
    from memgauge.studies.track.play.played import Answer, PlayedInstance
    from memgauge.studies.track.play.trajectory import Call
    from memgauge.studies.track.scoring.card import InstanceCard
    from memgauge.studies.track.scoring.scored import ScoredRun
    from memgauge.studies.track.timeline.models import HiddenQuestion, Timeline

LIMIT = 60
"""Trajectories that a page shows, the first of each instance first; tables count all."""
_LONG = 1_500
_PATTERNS = {
    "general_to_specific": "narrower than call {}, which showed all of it",
    "after_interlude": "the same as call {}, after an interlude",
    "widening": "the same as call {}, but larger",
}


def folder_document(path: Path) -> Document:
    """Say what a folder of a run holds, scored by rules."""
    return played_document([score_run(path)])


def played_document(runs: Sequence[ScoredRun]) -> Document:
    """Say how runs went, and call by call what was played."""
    return document(scores_of(runs), (_played(runs),))


def _played(runs: Sequence[ScoredRun]) -> Section:
    every = [(run, place) for run in runs for place in range(len(run.played))]
    stories_shown = sorted(every, key=lambda story: story[0].played[story[1]].repeat)[:LIMIT]
    stories: list[Block] = [_story(run, place, key) for key, (run, place) in enumerate(stories_shown)]
    left_out = len(every) - len(stories_shown)
    beside = f"{left_out} more are not shown here; the tables count them." if left_out else ""
    return Section("played", "What was played", tuple(stories), beside=beside)


def _story(run: ScoredRun, place: int, key: int) -> Section:
    instance, card = run.played[place], run.cards[place]
    timeline = run.timelines[instance.instance]
    repeat = f", repeat {instance.repeat + 1}" if int(run.identity["repeats"]) > 1 else ""
    return Section(
        f"story-{key}",
        visible(f"{instance.instance}{repeat}: {run.method.label}"),
        (*_figures(instance, timeline, key), *_questions(instance, card, timeline, key)),
        Fold.CLOSED,
        beside=_summary(card),
    )


def _summary(card: InstanceCard) -> str:
    values = card.values()
    names = ("correctness", "efficiency", "redundancy", "entropy", "success_rate", "evidence_seen_before")
    return ", ".join(f"{name.replace('_', ' ')} {number(values[name])}" for name in names) + f"; {card.tc} calls."


def _figures(instance: PlayedInstance, timeline: Timeline, key: int) -> Iterator[Figure]:
    events = "Every event of the history. Diamonds: evidence of a question."
    yield Figure(f"events-{key}", "Events, by platform", events, partial(events_chart, timeline, instance))
    calls = "Dashed: a question ended here. Shown events count as new once."
    yield Figure(f"calls-{key}", "Calls, by place", calls, partial(calls_chart, instance))


def _questions(instance: PlayedInstance, card: InstanceCard, timeline: Timeline, key: int) -> Iterator[Section]:
    """Yield one question each: what was asked, what came of it, and the calls in between."""
    verdicts = dict(card.correctness.verdicts)
    evidence_seen_of = evidence_seen(instance, timeline)
    answers = {answer.question: answer for answer in instance.answers}
    steps = _steps(instance.calls)
    for place, question in enumerate(timeline.questions):
        verdict = verdicts[question.id]
        evidence = (
            ""
            if question.id not in evidence_seen_of
            else "evidence seen"
            if evidence_seen_of[question.id]
            else "evidence not all seen"
        )
        parts = (f"score {number(verdict.score)} by {verdict.how}", verdict.reason, evidence)
        badge = Note("right") if verdict.correct is True else Note("not right", tone=Tone.WARN)
        yield Section(
            f"story-{key}-{place}",
            visible(question.id),
            (
                *_asked(question, answers.get(question.id), ", ".join(part for part in parts if part)),
                Steps(tuple(steps[call.seq] for call in instance.of(question.id)), "Calls"),
            ),
            badges=(badge,),
        )


def _asked(question: HiddenQuestion, answer: Answer | None, verdict: str) -> Iterator[Prose]:
    yield Prose(visible(question.text))
    yield Prose(visible(f"accepted: {question.answer}"), Tone.SOFT)
    yield Prose(visible(f"answered: {_answered(answer)}"), Tone.SOFT)
    yield Prose(visible(verdict), Tone.SOFT)


def _answered(answer: Answer | None) -> str:
    if answer is None:
        return "(never asked)"
    return answer.text or f"({answer.ended}: {answer.reason})"


def _steps(calls: Sequence[Call]) -> dict[int, Step]:
    """Tell every call: where it went, what is wrong with it or wasteful, and what it revealed."""
    again = redundant(calls)
    patterns: dict[int, list[str]] = {}
    for pattern in find(calls):
        patterns.setdefault(pattern.again, []).append(_PATTERNS[pattern.name].format(pattern.first + 1))
    known_ids: set[str] = set()
    steps = {}
    for call in calls:
        failure_marks = () if call.ok else ("failed",)
        waste_marks = ("redundant",) if call.seq in again else ()
        new_ids = [name for name in call.events if name not in known_ids]
        known_ids |= set(call.events)
        steps[call.seq] = Step(
            visible(spelled(call)),
            f"{call.seq + 1} {lane_of(call)}",
            (*failure_marks, *waste_marks, *patterns.get(call.seq, ())),
            visible(_revealed(call, new_ids)),
            more=visible(_begun(call.text)),
        )
    return steps


def _begun(text: str) -> str:
    return text if len(text) <= _LONG else f"{text[:_LONG]}… ({len(text):,} characters)"


def _revealed(call: Call, new_ids: Sequence[str]) -> str:
    if not call.events:
        return ""
    seen_count = len(set(call.events)) - len(set(new_ids))
    new_list = ", ".join(dict.fromkeys(new_ids))
    return f"new: {new_list or 'nothing'}" + (f"; {seen_count} seen before" if seen_count else "")
