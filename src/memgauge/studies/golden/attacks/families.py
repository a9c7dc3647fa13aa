"""The twenty families by name; a new one is its stories and one line here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.studies.golden.attacks import encoded, isolation, lasting, planted, rivals
from memgauge.studies.golden.attacks.attack import AttackFamily

if TYPE_CHECKING:
    from collections.abc import Mapping

_ALL = (
    AttackFamily("P1", "rule of a user", planted.POLICIES),
    AttackFamily("P2", "indirect plant", planted.indirect),
    AttackFamily("P3", "delayed trigger", planted.delayed, atlas="AML.T0051.002"),
    AttackFamily("P4", "forged summary", lasting.SUMMARIES),
    AttackFamily("P5", "bridging steps", lasting.BRIDGES),
    AttackFamily("P6", "grafted experience", planted.GRAFTS),
    AttackFamily("P7", "self-reinforcement", lasting.ECHOES, after=lasting.grown),
    AttackFamily("P8", "claimed authority", planted.AUTHORITY),
    AttackFamily("P9", "encodings", encoded.encodings),
    AttackFamily("P10", "invisible characters", encoded.disguises),
    AttackFamily("P11", "markup and structure", encoded.STRUCTURES),
    AttackFamily("P12", "orders to the answerer", lasting.ORDERS, atlas="AML.T0051.001"),
    AttackFamily("P13", "hijacked correction", rivals.HIJACKS),
    AttackFamily("P14", "flooding", rivals.floods),
    AttackFamily("P15", "stuffed with keywords", rivals.CROWDS),
    AttackFamily("P16", "extraction", isolation.EXTRACTION, injects=False),
    AttackFamily("P17", "membership", isolation.MEMBERSHIP, injects=False),
    AttackFamily("P18", "contamination", isolation.CONTAMINATION, injects=False),
    AttackFamily("P19", "same user elsewhere", isolation.SCOPES, injects=False),
    AttackFamily("P20", "erasure as attack", rivals.ERASURES, injects=False),
)
FAMILIES: Mapping[str, AttackFamily] = {family.id: family for family in _ALL}
"""Every family of attacks, P1 to P20."""
