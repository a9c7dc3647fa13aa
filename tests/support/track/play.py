"""Small timelines, calls and answers for the tests of playing and scoring."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from memgauge.studies.track.play.played import Answer, PlayedInstance, QuestionEnding
from memgauge.studies.track.play.trajectory import Call
from memgauge.studies.track.timeline.models import (
    Event,
    HiddenQuestion,
    Platform,
    Player,
    SlackEvent,
    SlackMessage,
    Team,
    Ticket,
    Timeline,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

START = datetime(2025, 5, 15, 9, tzinfo=UTC)
PLATFORMS = {
    "get_channel_messages": Platform.SLACK,
    "get_unread_messages": Platform.SLACK,
    "list_channels": Platform.SLACK,
    "send_channel_message": Platform.SLACK,
    "list_tickets": Platform.LINEAR,
    "get_ticket": Platform.LINEAR,
    "list_remote_git_repositories": Platform.GIT,
    "read_file": Platform.FILES,
    "list_directory": Platform.FILES,
    "run_shell_command": Platform.FILES,
    "search_memory": Platform.MEMORY,
    "store_memory": Platform.MEMORY,
}
WRITES = {"send_channel_message", "store_memory", "run_shell_command"}


def said(number: int, channel: str, sender: str, text: str) -> Event:
    """Make a message, so many hours after the start."""
    message = SlackMessage(sender=sender, text=text)
    return Event(
        id=f"e{number}",
        at=START + timedelta(hours=number),
        payload=SlackEvent(messages=(message,), channel=channel),
    )


def ticket(number: int, title: str, **given: Any) -> Event:
    """Make a change of a ticket."""
    at = START + timedelta(hours=number)
    return Event(id=f"e{number}", at=at, payload=Ticket(title=title, team="ml", **given))


def timeline(name: str = "tiny", questions: Sequence[HiddenQuestion] | None = None) -> Timeline:
    """Make a history of six events on two platforms, with three questions."""
    asked = (
        HiddenQuestion(id="q1", text="Who leads the ticket Cache bug?", answer="dana", evidence=("e0", "e3")),
        HiddenQuestion(id="q2", text="On what date was the rollout of the cache moved to?", answer="20250603"),
        HiddenQuestion(
            id="q3",
            text="How many retries does the loader make in staging?",
            answer="7",
            evidence=("e4",),
        ),
    )
    return Timeline(
        name=name,
        player=Player(name="CodeAgent"),
        teams=(Team(name="ml", members=("dana", "lee")),),
        events=(
            ticket(0, "Cache bug", description="The cache forgets keys.", lead="lee", status="todo"),
            said(1, "ml", "lee", "I hand the ticket Cache bug over to dana tomorrow."),
            said(2, "ops", "kim", "The rollout of the cache is moved to 2025-06-03."),
            ticket(3, "Cache bug", lead="dana", status="in_progress"),
            said(4, "ops", "kim", "In staging the loader makes 7 retries now."),
            said(5, "random", "lee", "Lunch is at noon."),
        ),
        questions=asked if questions is None else tuple(questions),
    )


def call(seq: int, tool: str, given: Any = None, text: str = "", **more: Any) -> Call:
    """Make one call, for the first question unless another is named."""
    platform = PLATFORMS.get(tool)
    known: dict[str, Any] = {
        "seq": seq,
        "question": "q1",
        "turn": seq,
        "at": START.isoformat(),
        "tool": tool,
        "platform": platform,
        "effect": None if platform is None else "write" if tool in WRITES else "read",
        "arguments": {} if given is None else given,
        "ok": platform is not None,
        "text": text,
    }
    return Call(**(known | more))


def failed(seq: int, tool: str, code: str = "unknown_tool", **more: Any) -> Call:
    """Make a call that did not work."""
    return call(seq, tool, ok=False, error=f"{code}: no", text=f"{code}: no", **more)


def answered(question: str, text: str, after: int = 0, **more: Any) -> Answer:
    """Make an answer."""
    return Answer(question, text, more.pop("ended", QuestionEnding.ANSWERED), after=after, **more)


def played(
    calls: Sequence[Call] = (), answers: Sequence[Answer] = (), *, instance: str = "tiny", repeat: int = 0
) -> PlayedInstance:
    """Put together what was played."""
    return PlayedInstance(instance, repeat, tuple(calls), tuple(answers))
