"""What is doubtful about an instance, before anybody is scored with it."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING

from memgauge.results import result
from memgauge.studies.track.timeline.files import fingerprint, plain
from memgauge.studies.track.timeline.models import Commit, EvidenceSource, SlackEvent, Ticket
from memgauge.studies.track.timeline.observable import unseen
from memgauge.text.normalise import fold

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memgauge.studies.track.timeline.models import Timeline


class LintLevel(StrEnum):
    """How bad it is."""

    ERROR = "error"
    """A score would mean nothing."""
    WARNING = "warning"
    NOTE = "note"


@result
@dataclass(frozen=True)
class LintFinding:
    """One thing that is doubtful."""

    level: LintLevel
    code: str
    where: str
    """Instance, and within it an event or a question."""
    what: str


error, warning, note = (partial(LintFinding, level) for level in LintLevel)


@result
@dataclass(frozen=True)
class LintReport:
    """What is doubtful about some instances, one by one and beside each other."""

    instances: int
    findings: tuple[LintFinding, ...]

    @property
    def failed(self) -> bool:
        """Whether a score on them would mean nothing."""
        return any(finding.level is LintLevel.ERROR for finding in self.findings)


def lint_all(timelines: Sequence[Timeline]) -> LintReport:
    """Look at every instance, and at all of them together."""
    alone = (finding for timeline in timelines for finding in lint(timeline))
    return LintReport(len(timelines), (*alone, *lint_together(timelines)))


_NO_ANSWER = {"", "na", "none", "null", "unknown", "not available", "tbd", "todo"}
KNOWN_STATUSES = frozenset(
    ["todo", "in_progress", "done", "cancelled", "completed", "closed", "blocked", "backlog", "review"]
)


def lint(timeline: Timeline) -> tuple[LintFinding, ...]:
    """Look at one instance."""
    checks = (_duplicates, _questions, _answers, _spelling, _importer)
    return tuple(finding for check in checks for finding in check(timeline))


def lint_together(timelines: Sequence[Timeline]) -> tuple[LintFinding, ...]:
    """Look at instances beside each other: those that share a history are one sample and not several."""
    names_by_history: defaultdict[str, list[str]] = defaultdict(list)
    for timeline in timelines:
        names_by_history[fingerprint(timeline)].append(timeline.name)
    return tuple(
        warning("shared-history", ", ".join(names), "these instances have the same events")
        for names in names_by_history.values()
        if len(names) > 1
    )


def _duplicates(timeline: Timeline) -> Iterator[LintFinding]:
    event_by_content: dict[str, str] = {}
    for event in timeline.events:
        content = json.dumps([str(event.at), plain(event.payload)], sort_keys=True)
        first_event = event_by_content.setdefault(content, event.id)
        if first_event != event.id:
            yield warning("duplicate-event", f"{timeline.name} {event.id}", f"says the same as {first_event}")
    question_by_text: dict[str, str] = {}
    for question in timeline.questions:
        first_event = question_by_text.setdefault(fold(question.text), question.id)
        if first_event != question.id:
            where = f"{timeline.name} {question.id}"
            yield warning("duplicate-question", where, f"asks the same as {first_event}")


def _questions(timeline: Timeline) -> Iterator[LintFinding]:
    if not timeline.events:
        yield error("no-events", timeline.name, "nothing happens")
    if not timeline.questions:
        yield note("no-questions", timeline.name, "nothing is asked")
    for question in timeline.questions:
        where = f"{timeline.name} {question.id}"
        if not question.text.strip():
            yield error("unanswerable", where, "the question is empty")
        elif fold(question.answer) in _NO_ANSWER:
            yield error("unanswerable", where, f"the expected answer is {question.answer!r}")
        elif question.source is EvidenceSource.REPOSITORY and timeline.repository is None:
            yield error("unanswerable", where, "needs a repository, and the instance has none")


def _answers(timeline: Timeline) -> Iterator[LintFinding]:
    for question in timeline.questions:
        parts = unseen(question.answer, timeline)
        if parts and question.source is not EvidenceSource.REPOSITORY:
            doubtful = note if question.evidence else warning
            missing_parts = ", ".join(map(repr, parts))
            message = f"no event says {missing_parts}: it has to be counted, concluded or found elsewhere"
            yield doubtful("not-observable", f"{timeline.name} {question.id}", message)


def _spelling(timeline: Timeline) -> Iterator[LintFinding]:
    places = {event.payload.channel for event in timeline.events if isinstance(event.payload, SlackEvent)}
    for event in timeline.events:
        where = f"{timeline.name} {event.id}"
        match event.payload:
            case SlackEvent() as slack if "channel" in slack.extra and slack.extra["channel"] != slack.channel:
                yield note("channel-spelling", where, f"{slack.extra['channel']!r} is {slack.channel!r}")
            case SlackEvent() as slack if not (slack.channel or slack.recipients or slack.reply_to):
                yield warning("no-place", where, "a message without channel and recipient")
            case Ticket(status=str() as status) if status.casefold() not in KNOWN_STATUSES:
                yield note("status", where, f"{status!r} is no status that is known")
            case Commit(commit_id=commit) if not re.fullmatch(r"[0-9a-f]{7,40}", commit):
                yield note("commit-id", where, f"{commit!r} is no hash; it becomes a trailer")
    for place in sorted(places):
        if place != place.lower() and place.lower() in places:
            yield warning("channel-spelling", timeline.name, f"{place!r} and {place.lower()!r} differ by case")
    yield from _repository(timeline)


def _repository(timeline: Timeline) -> Iterator[LintFinding]:
    commits = [event.payload for event in timeline.events if isinstance(event.payload, Commit)]
    if timeline.repository is None:
        if commits:
            yield note("git-missing", timeline.name, "Git events without a repository")
    elif not timeline.repository.path and not any(commit.files for commit in commits):
        message = f"the repository {timeline.repository.name!r} is only named; its content has to be fetched"
        yield note("git-missing", timeline.name, message)


def _importer(timeline: Timeline) -> Iterator[LintFinding]:
    for decision in timeline.notes:
        yield note("imported", timeline.name, decision)
