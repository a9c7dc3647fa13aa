"""The forms in which memories keep a turn word for word."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.text.heard import as_heard

if TYPE_CHECKING:
    from datetime import datetime


def spellings(text: str, speaker: str, at: datetime | None) -> tuple[str, str, str]:
    """Write a turn as its words alone, behind its speaker, and behind its speaker and its day."""
    return text, f"{speaker}: {text}", as_heard(text, speaker, at)
