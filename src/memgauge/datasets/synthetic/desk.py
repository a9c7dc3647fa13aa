"""The desk on which one life is laid out: dated sessions with free places for what is said."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from memgauge.datasets.synthetic.words import TALK
from memgauge.records import Conversation, Session, Turn

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memgauge.datasets.synthetic.dice import Dice
    from memgauge.datasets.synthetic.sizes import WorldSize

ASSISTANT = "Assistant"
_FIRST_DAY = datetime(2024, 1, 8)  # noqa: DTZ001 - conversations live in naive local time
_OVERLAPPING = 20
"""Of a hundred remarks, how many share words with some question."""


class Desk:
    """Place what a user says; fill the rest with talk."""

    def __init__(self, persona: str, size: WorldSize, dice: Dice) -> None:
        self.persona = persona
        self._turns = size.turns
        self._dice = dice
        self._said: dict[tuple[int, int], tuple[str, str]] = {}
        places = range(0, size.turns, 2)
        self._free = [dice.sample(places, len(places)) for _ in range(size.sessions)]
        self.dates = _dates(size.sessions, dice)

    def roomy(self, sessions: Iterable[int] | None = None) -> list[int]:
        """List the sessions that have a free place, of *sessions* or of all."""
        return [s for s in (range(len(self._free)) if sessions is None else sessions) if self._free[s]]

    def say(self, text: str, session: int, role: str = "user") -> str:
        """Place *text* in *session*; return the id of the turn."""
        place = self._free[session].pop()
        self._said[session, place] = text[0].upper() + text[1:], role
        return turn_id(session, place)

    def finish(self, conversation: str) -> Conversation:
        """Fill the gaps and build the conversation."""
        return Conversation(conversation, tuple(self._session(s) for s in range(len(self._free))))

    def _session(self, session: int) -> Session:
        name, date, dice, placed = session_id(session), self.dates[session], self._dice, self._said
        turns = []
        for place in range(self._turns):
            key, at = turn_id(session, place), date + timedelta(minutes=place)
            if place % 2:
                turns.append(Turn(key, ASSISTANT, dice.pick(TALK["replies"]), name, at, "assistant"))
            elif (session, place) in placed:
                text, role = placed[session, place]
                turns.append(Turn(key, self.persona if role == "user" else role, text, name, at, role))
            else:
                turns.append(Turn(key, self.persona, _remark(dice), name, at))
        return Session(name, date, tuple(turns))


def session_id(session: int) -> str:
    """Name the session at position *session*."""
    return f"s{session + 1:02d}"


def turn_id(session: int, place: int) -> str:
    """Name the turn at *place* of *session*, both counted from 0."""
    return f"s{session + 1:02d}:t{place + 1:02d}"


def session_of(turn: str) -> int:
    """Return the position of the session that a turn is in."""
    return int(turn[1 : turn.index(":")]) - 1


def _remark(dice: Dice) -> str:
    topics = TALK["overlapping" if dice.chance(_OVERLAPPING) else "topics"]
    text = f"{dice.pick(TALK['openers'])} {dice.pick(topics)}, {dice.pick(TALK['tails'])}"
    return text[0].upper() + text[1:]


def _dates(sessions: int, dice: Dice) -> tuple[datetime, ...]:
    day, dates = _FIRST_DAY + timedelta(days=dice.below(90)), []
    for _ in range(sessions):
        dates.append(day + timedelta(hours=dice.between(8, 21), minutes=dice.below(60)))
        day += timedelta(days=dice.between(5, 16))
    return tuple(dates)
