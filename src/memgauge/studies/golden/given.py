"""What the commands take: numbers within their range, days and words that say something."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from memgauge.errors import ConfigError
from memgauge.ranges import RANGES

if TYPE_CHECKING:
    from typing import Literal


def number(option: str, value: float, kind: Literal["Seconds", "Count", "Number"]) -> None:
    """Refuse a number outside of the range of its kind.

    Raises:
        ConfigError: Names the option, the value and the range.
    """
    try:
        RANGES[kind].read(str(value))
    except ValueError:
        raise ConfigError(f"{option} {value} is not {RANGES[kind].words}.") from None


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
