"""Questions in another order, and before anything was said."""

from __future__ import annotations

import random
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING

from memgauge.streams.clean import clean
from memgauge.streams.events import Ask, StreamProtocol

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.records import Case
    from memgauge.streams.events import Event, Stream


def shuffled(stream: Stream, seed: str) -> Stream:
    """Ask the questions that follow each other in another order; nothing else moves."""
    return tuple(_shuffled(stream, random.Random(seed)))  # noqa: S311 - no secret


def _shuffled(stream: Stream, chance: random.Random) -> Iterator[Event]:
    for are_asks, events in groupby(stream, key=lambda event: isinstance(event, Ask)):
        block = list(events)
        if are_asks:
            chance.shuffle(block)
        yield from block


def asked_first(stream: Stream) -> Stream:
    """Ask every question before anything is written."""
    asks = tuple(event for event in stream if isinstance(event, Ask))
    return asks + tuple(event for event in stream if not isinstance(event, Ask))


def question_order(seed: int = 0) -> StreamProtocol:
    """Shuffle questions, in every conversation in a way of its own."""
    return StreamProtocol(
        "question-order", partial(_in_order, seed), {"seed": str(seed)} if seed else {}, question_order
    )


def _in_order(seed: int, case: Case) -> Stream:
    return shuffled(clean(case), f"{seed}/{case.conversation.id}")


def _before(case: Case) -> Stream:
    return asked_first(clean(case))


QUESTION_ORDER = question_order()
SEARCH_BEFORE_WRITE = StreamProtocol("search-before-write", _before)
