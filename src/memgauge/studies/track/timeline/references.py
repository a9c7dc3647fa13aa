"""How strongly an event refers to other platforms: by words, labelled as such, or by a model."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Protocol

from memgauge.errors import ModelError
from memgauge.llm.asking import Inquiry, ask_again, marked
from memgauge.llm.forms import OneObject
from memgauge.llm.prompts import open_prompt
from memgauge.studies.track.timeline.models import EVENT_PLATFORMS, Commit, Platform, SlackEvent, Ticket

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memgauge.llm.messages import ChatModel, Request
    from memgauge.studies.track.timeline.models import Event


class Scorer(Protocol):
    """Scores how strongly an event refers to each platform."""

    name: str

    def score(self, event: Event) -> Mapping[Platform, float]:
        """Return a number from 0 to 1 for each platform, the event's own among them."""
        ...


_WORDS: Mapping[Platform, re.Pattern[str]] = {
    Platform.LINEAR: re.compile(
        r"(?i:\blinear\b|\btickets?\b|\bmilestones?\b|\bbacklog\b|\bbug reports?\b)|\b[A-Z]{2,6}-\d+\b"
    ),
    Platform.SLACK: re.compile(
        r"(?i:\bslack\b|\bchannels?\b|\bthreads?\b|(?<![\w/])#[a-z][\w-]+)"
        r"|(?<![\w.])@\w+ (?:said|mentioned|wrote)\b"
    ),
    Platform.GIT: re.compile(
        r"(?i:\bgit(?:hub|ea)?\b|\bcommit(?:s|ted)?\b|\bpull requests?\b|\bbranch(?:es)?\b|\bmerg(?:e[ds]?|ing)\b"
        r"|\brevert(?:ed|s)?\b)|\bPRs?\b|(?<!\w)#\d+\b"
    ),
}


class ReferenceWords:
    """Counts a reference where one of a platform's own words stands; no more than a label of what is likely."""

    name = "words-1 (heuristic)"

    def score(self, event: Event) -> Mapping[Platform, float]:
        """Return 1 for each platform of which a word occurs, else 0."""
        text = text_of(event)
        return {platform: float(bool(pattern.search(text))) for platform, pattern in _WORDS.items()}


_SHARES: Mapping[str, Any] = {
    "type": "object",
    "properties": {str(name): {"type": "number", "minimum": 0, "maximum": 1} for name in EVENT_PLATFORMS},
    "required": [str(name) for name in EVENT_PLATFORMS],
    "additionalProperties": False,
}


def _by_platform(data: dict[str, Any]) -> Mapping[Platform, float]:
    return {platform: float(data[platform]) for platform in EVENT_PLATFORMS}


class ReferenceJudge:
    """Asks a model, once an event; the prompt is ours and means what that of the document means."""

    def __init__(self, model: ChatModel) -> None:
        self._model = model
        self._prompt = open_prompt("track-references")
        self.name = f"{model.name}, {self._prompt.label}"

    def inquiry(self, event: Event) -> Inquiry[Mapping[Platform, float]]:
        """Put one event into words."""
        text = text_of(event)
        messages = self._prompt.render(entry=f"({event.platform}) {text}")
        form = OneObject(_SHARES, _by_platform, sent=False)
        return Inquiry(messages, form, {"temperature": 0, "max_tokens": 200}, judged=text)

    def request(self, event: Event) -> Request:
        """Return what the model is sent about an event."""
        return self.inquiry(event).request(self._model.name)

    def score(self, event: Event) -> Mapping[Platform, float]:
        """Return the model's numbers.

        Raises:
            ModelError: The reply cannot be read.
        """
        answer = ask_again(self._model, self.inquiry(event), marked, tries=2)
        if answer.value is None:
            about = f"{self.name}: the reply about {event.id} holds no three numbers: {answer.reason}."
            raise answer.fault or ModelError(about)
        return answer.value


def text_of(event: Event) -> str:
    """Return what people wrote in an event, without names of fields."""
    match event.payload:
        case SlackEvent(messages=messages):
            return "\n".join(message.text for message in messages)
        case Ticket() as ticket:
            parts = (ticket.title, ticket.description, ticket.resolution, ticket.linked_pr)
            return "\n".join(part for part in parts if part)
        case Commit() as commit:
            return "\n".join(part for part in (commit.message, commit.pr) if part)
