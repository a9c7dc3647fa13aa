"""Memory systems under test: the protocol, the built-in policies, adapters, conformance."""

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
