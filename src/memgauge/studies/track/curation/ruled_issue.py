"""A draft by rules from an issue and its change: who says what where follows from who wrote what when."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from memgauge.studies.track.curation.assemble import InstanceDraft
from memgauge.studies.track.curation.personas import Personas
from memgauge.studies.track.timeline.models import (
    Commit,
    Event,
    EvidenceSource,
    HiddenQuestion,
    SlackEvent,
    SlackMessage,
    Ticket,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from memgauge.studies.track.curation.seed import IssueOrigin
    from memgauge.studies.track.timeline.models import Payload

TEAM = "Engineering"
_SHORT, _LONG = 45, 120
"""Words of a message, and of a ticket."""
_NOISE = re.compile(r"(?s:```.*?```|<!--.*?-->)|!\[[^\]]*\]\([^)]*\)|^\s*#+.*$|^\s*>.*$", re.MULTILINE)
_LINK = re.compile(r"\[([^\]]+)\]\([^)]*\)|https?://\S+")
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True)
class _Placed:
    label: str
    at: datetime
    payload: Payload
    reply_to: str = ""


def draft_issue(origin: IssueOrigin) -> InstanceDraft:
    """Draft the events and three questions of an issue.

    The report comes to Slack, the issue to Linear, its discussion to a thread, the change to Git; the
    questions need what lies on all three.
    """
    issue, change = origin.issue, origin.change
    speakers = [issue.author, change.author, *(remark.author for remark in (*issue.remarks, *change.remarks))]
    people = Personas(speakers)
    placed_events = sorted(_placed(origin, people), key=lambda event: event.at)
    ids = {event.label: f"e{number:02d}" for number, event in enumerate(placed_events, 1)}
    events = [Event(id=ids[event.label], at=event.at, payload=_answering(event, ids)) for event in placed_events]
    return InstanceDraft(events=tuple(events), questions=tuple(_questions(origin, people, ids)))


def plain_words(text: str, words: int) -> str:
    """Return the beginning of a text without code, quotations, headings, pictures and addresses."""
    spoken_text = _LINK.sub(lambda link: link[1] or "", _NOISE.sub(" ", text))
    spoken_words = _SPACE.sub(" ", spoken_text).strip().split(" ")
    return " ".join(spoken_words[:words]) + (" …" if len(spoken_words) > words else "")


def _placed(origin: IssueOrigin, people: Personas) -> Iterator[_Placed]:
    issue, change = origin.issue, origin.change
    reporter, maker = people.name(issue.author), people.name(change.author)

    def said(author: str, text: str, channel: str = "", reply_to: str = "") -> SlackEvent:
        messages = (SlackMessage(sender=people.name(author), text=people.text(text)),)
        return SlackEvent(messages=messages, channel=channel, reply_to=reply_to)

    report = plain_words(issue.body, _SHORT) or f"Something is wrong here: {issue.title}"
    yield _Placed("report", issue.opened, said(issue.author, report, channel="support"))
    body = people.text(plain_words(issue.body, _LONG))
    ticket = Ticket(title=issue.title, team=TEAM, status="todo", priority="medium", description=body or None)
    yield _Placed("ticket", issue.opened + timedelta(minutes=25), ticket)
    thread = ""
    for number, remark in enumerate(issue.remarks):
        text = plain_words(remark.text, _SHORT)
        if text:
            where = ("", thread) if thread else ("engineering", "")
            thread = thread or f"talk{number}"
            yield _Placed(f"talk{number}", remark.at, said(remark.author, text, *where))
    began = Ticket(title=issue.title, team=TEAM, status="in_progress", lead=maker)
    yield _Placed("began", change.opened, began)
    up = f"PR #{change.number} is up for what {reporter} saw: {plain_words(change.title, 20)}"
    yield _Placed("up", change.opened + timedelta(minutes=5), said(change.author, up, channel="reviews"))
    for number, remark in enumerate(change.remarks):
        text = plain_words(remark.text, _SHORT)
        if text:
            yield _Placed(f"review{number}", remark.at, said(remark.author, text, reply_to="up"))
    commit = Commit(
        commit_id=change.commit[:7], author=maker, message=change.title, files=change.files, pr=f"#{change.number}"
    )
    yield _Placed("merged", change.merged, commit)
    yield _Placed(
        "told",
        change.merged + timedelta(minutes=10),
        said(change.author, f"Merged what was in review for {reporter}, please try again.", channel="support"),
    )
    closed_ticket = Ticket(title=issue.title, team=TEAM, status="done", linked_pr=f"#{change.number}")
    yield _Placed("done", change.merged + timedelta(minutes=20), closed_ticket)


def _answering(placed: _Placed, ids: dict[str, str]) -> Payload:
    """Let a reply name the event that it answers."""
    payload = placed.payload
    if isinstance(payload, SlackEvent) and payload.reply_to:
        return payload.model_copy(update={"reply_to": ids[payload.reply_to]})
    return payload


def _questions(origin: IssueOrigin, people: Personas, ids: dict[str, str]) -> Iterator[HiddenQuestion]:
    change = origin.change
    reporter, maker = people.name(origin.issue.author), people.name(change.author)
    files = ", ".join(sorted(change.files))
    merge_date = change.merged.date().isoformat()
    path = ("report", "ticket", "began", "up", "merged")
    yield HiddenQuestion(
        id="q1",
        text=f"{reporter} told us about a problem in {origin.issue.opened:%B %Y}. Which {_files(change.files)} of "
        f"{origin.repository} had to be changed until it was settled?",
        answer=files,
        source=EvidenceSource.REPOSITORY,
        evidence=tuple(ids[name] for name in path),
        hops=len(path),
        guide=_guide(
            [
                f"{ids['report']} (Slack): what {reporter} reported.",
                f"{ids['ticket']} (Linear): the ticket with the same words.",
                f"{ids['began']} (Linear): {maker} takes it.",
                f"{ids['up']} (Slack): PR #{change.number} is the change.",
                f"{ids['merged']} (Git): PR #{change.number} touches {files}.",
            ]
        ),
    )
    yield HiddenQuestion(
        id="q2",
        text="Who made that change?",
        answer=maker,
        source=EvidenceSource.EVENTS,
        evidence=(ids["began"], ids["merged"]),
        hops=2,
        guide=_guide([f"{ids['began']} (Linear): {maker} leads it.", f"{ids['merged']} (Git): the same author."]),
    )
    yield HiddenQuestion(
        id="q3",
        text="On which date did it reach the main branch?",
        answer=merge_date,
        source=EvidenceSource.EVENTS,
        evidence=(ids["merged"], ids["told"]),
        hops=2,
        guide=_guide(
            [
                f"{ids['merged']} (Git): the date of the commit, {merge_date}.",
                f"{ids['told']} (Slack): told right after.",
            ]
        ),
    )


def _files(files: dict[str, str | None]) -> str:
    return "file" if len(files) == 1 else "files"


def _guide(steps: list[str]) -> str:
    return "\n".join(f"{number}. {step}" for number, step in enumerate(steps, 1))
