"""Does a memory system keep its promises? Every claim is put to a probe with a positive control."""

from memgauge.systems.conformance.check import Check, ConformanceReport, check, checks

__all__ = ["Check", "ConformanceReport", "check", "checks"]
