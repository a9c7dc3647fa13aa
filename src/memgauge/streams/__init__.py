"""Conversations as ordered streams of events, and the protocols that order and disturb them."""

from memgauge.registry import Registry, arguments_for, parse_ref, unknown_name
from memgauge.streams.clean import CLEAN, clean
from memgauge.streams.compliance import COMPLIANCE
from memgauge.streams.events import (
    Ask,
    Clock,
    Event,
    Removal,
    Remove,
    Reset,
    SessionEnd,
    Stream,
    StreamProtocol,
    Write,
)
from memgauge.streams.interruption import interrupt, isolate, place
from memgauge.streams.units import UNIT_SIZES, in_units

STREAMS: Registry[StreamProtocol] = Registry(
    "stream protocol", "memgauge.streams", {each.name: each for each in (CLEAN, *COMPLIANCE)}
)
"""Every protocol that needs nothing but a conversation, by name; a new one is its module and one line here."""


def open_stream(ref: str) -> StreamProtocol:
    """Open a protocol by its text: ``clean``, ``question-order:seed=3``.

    Raises:
        UnknownNameError: There is no such protocol, or it has no such parameter.
        ConfigError: A value does not fit.
    """
    stream_ref = parse_ref(ref)
    protocol = STREAMS.get(stream_ref.name)
    parameters = {**({"variant": stream_ref.variant} if stream_ref.variant else {}), **stream_ref.params}
    if not parameters:
        return protocol
    if protocol.vary is None:
        raise unknown_name(f"parameter of stream protocol {protocol.name}", next(iter(parameters)), ())
    return protocol.vary(**arguments_for(protocol.vary, "stream protocol", protocol.name, parameters))


__all__ = [
    "CLEAN",
    "STREAMS",
    "UNIT_SIZES",
    "Ask",
    "Clock",
    "Event",
    "Removal",
    "Remove",
    "Reset",
    "SessionEnd",
    "Stream",
    "StreamProtocol",
    "Write",
    "clean",
    "in_units",
    "interrupt",
    "isolate",
    "open_stream",
    "place",
]
