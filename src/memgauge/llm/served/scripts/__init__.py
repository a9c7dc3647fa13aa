"""What a scripted model says: families of prompts, tried in order, and the smallest reply that fits else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.llm.served.asked import Use
from memgauge.llm.served.filler import fill
from memgauge.llm.served.scripts import graphs, hindsight, langmem, mem0, memu, notes
from memgauge.llm.served.scripts.family import PromptFamily

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.llm.served.asked import ChatRequest, Said

FAMILIES: tuple[PromptFamily, ...] = (
    *mem0.FAMILIES,
    *langmem.FAMILIES,
    *graphs.FAMILIES,
    *notes.FAMILIES,
    *hindsight.FAMILIES,
    *memu.FAMILIES,
)
"""All families that are known, of all products."""


def purpose_of(asked: ChatRequest, families: Sequence[PromptFamily] = FAMILIES) -> str:
    """Name what a request is for; one of no family by the shape of its reply."""
    for family in families:
        if family.fits(asked):
            return family.purpose
    shape = asked.schema_name or asked.must_use.strip("*") or ("tools" if asked.tools else "")
    return f"unknown: {shape or ('json' if asked.json_only else 'text')}"


def scripted_by(asked: ChatRequest, families: Sequence[PromptFamily] = FAMILIES) -> Said:
    """Say what the first family that fits says, or else the smallest reply that fits the request."""
    for family in families:
        if family.fits(asked):
            return family.say(asked)
    return smallest(asked)


def smallest(asked: ChatRequest) -> Said:
    """Return the smallest reply that a request allows."""
    if asked.must_use and asked.tools:
        tool = asked.must_use if asked.must_use in asked.tools else next(iter(asked.tools))
        return [Use(tool, fill(asked.tools[tool]) or {})]
    if asked.schema is not None:
        filled = fill(asked.schema)
        return filled if isinstance(filled, dict) else {"value": filled}
    return {} if asked.json_only else "OK."


__all__ = ["FAMILIES", "PromptFamily", "purpose_of", "scripted_by", "smallest"]
