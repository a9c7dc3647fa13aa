"""Which questions are for tuning and which for reporting, decided once and for all by a hash."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memgauge.errors import ConfigError
from memgauge.text.normalise import fold

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.records import Question

DEV_SHARE = 0.3


@dataclass(frozen=True)
class Split:
    """Question ids of both parts."""

    by: str
    """``conversation`` where several have questions, else ``question``."""
    seed: str
    dev_share: float
    """What was aimed at; few questions may miss it by much."""
    dev: tuple[str, ...]
    test: tuple[str, ...]


def split(questions: Sequence[Question], seed: str, dev_share: float = DEV_SHARE) -> Split:
    """Put each conversation, or of one conversation each question, into one part by a keyed hash.

    A question goes by its text, so that it stays in its part when others are added.

    Raises:
        ConfigError: The share is not one.
    """
    if not 0 <= dev_share <= 1:
        raise ConfigError(f"The dev part cannot have a share of {dev_share}.", "Name a number from 0 to 1.")
    whole = len({question.conversation for question in questions}) > 1
    dev: list[str] = []
    test: list[str] = []
    for question in questions:
        key = question.conversation if whole else fold(question.text)
        (dev if _place(seed, key) < dev_share else test).append(question.id)
    return Split("conversation" if whole else "question", seed, dev_share, tuple(dev), tuple(test))


def _place(seed: str, key: str) -> float:
    """Return a number from 0 up to 1 that only the seed and the key decide."""
    digest = hmac.digest(seed.encode(), key.encode("utf-8", "replace"), hashlib.sha256)
    return int.from_bytes(digest[:6]) / 2**48
