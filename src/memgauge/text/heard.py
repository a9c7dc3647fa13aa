"""A turn as one hears it: who spoke, and on which day."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.text.dates import spell_date

if TYPE_CHECKING:
    from datetime import datetime


def as_heard(text: str, speaker: str, at: datetime | None) -> str:
    """Write *text* behind its speaker and its day, ``Ada (8 May 2023): …``, as far as they are known."""
    day = "" if at is None else f"({spell_date(at.date())})"
    named = " ".join(filter(None, (speaker, day)))
    return f"{named}: {text}" if named else text


def spellings(text: str, speaker: str, at: datetime | None) -> tuple[str, ...]:
    """Write a turn in every form in which memories of ours keep it: alone, behind its speaker, as heard."""
    return text, f"{speaker}: {text}", as_heard(text, speaker, at)
