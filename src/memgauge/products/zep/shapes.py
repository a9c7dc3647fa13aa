"""What Zep's API takes and gives: turns as messages; episodes, edges and nodes as memories."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memgauge.errors import ContractBreach
from memgauge.records import Form, Memory
from memgauge.systems.adapters.services import moment_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from memgauge.records import Turn

EPISODES, EDGES, NODES = "episodes", "edges", "nodes"
TURN = "turn"
"""Under which name the id of a turn travels in the metadata of its message."""
ROLES = {"system", "assistant", "user", "function", "tool"}


def message_of(turn: Turn, longest: int) -> dict[str, Any]:
    """Spell a turn as a message: of its text the first *longest* characters."""
    message = {
        "role": turn.role if turn.role in ROLES else "user",
        "name": turn.speaker,
        "content": turn.text[:longest],
        "metadata": {TURN: turn.id},
    }
    return message | ({"reference_time": f"{turn.at.isoformat()}Z"} if turn.at else {})


def again(episode: Mapping[str, Any], text: str) -> dict[str, Any]:
    """Spell an episode as a message with another text."""
    keys = {"role": "role", "name": "role_name", "metadata": "metadata", "reference_time": "reference_time"}
    return {"content": text} | {key: episode[name] for key, name in keys.items() if episode.get(name)}


def memory_of(kind: str, given: Mapping[str, Any], turns: Mapping[str, str]) -> Memory:
    """Read an episode, an edge or a node as a memory.

    Args:
        kind: Which of them it is.
        given: What the API says of it.
        turns: The turn of every episode that is known.
    """
    name = uuid_of(given, kind)
    episodes = [name] if kind == EPISODES else given.get("episode_uuids") or ()
    sources = tuple(dict.fromkeys(turns[episode] for episode in episodes if episode in turns))
    stored = local(given.get("created_at"))
    if kind == EPISODES:
        at = local(given.get("reference_time"))
        text = str(given.get("content") or "")
        return Memory(name, text, Form.UNKNOWN, sources, event_at=at, stored_at=stored, channel=kind)
    if kind == NODES:
        text = ": ".join(filter(None, (given.get("name"), given.get("summary"))))
        return Memory(name, text, Form.NODE, sources, stored_at=stored, channel=kind)
    return Memory(
        name,
        str(given.get("fact") or ""),
        Form.EDGE,
        sources,
        valid_from=local(given.get("valid_at")),
        # superseded, but nobody said from when on: at the latest when Zep noticed
        valid_to=local(given.get("invalid_at") or given.get("expired_at")),
        stored_at=stored,
        channel=kind,
    )


def uuid_of(given: Mapping[str, Any], what: str) -> str:
    """Return the id that the API gave to something.

    Raises:
        ContractBreach: It has none.
    """
    name = given.get("uuid")
    if not isinstance(name, str) or not name:
        raise ContractBreach(f"Zep returned {what} without a uuid")
    return name


def local(at: str | None) -> datetime | None:
    """Read a moment, without the zone that Zep wants: times of turns have none."""
    return moment_of(at, "Zep") if at else None
