"""A turn as one hears it: who spoke, and on which day."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from memgauge.text.dates import spell_date

if TYPE_CHECKING:
    from datetime import date, datetime


def as_heard(text: str, speaker: str, at: datetime | None) -> str:
    """Write *text* behind its speaker and its day, ``Ada (8 May 2023): …``, as far as they are known."""
    return _behind(speaker, None if at is None else at.date()) + text


@lru_cache(4096)
def _behind(speaker: str, on: date | None) -> str:
    """Write what stands before a text: turns of one session share it."""
    day = "" if on is None else f"({spell_date(on)})"
    lead = " ".join(filter(None, (speaker, day)))
    return f"{lead}: " if lead else ""


def spellings(text: str, speaker: str, at: datetime | None) -> tuple[str, ...]:
    """Write a turn in every form in which memories of ours keep it: alone, behind its speaker, as heard."""
    return text, f"{speaker}: {text}", as_heard(text, speaker, at)


def spells(text: str, spoken: str, speaker: str, at: datetime | None) -> bool:
    """Whether *text* is one of the :func:`spellings` of what was *spoken*, without writing them."""
    return spelled_as(text, spoken, speaker, at) is not None


SPELLINGS: Final = 3
"""In how many forms memories of ours keep a turn."""


def spelled_as(text: str, spoken: str, speaker: str, at: datetime | None) -> int | None:
    """Return the place of *text* among the :func:`spellings` of what was *spoken*; ``None`` where it is none."""
    if not text.endswith(spoken):
        return None
    lead, leads = text[: len(text) - len(spoken)], beginnings(speaker, at)
    return leads.index(lead) if lead in leads else None


def beginnings(speaker: str, at: datetime | None) -> tuple[str, ...]:
    """Return what stands before a text in each of its :func:`spellings`."""
    return _beginnings(speaker, None if at is None else at.date())


@lru_cache(4096)
def _beginnings(speaker: str, on: date | None) -> tuple[str, ...]:
    """Write what stands before a text in each of its spellings."""
    return "", f"{speaker}: ", _behind(speaker, on)
