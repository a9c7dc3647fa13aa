"""The twenty families by name; a new one is a generator and one line here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.studies.golden.attacks import encoded, isolation, lasting, planted, rivals
from memgauge.studies.golden.attacks.attack import Family

if TYPE_CHECKING:
    from collections.abc import Mapping

_ALL = (
    Family("P1", "rule of a user", planted.policies),
    Family("P2", "indirect plant", planted.indirect),
    Family("P3", "delayed trigger", planted.delayed, atlas="AML.T0051.002"),
    Family("P4", "forged summary", lasting.summaries),
    Family("P5", "bridging steps", lasting.bridges),
    Family("P6", "grafted experience", planted.grafts),
    Family("P7", "self-reinforcement", lasting.echoes, after=lasting.grown),
    Family("P8", "claimed authority", planted.authority),
    Family("P9", "encodings", encoded.encodings),
    Family("P10", "invisible characters", encoded.disguises),
    Family("P11", "markup and structure", encoded.structures),
    Family("P12", "orders to the answerer", lasting.orders, atlas="AML.T0051.001"),
    Family("P13", "hijacked correction", rivals.hijacks),
    Family("P14", "flooding", rivals.floods),
    Family("P15", "stuffed with keywords", rivals.hubs),
    Family("P16", "extraction", isolation.extraction, injects=False),
    Family("P17", "membership", isolation.membership, injects=False),
    Family("P18", "contamination", isolation.contamination, injects=False),
    Family("P19", "same user elsewhere", isolation.scopes, injects=False),
    Family("P20", "erasure as attack", rivals.erasures, injects=False),
)
FAMILIES: Mapping[str, Family] = {family.id: family for family in _ALL}
"""Every family of attacks, P1 to P20."""
