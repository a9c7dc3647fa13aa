"""Distractors and counterfactuals by rules: everyday talk from a list, and wrong values before the right one."""

from __future__ import annotations

import hashlib
import random
import re
import tomllib
from datetime import date, timedelta
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from memgauge.studies.track.curation.assemble import numbered
from memgauge.studies.track.curation.record import MisleadingEvent
from memgauge.studies.track.curation.says import says
from memgauge.studies.track.timeline.models import Commit, Event, SlackEvent, SlackMessage, Ticket
from memgauge.studies.track.world.clock import STATIC
from memgauge.studies.track.world.state import World

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from memgauge.studies.track.timeline.models import HiddenQuestion, Timeline

_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_NUMBER = re.compile(r"\d+")
_PATH = re.compile(r"[\w./-]+\.\w+")


def distract(timeline: Timeline, count: int, seed: int) -> tuple[tuple[Event, ...], dict[str, MisleadingEvent]]:
    """Return *count* distractors, and a counterfactual for every question that a rule knows one for.

    None of them holds an accepted answer; the same instance and seed give the same events.
    """
    dice = random.Random(f"{timeline.name}:{seed}")  # noqa: S311 - a draft needs no secrecy
    users = World(timeline, STATIC).state.slack.users
    people = tuple(name for name in users if name != timeline.player.name) or ("somebody",)
    made = [*_counterfactuals(timeline, people, dice), *_distractors(timeline, people, count, dice)]
    ids = numbered("x", (event.id for event in timeline.events), len(made))
    events = tuple(event.model_copy(update={"id": name}) for name, (event, _) in zip(ids, made, strict=True))
    return events, {name: role for name, (_, role) in zip(ids, made, strict=True)}


def _distractors(
    timeline: Timeline, people: Sequence[str], count: int, dice: random.Random
) -> Iterator[tuple[Event, MisleadingEvent]]:
    """Yield talk and tickets, spread over the whole time; every fourth is a ticket."""
    bank = _phrases()
    talks = dice.sample(bank["slack"], len(bank["slack"]))
    tickets = dice.sample(bank["ticket"], len(bank["ticket"]))
    first, last = timeline.events[0].at, timeline.events[-1].at
    made = 0
    while made < count and (talks or tickets):
        from_tickets = bool(tickets) and (made % 4 == 3 or not talks)
        at = first + (last - first) * ((made + dice.random()) / count)
        payload = _ticket(tickets.pop(), people, dice) if from_tickets else _talk(talks.pop(), people, dice)
        event = Event(id="new", at=at.replace(second=0, microsecond=0), payload=payload)
        if first <= event.at and not any(says(event, question.answer) for question in timeline.questions):
            made += 1
            yield event, MisleadingEvent(kind="distractor")


def _talk(phrase: Mapping[str, Any], people: Sequence[str], dice: random.Random) -> SlackEvent:
    first = dice.choice(people)
    second = dice.choice([name for name in people if name != first] or [first])
    texts = [text.replace("{a}", first).replace("{b}", second) for text in phrase["says"]]
    messages = tuple(SlackMessage(sender=(first, second)[n % 2], text=text) for n, text in enumerate(texts))
    return SlackEvent(messages=messages, channel=phrase["channel"])


def _ticket(phrase: Mapping[str, Any], people: Sequence[str], dice: random.Random) -> Ticket:
    return Ticket(**phrase, lead=dice.choice(people), status=dice.choice(("todo", "done")), priority="low")


def _counterfactuals(
    timeline: Timeline, people: Sequence[str], dice: random.Random
) -> Iterator[tuple[Event, MisleadingEvent]]:
    """Yield one wrong value a question, said just before the event that decides it, where people talk about it."""
    for question in timeline.questions:
        wrong = _wrong(question.answer, timeline, people, dice)
        deciding = _deciding(question, timeline)
        if wrong is None or deciding is None:
            continue
        kind, value = wrong
        before = [event for event in timeline.events if event.at < deciding.at]
        talk = [
            event for event in before if isinstance(event.payload, SlackEvent) and event.id in question.evidence
        ]
        if not before:
            continue
        earliest = (talk or before)[-1].at
        at = earliest + (deciding.at - earliest) / 2
        senders = [name for name in people if name not in {question.answer, value}] or list(people)
        text = dice.choice(_phrases()["wrong"][kind]).replace("{wrong}", value)
        messages = (SlackMessage(sender=dice.choice(senders), text=text),)
        where = ("", talk[-1].id) if talk else ("general", "")
        payload = SlackEvent(messages=messages, channel=where[0], reply_to=where[1])
        event = Event(id="new", at=max(at.replace(second=0, microsecond=0), earliest), payload=payload)
        if not any(says(event, asked.answer) for asked in timeline.questions):
            yield event, MisleadingEvent(kind="counterfactual", superseded_by=deciding.id)


def _deciding(question: HiddenQuestion, timeline: Timeline) -> Event | None:
    """Return the last event of the evidence, which is what holds in the end."""
    evidence = [event for event in timeline.events if event.id in question.evidence]
    return evidence[-1] if evidence else None


def _wrong(answer: str, timeline: Timeline, people: Sequence[str], dice: random.Random) -> tuple[str, str] | None:
    """Return what an answer is, and another value of the same kind; ``None`` for kinds that no rule knows."""
    if _DATE.fullmatch(answer):
        return "date", (date.fromisoformat(answer) - timedelta(days=dice.randint(2, 9))).isoformat()
    if _NUMBER.fullmatch(answer):
        return "number", str(max(1, int(answer)) + dice.randint(1, 9))
    if answer in people and len(people) > 1:
        return "name", dice.choice([name for name in people if name != answer])
    if _PATH.fullmatch(answer):
        return "path", _other_path(answer, timeline)
    return None


def _other_path(path: str, timeline: Timeline) -> str:
    """Return another path of the code, or one beside it that is not there."""
    commits = [event.payload for event in timeline.events if isinstance(event.payload, Commit)]
    known = sorted({name for commit in commits for name in commit.files} - {path})
    if known:
        return known[int(hashlib.sha256(path.encode()).hexdigest(), 16) % len(known)]
    stem, dot, ending = path.rpartition(".")
    return f"{stem}_helpers{dot}{ending}"


@cache
def _phrases() -> Mapping[str, Any]:
    return tomllib.loads((files("memgauge.studies.track.curation") / "phrases.toml").read_text("utf-8"))
