"""`traffic.json`: where traffic comes from, and what was counted out of it and why."""

from __future__ import annotations

from typing import Final, Literal

from pydantic import BaseModel, ConfigDict

FILE: Final = "traffic.json"
FORMAT: Final = 2
"""The first one has no columns of services, models and runs in answers; it is still read."""


class _TrafficPart(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class TrafficSource(_TrafficPart):
    """One file that was read."""

    name: str
    sha256: str
    bytes: int


class TrafficIdentity(_TrafficPart):
    """What was recorded, by whom, and how."""

    recorder: str
    """``otlp``, ``watch``, or whoever wrote it."""
    sources: tuple[TrafficSource, ...] = ()
    dialects: dict[str, dict[str, int]] = {}
    """Operations by dialect and kind."""
    services: tuple[str, ...] = ()
    """Names and versions of the services that were traced."""
    libraries: tuple[str, ...] = ()
    """Names and versions of what wrote the spans."""
    schemas: tuple[str, ...] = ()
    sampling: str = "unknown"
    """As far as it is known; spans that were never written are seen by nobody."""
    pseudonyms: Literal["keyed", "plain"] = "plain"
    texts: bool = False
    scope_from: tuple[str, ...] = ()
    """Attributes that a scope was looked for in, the first one first."""


class TrafficLedger(_TrafficPart):
    """How many of everything, so that what was left out is seen."""

    rows: int = 0
    """Lines or documents that were read."""
    spans: int = 0
    operations: int = 0
    joined: int = 0
    """Operations whose parent was there as well, or that have none."""
    orphans: int = 0
    """Operations whose parent was never seen."""
    duplicates: int = 0
    dropped_attributes: int = 0
    """Spans that say that attributes of theirs were dropped."""
    unparsable: int = 0
    """Records that could not be read as what they should be."""
    noted: dict[str, int] = {}
    """What a reader should know of operations that are there, by what it is."""
    left_out: dict[str, int] = {}
    """Spans and lines that were left out, by reason."""
    unknown: dict[str, int] = {}
    """Spans that look like memory in no dialect that is known, by their name."""


class TrafficManifest(_TrafficPart):
    """All of `traffic.json`."""

    format: Literal[1, 2] = FORMAT
    identity: TrafficIdentity
    ledger: TrafficLedger
    began_ns: int = 0
    ended_ns: int = 0
    operations: int = 0
    records: int = 0
