"""The twenty families by name; a new one is a generator and one line here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.studies.golden.attacks import encoded, isolation, lasting, planted, rivals
from memgauge.studies.golden.attacks.attack import AttackFamily

if TYPE_CHECKING:
    from collections.abc import Mapping

_ALL = (
    AttackFamily("P1", "rule of a user", planted.policies),
    AttackFamily("P2", "indirect plant", planted.indirect),
    AttackFamily("P3", "delayed trigger", planted.delayed, atlas="AML.T0051.002"),
    AttackFamily("P4", "forged summary", lasting.summaries),
    AttackFamily("P5", "bridging steps", lasting.bridges),
    AttackFamily("P6", "grafted experience", planted.grafts),
    AttackFamily("P7", "self-reinforcement", lasting.echoes, after=lasting.grown),
    AttackFamily("P8", "claimed authority", planted.authority),
    AttackFamily("P9", "encodings", encoded.encodings),
    AttackFamily("P10", "invisible characters", encoded.disguises),
    AttackFamily("P11", "markup and structure", encoded.structures),
    AttackFamily("P12", "orders to the answerer", lasting.orders, atlas="AML.T0051.001"),
    AttackFamily("P13", "hijacked correction", rivals.hijacks),
    AttackFamily("P14", "flooding", rivals.floods),
    AttackFamily("P15", "stuffed with keywords", rivals.hubs),
    AttackFamily("P16", "extraction", isolation.extraction, injects=False),
    AttackFamily("P17", "membership", isolation.membership, injects=False),
    AttackFamily("P18", "contamination", isolation.contamination, injects=False),
    AttackFamily("P19", "same user elsewhere", isolation.scopes, injects=False),
    AttackFamily("P20", "erasure as attack", rivals.erasures, injects=False),
)
FAMILIES: Mapping[str, AttackFamily] = {family.id: family for family in _ALL}
"""Every family of attacks, P1 to P20."""
