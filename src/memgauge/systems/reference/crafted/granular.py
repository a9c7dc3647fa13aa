"""Memories that choose how lineage is cut: many turns claimed by a text that holds few of them, or all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.systems.reference.crafted.crafted import Gathered

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.records import Turn


class Sessions(Gathered):
    """One memory a session; its text is the first turn."""

    how = "session"

    def home(self, turn: Turn) -> str:
        """Name the session."""
        return turn.session

    def gather(self, turns: Sequence[Turn]) -> str:
        """Return the first turn."""
        return turns[0].text


class Openings(Sessions):
    """One memory a session; its text is the first four words of every turn."""

    how = "openings"

    def gather(self, turns: Sequence[Turn]) -> str:
        """Return four words of each turn."""
        return " ".join(" ".join(turn.text.split()[:4]) for turn in turns)


class Everything(Gathered):
    """One memory that holds all that was ever said."""

    how = "everything"

    def home(self, turn: Turn) -> str:  # noqa: ARG002 - all turns live in one memory
        """Name the only memory."""
        return "everything"

    def gather(self, turns: Sequence[Turn]) -> str:
        """Return all turns, the latest first."""
        return "\n".join(f"{turn.speaker}: {turn.text}" for turn in reversed(turns))


class Fine(Everything):
    """One memory with the text "ok", updated at every write."""

    how = "ok"

    def gather(self, turns: Sequence[Turn]) -> str:  # noqa: ARG002 - whatever was said
        """Say that all is well."""
        return "ok"


MEMORIES = (Sessions, Openings, Everything, Fine)
