"""Memories that choose how lineage is cut: many turns claimed by a text that holds few of them, or all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.systems.reference.crafted.crafted import Gathered

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.records import Turn


class Sessions(Gathered, how="session"):
    """One memory a session; its text is the first turn."""

    def _home(self, turn: Turn) -> str:
        return turn.session

    def _gather(self, turns: Sequence[Turn]) -> str:
        return turns[0].text


class Openings(Sessions, how="openings"):
    """One memory a session; its text is the first four words of every turn."""

    def _gather(self, turns: Sequence[Turn]) -> str:
        return " ".join(" ".join(turn.text.split()[:4]) for turn in turns)


class Everything(Gathered, how="everything"):
    """One memory that holds all that was ever said."""

    def _home(self, turn: Turn) -> str:  # noqa: ARG002 - all turns live in one memory
        return "everything"

    def _gather(self, turns: Sequence[Turn]) -> str:
        return "\n".join(f"{turn.speaker}: {turn.text}" for turn in reversed(turns))


class Fine(Everything, how="ok"):
    """One memory with the text "ok", updated at every write."""

    def _gather(self, turns: Sequence[Turn]) -> str:  # noqa: ARG002 - whatever was said
        return "ok"


MEMORIES = (Sessions, Openings, Everything, Fine)
