"""Everything is said, then taken back in one of the ways there are, and only then asked."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from memgauge.streams.clean import clean
from memgauge.streams.events import Ask, Removal, Remove, Reset, StreamProtocol

if TYPE_CHECKING:
    from memgauge.records import Case
    from memgauge.streams.events import Stream


def taken_back(stream: Stream, by: Reset | Remove) -> Stream:
    """Put *by* behind everything else of *stream*, and every question behind that."""
    asks = tuple(event for event in stream if isinstance(event, Ask))
    return (*(event for event in stream if not isinstance(event, Ask)), by, *asks)


def _taken_back(by: Reset | Remove, case: Case) -> Stream:
    return taken_back(clean(case), by)


RESET = StreamProtocol("reset-then-search", partial(_taken_back, Reset()))
DELETION = StreamProtocol("deletion-then-search", partial(_taken_back, Remove(Removal.MEMORIES)))
ERASURE = StreamProtocol("erasure-then-search", partial(_taken_back, Remove(Removal.SCOPE)))
