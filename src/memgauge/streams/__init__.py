"""Conversations as ordered streams of events, and the protocols that order and disturb them."""

from memgauge.registry import Registry
from memgauge.streams.clean import CLEAN, clean
from memgauge.streams.events import Ask, Clock, Event, Reset, SessionEnd, Stream, StreamProtocol, Write
from memgauge.streams.interruption import interrupt, isolate, place
from memgauge.streams.units import UNIT_SIZES, in_units

STREAMS: Registry[StreamProtocol] = Registry("stream protocol", "memgauge.streams", {"clean": CLEAN})
"""Every protocol that needs nothing but a conversation, by name; a new one is its module and one line here."""

__all__ = [
    "CLEAN",
    "STREAMS",
    "UNIT_SIZES",
    "Ask",
    "Clock",
    "Event",
    "Reset",
    "SessionEnd",
    "Stream",
    "StreamProtocol",
    "Write",
    "clean",
    "in_units",
    "interrupt",
    "isolate",
    "place",
]
