"""Conversations as ordered streams of events, and the protocols that reorder them."""

from collections.abc import Callable

from memgauge.records import Case
from memgauge.registry import Registry
from memgauge.streams.clean import clean
from memgauge.streams.events import Ask, Clock, Event, SessionEnd, Stream, Write

STREAMS: Registry[Callable[[Case, str], Stream]] = Registry(
    "stream protocol", "memgauge.streams", {"clean": clean}
)
"""Every protocol by name; a new one is its module and one line here."""

__all__ = ["STREAMS", "Ask", "Clock", "Event", "Protocol", "SessionEnd", "Stream", "Write", "clean"]
