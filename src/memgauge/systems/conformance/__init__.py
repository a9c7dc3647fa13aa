"""Does a memory system keep its promises? Every claim is put to a probe with a positive control."""

from memgauge.systems.conformance.check import Check, Report, check

__all__ = ["Check", "Report", "check"]
