"""Memory systems under test: the protocol, the built-in policies, adapters, conformance.

A name is imported when it is used: what a run records of a system needs the protocol alone.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memgauge.systems.catalogue import SYSTEMS, SystemListing, describe_system, open_system
    from memgauge.systems.conformance import Check, ConformanceReport, check
    from memgauge.systems.protocol import Capabilities, MemorySystem, Role, Unit, supported

__all__ = [
    "SYSTEMS",
    "Capabilities",
    "Check",
    "ConformanceReport",
    "MemorySystem",
    "Role",
    "SystemListing",
    "Unit",
    "check",
    "describe_system",
    "open_system",
    "supported",
]

_HOMES = {
    "SYSTEMS": "catalogue",
    "Capabilities": "protocol",
    "Check": "conformance",
    "ConformanceReport": "conformance",
    "MemorySystem": "protocol",
    "Role": "protocol",
    "SystemListing": "catalogue",
    "Unit": "protocol",
    "check": "conformance",
    "describe_system": "catalogue",
    "open_system": "catalogue",
    "supported": "protocol",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
