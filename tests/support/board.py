"""What boards may not quote: eight words of a dataset in their order."""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.datasets.base import Dataset

WORDS = 8
_WORD = re.compile(r"[^\W_]+")


def sequences(source: Dataset | str) -> set[tuple[str, ...]]:
    """Return every sequence of eight words, of a text or of all that a dataset says, asks and answers."""
    texts = [source] if isinstance(source, str) else _texts(source)
    return set(chain.from_iterable(map(_of, texts)))


def _texts(dataset: Dataset) -> Iterator[str]:
    for case in dataset.cases():
        yield from (turn.text for turn in case.conversation.turns())
        yield from (question.text for question in case.questions)
    for gold in dataset.gold():
        yield from gold.answers


def _of(text: str) -> Iterator[tuple[str, ...]]:
    words = _WORD.findall(text.casefold())
    return (tuple(words[start : start + WORDS]) for start in range(len(words) - WORDS + 1))
