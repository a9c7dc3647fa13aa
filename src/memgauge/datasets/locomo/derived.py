"""The derived memories that LoCoMo ships: observations about a speaker, and session summaries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.datasets.locomo.convert import turn_ids_in
from memgauge.records import Form, Memory

if TYPE_CHECKING:
    from memgauge.datasets.locomo.schema import SampleEntry
    from memgauge.records import Conversation


def observations(sample: SampleEntry, said: Conversation) -> tuple[Memory, ...]:
    """Convert the observations, in session order; each names the turns that it descends from."""
    turns = frozenset(turn.id for turn in said.turns())
    found: list[Memory] = []
    for session in said.sessions:
        for entries in sample.observation.get(f"{session.id}_observation", {}).values():
            for text, sources in entries:
                written = sources if isinstance(sources, str) else " ".join(sources)
                found.append(
                    Memory(
                        f"{said.id}/obs/{len(found)}",
                        text,
                        Form.CANONICAL,
                        turn_ids_in(written, turns),
                        event_at=session.at,
                    )
                )
    return tuple(found)


def summaries(sample: SampleEntry, said: Conversation) -> tuple[Memory, ...]:
    """Convert the session summaries; each descends from every turn of its session."""
    found: list[Memory] = []
    for session in said.sessions:
        text = sample.session_summary.get(f"{session.id}_summary")
        if text is not None:
            sources = tuple(turn.id for turn in session.turns)
            memory = f"{said.id}/sum/{len(found)}"
            found.append(Memory(memory, text, Form.SUMMARY, sources, event_at=session.at))
    return tuple(found)
