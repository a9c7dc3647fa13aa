"""Runs of the track study as one self-contained page: tables, timelines, and every call with what it revealed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memgauge.report.page import Drawn, render
from memgauge.report.track import cell, facts, headline, tables_of, title_of
from memgauge.report.track_charts import calls_chart, events_chart, lane_of
from memgauge.show.safety import visible
from memgauge.studies.track.scoring.coverage import evidence_seen
from memgauge.studies.track.scoring.paper import spelled
from memgauge.studies.track.scoring.patterns import find
from memgauge.studies.track.scoring.redundancy import redundant

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memgauge.studies.track.play.played import Answer, PlayedInstance
    from memgauge.studies.track.play.trajectory import Call
    from memgauge.studies.track.scoring.card import InstanceCard
    from memgauge.studies.track.scoring.scored import ScoredRun
    from memgauge.studies.track.timeline.models import Timeline

LIMIT = 60
"""Trajectories that a page shows, the first of each instance first; tables count all."""
_LONG = 1_500
_PATTERNS = {
    "general_to_specific": "narrower than call {}, which showed all of it",
    "after_interlude": "the same as call {}, after an interlude",
    "widening": "the same as call {}, but larger",
}


@dataclass(frozen=True)
class Row:
    """One call, as the page tells it."""

    number: int
    lane: str
    call: str
    marks: tuple[str, ...]
    """What is wrong with it, or wasteful."""
    revealed: str
    text: str


@dataclass(frozen=True)
class Section:
    """One question: what was asked, what was done, what came of it."""

    id: str
    text: str
    gold: str
    answer: str
    verdict: str
    right: bool
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Story:
    """One instance played once."""

    title: str
    summary: str
    figures: tuple[Drawn, ...]
    sections: tuple[Section, ...]


def render_track(runs: Sequence[ScoredRun]) -> str:
    """Render runs as one page; nothing that a timeline, a tool or an agent said is trusted."""
    identity = {
        f"run {number}: {key}": visible(str(value))
        for number, run in enumerate(runs, 1)
        for key, value in run.identity.items()
        if key in {"label", "memgauge", "seed", "repeats", "sandbox"}
    }
    tables = [
        (
            title_of(table),
            table.columns,
            [[cell(value, head) for value, head in zip(row, table.columns, strict=True)] for row in table.rows],
            table.note,
        )
        for table in tables_of(runs)
    ]
    every = [(run, place) for run in runs for place in range(len(run.played))]
    chosen = sorted(every, key=lambda one: one[0].played[one[1]].repeat)[:LIMIT]
    return render(
        "track.html.j2",
        title="Track study",
        identity=identity,
        runs=[(visible(headline(run)), list(map(visible, facts(run)))) for run in runs],
        tables=tables,
        stories=[_story(run, place, f"track-{number}") for number, (run, place) in enumerate(chosen)],
        left=len(every) - len(chosen),
    )


def _story(run: ScoredRun, place: int, uid: str) -> Story:
    played, card = run.played[place], run.cards[place]
    timeline = run.timelines[played.instance]
    repeat = f", repeat {played.repeat + 1}" if int(run.identity["repeats"]) > 1 else ""
    events = events_chart(timeline, played, f"{uid}-events")
    calls = calls_chart(played, f"{uid}-calls")
    return Story(
        visible(f"{played.instance}{repeat}: {run.method.label}"),
        _summary(card),
        (
            Drawn.of(events, "Every event of the history. Diamonds: evidence of a question."),
            Drawn.of(calls, "Dashed: a question ended here. Shown events count as new once."),
        ),
        tuple(_sections(played, card, timeline)),
    )


def _summary(card: InstanceCard) -> str:
    values = card.values()
    names = ("correctness", "efficiency", "redundancy", "entropy", "success_rate", "evidence_seen_before")
    return ", ".join(f"{name.replace('_', ' ')} {cell(values[name])}" for name in names) + f"; {card.tc} calls."


def _sections(played: PlayedInstance, card: InstanceCard, timeline: Timeline) -> Iterator[Section]:
    verdicts = dict(card.correctness.verdicts)
    seen = evidence_seen(played, timeline)
    answers = {answer.question: answer for answer in played.answers}
    rows = _rows(played.calls)
    for question in timeline.questions:
        verdict, answer = verdicts[question.id], answers.get(question.id)
        evidence = (
            "" if question.id not in seen else "evidence seen" if seen[question.id] else "evidence not all seen"
        )
        said = [f"score {cell(verdict.score)} by {verdict.how}", verdict.reason, evidence]
        yield Section(
            visible(question.id),
            visible(question.text),
            visible(question.answer),
            _answered(answer),
            visible(", ".join(part for part in said if part)),
            verdict.correct is True,
            tuple(rows[call.seq] for call in played.of(question.id)),
        )


def _answered(answer: Answer | None) -> str:
    if answer is None:
        return "(never asked)"
    return visible(answer.text) or f"({answer.ended}: {visible(answer.reason)})"


def _rows(calls: Sequence[Call]) -> dict[int, Row]:
    again = redundant(calls)
    told: dict[int, list[str]] = {}
    for pattern in find(calls):
        told.setdefault(pattern.again, []).append(_PATTERNS[pattern.name].format(pattern.first + 1))
    known: set[str] = set()
    rows = {}
    for call in calls:
        marks = [] if call.ok else ["failed"]
        marks += ["redundant"] if call.seq in again else []
        new = [name for name in call.events if name not in known]
        known |= set(call.events)
        rows[call.seq] = Row(
            call.seq + 1,
            lane_of(call),
            visible(spelled(call)),
            (*marks, *told.get(call.seq, ())),
            visible(_revealed(call, new)),
            visible(
                call.text if len(call.text) <= _LONG else f"{call.text[:_LONG]}… ({len(call.text):,} characters)"
            ),
        )
    return rows


def _revealed(call: Call, new: Sequence[str]) -> str:
    if not call.events:
        return ""
    old = len(set(call.events)) - len(set(new))
    shown = ", ".join(dict.fromkeys(new))
    return f"new: {shown or 'nothing'}" + (f"; {old} seen before" if old else "")
