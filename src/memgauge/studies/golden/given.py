"""What the commands take: days, and words that say something."""

from __future__ import annotations

from datetime import date

from memgauge.errors import ConfigError


def day(option: str, text: str) -> None:
    """Refuse a text that is no day; none at all is no day that is known.

    Raises:
        ConfigError: Names the option and the text.
    """
    try:
        date.fromisoformat(text or "2026-01-05")
    except ValueError:
        raise ConfigError(f"{option} {text} is no day.", "Write it as 2026-03-02.") from None


def words(option: str, text: str) -> None:
    """Refuse a text that says nothing.

    Raises:
        ConfigError: Names the option.
    """
    if not text.strip():
        raise ConfigError(f"{option} is empty.", "Name something.")
