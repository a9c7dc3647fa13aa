"""What is said between a preference and the question: drawn by a seed, of published talk or of our own."""

from __future__ import annotations

import random
import tomllib
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.datasets.prefeval.schema import FillerMessage

FillerExchange = tuple[str, str]
"""A message and its reply."""


@cache
def invented_exchanges() -> tuple[FillerExchange, ...]:
    """Return exchanges of our own: a hundred and more, all different."""
    lists = tomllib.loads((files("memgauge.datasets.prefeval") / "filler.toml").read_text("utf-8"))
    pairs = list(zip(lists["asked"], lists["replied"], strict=True))
    return tuple(
        (asked.format(thing=subject), replied.format(thing=subject))
        for subject in lists["things"]
        for asked, replied in pairs
    )


def exchanges_of(conversations: Sequence[Sequence[FillerMessage]]) -> tuple[FillerExchange, ...]:
    """Return every message of a user with the reply that follows it."""
    return tuple(
        (first.content, second.content)
        for messages in conversations
        for first, second in pairwise(messages)
        if (first.role, second.role) == ("user", "assistant")
    )


def drawn(key: str, exchanges: Sequence[FillerExchange], seed: int, distance: int) -> list[FillerExchange]:
    """Draw so many exchanges for one conversation, each once before any comes again."""
    chance = random.Random(f"{seed}/{key}")  # noqa: S311 - no secret
    made: list[FillerExchange] = []
    while len(made) < distance:
        made += chance.sample(exchanges, min(len(exchanges), distance - len(made)))
    return made
