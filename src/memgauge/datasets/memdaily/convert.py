"""From trajectories to conversations of short messages, questions with options, and gold by step."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Final

from memgauge.datasets.choosing import searched
from memgauge.datasets.memdaily.schema import read_moment
from memgauge.records import Case, Choices, Conversation, Evidence, Gold, Question, Session, Turn

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Sequence
    from datetime import date, datetime

    from memgauge.datasets.memdaily.schema import OptionedQuestion, StepEntry
    from memgauge.datasets.places import FieldPath

ALL: Final = "all"
"""The only session of a trajectory."""
DAILY: Final = "daily"


@dataclass(frozen=True)
class Asked:
    """One question with its gold and its options."""

    question: Question
    gold: Gold
    choices: Choices


def turns_of(place: FieldPath, steps: Sequence[StepEntry], *, places: bool) -> tuple[Turn, ...]:
    """Convert the messages of a trajectory, in the order of the file."""
    return tuple(
        Turn(
            str(step.mid),
            "user",
            f"{step.message} ({step.place})" if places and step.place else step.message,
            ALL,
            read_moment(place.at("message_list", number, "time"), step.time),
        )
        for number, step in enumerate(steps)
    )


def conversation_of(name: str, turns: Sequence[Turn], sessions: str) -> Conversation:
    """Gather *turns* into one session, or into one a day; some trajectories are not in time order."""
    if sessions != DAILY:
        return Conversation(name, (Session(ALL, min(turn.at for turn in turns if turn.at), tuple(turns)),))

    def day(turn: Turn) -> date:
        return _at(turn).date()

    days = []
    for which, group in groupby(sorted(turns, key=day), key=day):
        key = which.isoformat()
        day_turns = tuple(Turn(turn.id, turn.speaker, turn.text, key, turn.at, turn.role) for turn in group)
        days.append(Session(key, min(map(_at, day_turns)), day_turns))
    return Conversation(name, tuple(days))


def asked_of(
    place: FieldPath, name: str, category: str, entry: OptionedQuestion, turns: Sequence[Turn], search: str
) -> Asked:
    """Convert one question of the conversation *name*."""
    at = read_moment(place.at("time"), entry.time) if entry.time else None
    key = f"{name}:{entry.qid}"
    text = searched(entry.question, entry.options, search)
    known = {turn.id for turn in turns}
    steps = [str(step) for step in dict.fromkeys(entry.target_step_id)]
    gold = Gold(
        question=key,
        evidence=tuple(Evidence(s, exact=s in known, turns=(s,) if s in known else ()) for s in steps),
        answers=tuple(dict.fromkeys((entry.choices[entry.ground_truth], entry.answer))),
        raw_answer=entry.ground_truth,
    )
    choices = Choices(key, entry.question, entry.options, entry.right)
    return Asked(Question(key, name, text, category, at), gold, choices)


def count(turns: Sequence[Turn], asked: Sequence[Asked], oddities: Counter[str]) -> None:
    """Count what a reader should know of a trajectory."""
    moments = [_at(turn) for turn in turns]
    oddities["not_in_time_order"] += moments != sorted(moments)
    for each in asked:
        oddities["evidence"] += len(each.gold.evidence)
        oddities["evidence_missing"] += sum(not evidence.exact for evidence in each.gold.evidence)
        oddities["equal_choices"] += len(set(each.choices.options)) < len(each.choices.options)
        oddities["answers_unlike_their_choice"] += len(each.gold.answers) > 1
        oddities["asked_before_the_last_message"] += (
            each.question.asked_at is not None and each.question.asked_at < max(moments)
        )


def case_of(conversation: Conversation, asked: Sequence[Asked]) -> tuple[Case, tuple[Gold, ...]]:
    """Join a conversation and what is asked about it."""
    questions = tuple(each.question for each in asked)
    return Case(conversation, questions), tuple(each.gold for each in asked)


def _at(turn: Turn) -> datetime:
    if turn.at is None:
        raise ValueError(f"turn {turn.id} has no time")
    return turn.at
