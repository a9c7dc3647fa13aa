"""Readers whose answers a test decides, and questions that are made once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.studies.attribution.question import make_questions
from memgauge.studies.attribution.readers import EVERY, ReaderReply

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from memgauge.studies.attribution.cells import AnswerSource
    from memgauge.studies.attribution.question import Shown, SlotQuestion


@dataclass
class Saying:
    """Says what a function of the ask returns, and remembers what it was asked."""

    say: Callable[[Shown], ReaderReply]
    carries: frozenset[AnswerSource] = EVERY
    logs: frozenset[AnswerSource] = frozenset()
    name: str = "saying"
    details: Mapping[str, Any] = field(default_factory=dict)
    asked: list[Shown] = field(default_factory=list)

    def read(self, asks: Sequence[Shown]) -> Iterator[ReaderReply]:
        """Answer one after the other."""
        for ask in asks:
            self.asked.append(ask)
            yield self.say(ask)


@pytest.fixture
def saying() -> type[Saying]:
    """Return the reader whose answers a test decides."""
    return Saying


@pytest.fixture(scope="session")
def questions() -> tuple[SlotQuestion, ...]:
    """Make twelve questions, one a slot, half of them guessable."""
    return make_questions(12)
