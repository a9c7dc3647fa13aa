"""Conversations as ordered streams of events, and the protocols that reorder them."""

from memgauge.streams.clean import clean
from memgauge.streams.events import Ask, Clock, Event, SessionEnd, Stream, Write

__all__ = ["Ask", "Clock", "Event", "SessionEnd", "Stream", "Write", "clean"]
