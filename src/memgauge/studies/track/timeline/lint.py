"""What is doubtful about an instance, before anybody is scored with it."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from memgauge.studies.track.timeline.files import fingerprint, plain
from memgauge.studies.track.timeline.models import Commit, Said, Source, Ticket
from memgauge.studies.track.timeline.observable import unseen
from memgauge.text.normalise import fold

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memgauge.studies.track.timeline.models import Timeline


class Level(StrEnum):
    """How bad it is."""

    ERROR = "error"
    """A score would mean nothing."""
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True)
class Finding:
    """One thing that is doubtful."""

    level: Level
    code: str
    where: str
    """Instance, and within it an event or a question."""
    what: str


_NO_ANSWER = {"", "na", "none", "null", "unknown", "not available", "tbd", "todo"}
KNOWN_STATUSES = {
    "todo",
    "in_progress",
    "done",
    "cancelled",
    "completed",
    "closed",
    "blocked",
    "backlog",
    "review",
}


def lint(timeline: Timeline) -> tuple[Finding, ...]:
    """Look at one instance."""
    checks = (_duplicates, _questions, _answers, _spelling, _importer)
    return tuple(finding for check in checks for finding in check(timeline))


def lint_together(timelines: Sequence[Timeline]) -> tuple[Finding, ...]:
    """Look at instances beside each other: those that share a history are one sample and not several."""
    shared: defaultdict[str, list[str]] = defaultdict(list)
    for timeline in timelines:
        shared[fingerprint(timeline)].append(timeline.name)
    return tuple(
        Finding(Level.WARNING, "shared-history", ", ".join(names), "these instances have the same events")
        for names in shared.values()
        if len(names) > 1
    )


def _duplicates(timeline: Timeline) -> Iterator[Finding]:
    seen: dict[str, str] = {}
    for event in timeline.events:
        content = json.dumps([str(event.at), plain(event.payload)], sort_keys=True)
        first = seen.setdefault(content, event.id)
        if first != event.id:
            yield Finding(
                Level.WARNING, "duplicate-event", f"{timeline.name} {event.id}", f"says the same as {first}"
            )
    asked: dict[str, str] = {}
    for question in timeline.questions:
        first = asked.setdefault(fold(question.text), question.id)
        if first != question.id:
            where = f"{timeline.name} {question.id}"
            yield Finding(Level.WARNING, "duplicate-question", where, f"asks the same as {first}")


def _questions(timeline: Timeline) -> Iterator[Finding]:
    if not timeline.events:
        yield Finding(Level.ERROR, "no-events", timeline.name, "nothing happens")
    if not timeline.questions:
        yield Finding(Level.NOTE, "no-questions", timeline.name, "nothing is asked")
    for question in timeline.questions:
        where = f"{timeline.name} {question.id}"
        if not question.text.strip():
            yield Finding(Level.ERROR, "unanswerable", where, "the question is empty")
        elif fold(question.answer) in _NO_ANSWER:
            yield Finding(Level.ERROR, "unanswerable", where, f"the expected answer is {question.answer!r}")
        elif question.source is Source.REPOSITORY and timeline.repository is None:
            yield Finding(Level.ERROR, "unanswerable", where, "needs a repository, and the instance has none")


def _answers(timeline: Timeline) -> Iterator[Finding]:
    for question in timeline.questions:
        parts = unseen(question.answer, timeline)
        if parts and question.source is not Source.REPOSITORY:
            yield Finding(
                Level.NOTE if question.evidence else Level.WARNING,
                "not-observable",
                f"{timeline.name} {question.id}",
                f"no event says {', '.join(map(repr, parts))}: it has to be counted, concluded or found elsewhere",
            )


def _spelling(timeline: Timeline) -> Iterator[Finding]:
    places = {event.payload.channel for event in timeline.events if isinstance(event.payload, Said)}
    for event in timeline.events:
        where = f"{timeline.name} {event.id}"
        match event.payload:
            case Said() as said if "channel" in said.extra and said.extra["channel"] != said.channel:
                yield Finding(
                    Level.NOTE, "channel-spelling", where, f"{said.extra['channel']!r} is {said.channel!r}"
                )
            case Said() as said if not (said.channel or said.recipients or said.reply_to):
                yield Finding(Level.WARNING, "no-place", where, "a message without channel and recipient")
            case Ticket(status=str() as status) if status.casefold() not in KNOWN_STATUSES:
                yield Finding(Level.NOTE, "status", where, f"{status!r} is no status that is known")
            case Commit(commit_id=commit) if not re.fullmatch(r"[0-9a-f]{7,40}", commit):
                yield Finding(Level.NOTE, "commit-id", where, f"{commit!r} is no hash; it becomes a trailer")
    for one in sorted(places):
        if one != one.lower() and one.lower() in places:
            yield Finding(
                Level.WARNING, "channel-spelling", timeline.name, f"{one!r} and {one.lower()!r} differ by case"
            )
    yield from _repository(timeline)


def _repository(timeline: Timeline) -> Iterator[Finding]:
    commits = [event.payload for event in timeline.events if isinstance(event.payload, Commit)]
    if timeline.repository is None:
        if commits:
            yield Finding(Level.NOTE, "git-missing", timeline.name, "Git events without a repository")
    elif not timeline.repository.path and not any(commit.files for commit in commits):
        what = f"the repository {timeline.repository.name!r} is only named; its content has to be fetched"
        yield Finding(Level.NOTE, "git-missing", timeline.name, what)


def _importer(timeline: Timeline) -> Iterator[Finding]:
    for note in timeline.notes:
        yield Finding(Level.NOTE, "imported", timeline.name, note)
