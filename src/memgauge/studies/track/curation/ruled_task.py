"""A draft by rules from a task in words: one event a sentence, where the sentence says that it happens.

It is a skeleton for a person to work on: no rule invents what somebody would have written, or asks questions.
"""

from __future__ import annotations

import re
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from memgauge.errors import ConfigError
from memgauge.studies.track.curation.assemble import InstanceDraft
from memgauge.studies.track.timeline.models import Commit, Event, Platform, SlackEvent, SlackMessage, Ticket
from memgauge.studies.track.timeline.references import ReferenceWords
from memgauge.text.normalise import fold

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.studies.track.timeline.models import Payload

START = datetime(2025, 3, 3, 9, tzinfo=UTC)
"""A Monday; a task says no dates of its own."""
_STEP = timedelta(hours=5)
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"'])|\n+")
_CAPITAL = re.compile(r"(?<![\w.])[A-Z][a-z]{2,}\b")
_ACTS = r"(?:and|or|was|is|had|has|said|asked|told|wrote|wants?|created?|opened?|found|took|takes|\w+ed)\b"
_OTHERS = """
slack linear git github the when then they this that these their after before initial finally create january
february march april may june july august september october november december monday tuesday wednesday
thursday friday saturday sunday
"""
_NOT_PEOPLE = frozenset(_OTHERS.split())
_DONE = re.compile(r"\b(?:closed?|done|finished|resolved)\b", re.IGNORECASE)
_TITLE = 8


def draft_task(task: str) -> InstanceDraft:
    """Draft one event for every sentence of a task.

    Raises:
        ConfigError: The task says nothing.
    """
    sentences = [part.strip(" -*\t") for part in _SENTENCE.split(task) if part.strip(" -*\t")]
    if not sentences:
        raise ConfigError("The task says nothing.", "Describe in a few sentences who does what, and where.")
    names = _names(task)
    events: list[Event] = []
    at, speaker, title = START, names[0] if names else "somebody", ""
    for number, sentence in enumerate(sentences, 1):
        event_id = f"e{number:02d}"
        names_here = [name for name in names if re.search(rf"\b{name}\b", sentence, re.IGNORECASE)]
        speaker = names_here[0] if names_here else speaker
        platform = _platform(event_id, at, sentence)
        payload, title = _payload(platform, sentence, speaker, names_here[1:], title)
        events.append(Event(id=event_id, at=at, payload=payload))
        at = _later(at)
    return InstanceDraft(events=tuple(events))


def _names(task: str) -> list[str]:
    """Return who acts: capitalised words that do something, or occur more than once; in lower case, in order."""
    counts = Counter(name for name in _CAPITAL.findall(task) if name.lower() not in _NOT_PEOPLE)
    acting = {name for name in counts if re.search(rf"\b{name}\b,? {_ACTS}", task)}
    return [name.lower() for name, count in counts.items() if count > 1 or name in acting]


def _platform(event_id: str, at: datetime, sentence: str) -> Platform:
    """Say where a sentence happens: Git and Linear by their own words, else Slack."""
    spoken = Event(id=event_id, at=at, payload=SlackEvent(messages=(SlackMessage(sender="task", text=sentence),)))
    scores = ReferenceWords().score(spoken)
    if scores[Platform.GIT] and not scores[Platform.SLACK] and not scores[Platform.LINEAR]:
        return Platform.GIT
    return Platform.LINEAR if scores[Platform.LINEAR] and not scores[Platform.SLACK] else Platform.SLACK


def _payload(
    platform: Platform, sentence: str, speaker: str, others: Sequence[str], title: str
) -> tuple[Payload, str]:
    """Make the event of a sentence; a ticket that is closed is the last one that was opened."""
    if platform is Platform.GIT:
        return Commit(author=speaker, message=sentence), title
    if platform is Platform.LINEAR:
        closes = bool(_DONE.search(sentence)) and bool(title)
        ticket_title = title if closes else " ".join(fold(sentence).split()[:_TITLE]).capitalize()
        status = "done" if closes else "todo"
        return Ticket(
            title=ticket_title, team="Team", lead=speaker, status=status, description=sentence
        ), ticket_title
    where = {"recipients": tuple(others)} if others else {"channel": "general"}
    return SlackEvent.model_validate({"messages": [{"sender": speaker, "text": sentence}], **where}), title


def _later(at: datetime) -> datetime:
    """Let half a working day pass; nobody works on a weekend."""
    at = at + _STEP if at.hour < 12 else (at + timedelta(days=1)).replace(hour=9)
    return at + timedelta(days=7 - at.weekday()) if at.weekday() > 4 else at
