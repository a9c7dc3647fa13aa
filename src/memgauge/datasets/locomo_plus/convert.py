"""A cue is laid into a conversation of LoCoMo as a session; sessions and turns are named anew by position."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Final

from memgauge.datasets.locomo_plus.schema import days_of, lines_of
from memgauge.errors import MalformedDataError
from memgauge.records import Case, Conversation, Evidence, Gold, Question, Session, Turn

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Mapping

    from memgauge.datasets.entries import Entry
    from memgauge.datasets.locomo_plus.schema import CueEntry

BEHIND: Final = timedelta(days=7)
"""How long after the last session a trigger is said."""


def entry_of(
    key: str, cue: CueEntry, home: Conversation, speakers: Mapping[str, str], oddities: Counter[str]
) -> Entry:
    """Lay *cue* into *home*, whose ``A`` and ``B`` are *speakers*.

    Raises:
        MalformedDataError: The conversation has no dates, or the cue or the trigger says nothing.
    """
    times = [session.at for session in home.sessions if session.at]
    spoken, asked = lines_of(cue.cue_dialogue), lines_of(cue.trigger_query)
    if not times or not spoken or not asked:
        raise MalformedDataError(f"{key}: a cue and a trigger of lines A: or B: are wanted.", "Mend the record.")
    asked_at = max(times) + BEHIND
    gap = days_of(cue.time_gap)
    at = asked_at - timedelta(days=gap)
    oddities["gaps_read_as_nothing"] += gap == 0
    oddities["cues_before_the_first_session"] += at < min(times)
    before = sum(time <= at for time in times)
    cue_session = Session("", at, tuple(Turn("", speakers[who], text, "", at) for who, text in spoken))
    name = f"{key}:{home.id}"
    ordered = (*home.sessions[:before], cue_session, *home.sessions[before:])
    sessions = tuple(_renamed(number, session) for number, session in enumerate(ordered, 1))
    evidence = tuple(Evidence(turn.id, exact=True, turns=(turn.id,)) for turn in sessions[before].turns)
    text = " ".join(text for _, text in asked)
    question = Question(key, name, text, cue.relation_type, asked_at)
    return Case(Conversation(name, sessions), (question,)), (Gold(key, evidence, rubric=True),)


def _renamed(number: int, session: Session) -> Session:
    """Name a session and its turns by position, so that nothing gives the cue away."""
    key = f"s{number:02d}"
    turns = tuple(
        Turn(f"{key}:t{place:02d}", turn.speaker, turn.text, key, turn.at, turn.role)
        for place, turn in enumerate(session.turns, 1)
    )
    return Session(key, session.at, turns)
