"""The desk on which one conversation is laid out: dated sessions with free places for utterances."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from memgauge.datasets.synthetic.chatter import remark, reply
from memgauge.records import Conversation, Session, Turn

if TYPE_CHECKING:
    from collections.abc import Iterable
    from random import Random

    from memgauge.datasets.synthetic.sizes import Size

ASSISTANT = "Assistant"
_FIRST_DAY = datetime(2024, 1, 8)  # noqa: DTZ001 - conversations live in naive local time


class Desk:
    """Place what the persona says; fill the rest with small talk."""

    def __init__(self, persona: str, size: Size, rng: Random) -> None:
        self.persona = persona
        self.sessions = size.sessions
        self._turns = size.turns
        self._rng = rng
        self._said: dict[tuple[int, int], str] = {}
        self._free = [rng.sample(range(0, size.turns, 2), (size.turns + 1) // 2) for _ in range(size.sessions)]
        self.dates = _dates(size.sessions, rng)

    def say(self, text: str, sessions: Iterable[int]) -> tuple[int, str]:
        """Place *text* in one of *sessions* that has room; return the session and the id of the turn."""
        session = self._rng.choice([s for s in sessions if self._free[s]])
        return session, self.say_in(text, session)

    def say_in(self, text: str, session: int) -> str:
        """Place *text* in *session*; return the id of the turn."""
        place = self._free[session].pop()
        self._said[session, place] = text[0].upper() + text[1:]
        return turn_id(session, place)

    def roomy(self) -> list[int]:
        """List the sessions that have a free place."""
        return [s for s, free in enumerate(self._free) if free]

    def finish(self, conversation: str) -> Conversation:
        """Fill the gaps and build the conversation."""
        return Conversation(conversation, tuple(self._session(s) for s in range(self.sessions)))

    def _session(self, session: int) -> Session:
        turns = tuple(self._turn(session, place) for place in range(self._turns))
        return Session(session_id(session), self.dates[session], turns)

    def _turn(self, session: int, place: int) -> Turn:
        key, at = turn_id(session, place), self.dates[session]
        if place % 2:
            return Turn(key, ASSISTANT, reply(self._rng), session_id(session), at, "assistant")
        text = self._said.get((session, place)) or remark(self._rng)
        return Turn(key, self.persona, text, session_id(session), at)


def session_id(session: int) -> str:
    """Name the session at position *session*."""
    return f"s{session + 1:02d}"


def turn_id(session: int, place: int) -> str:
    """Name the turn at *place* of *session*, both counted from 0."""
    return f"{session_id(session)}:t{place + 1:02d}"


def _dates(sessions: int, rng: Random) -> tuple[datetime, ...]:
    day, dates = _FIRST_DAY + timedelta(days=rng.randrange(90)), []
    for _ in range(sessions):
        dates.append(day + timedelta(hours=rng.randint(8, 21), minutes=rng.randrange(60)))
        day += timedelta(days=rng.randint(3, 16))
    return tuple(dates)
