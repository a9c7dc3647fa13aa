"""A history as sessions: a `system` message opens a block and is left out, and blocks are cut where questions end.

The `system` messages say in prose who the persona is, so that a memory which reads them knows the answers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from memgauge.records import Session, Turn

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from memgauge.datasets.personamem.schema import PersonaMessage

SYSTEM: Final = "system"


@dataclass(frozen=True)
class PersonaHistory:
    """What is told of one history."""

    sessions: tuple[Session, ...]
    last_before: Mapping[int, str]
    """By each cut, the last session that lies before it; a cut before anything was said has none."""
    system_turns: int
    """How many messages were left out."""


def history_of(messages: Sequence[PersonaMessage], cuts: Iterable[int] = ()) -> PersonaHistory:
    """Make sessions of messages; *cuts* are places before which something is asked, counted in all messages."""
    wanted = frozenset(cuts)
    sessions: list[Session] = []
    last_before: dict[int, str] = {}
    turns: list[Turn] = []

    def close() -> None:
        if turns:
            sessions.append(Session(turns[0].session, None, tuple(turns)))
            turns.clear()

    for place, message in enumerate(messages):
        if place in wanted or message.role == SYSTEM:
            close()
        if place in wanted and sessions:
            last_before[place] = sessions[-1].id
        if message.role != SYSTEM:
            turns.append(_turn(f"S{len(sessions) + 1}", place, message))
    close()
    if sessions:
        last_before |= {cut: sessions[-1].id for cut in wanted if cut >= len(messages)}
    return PersonaHistory(tuple(sessions), last_before, sum(each.role == SYSTEM for each in messages))


def _turn(session: str, place: int, message: PersonaMessage) -> Turn:
    spoken = message.content.removeprefix(f"{message.role.capitalize()}: ")
    return Turn(f"m{place:05d}", message.role, spoken, session, None, message.role)
