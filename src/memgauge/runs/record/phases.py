"""The phases of a run, and who says what one took; apart, since a player imports as little as it can."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

INGEST, QUERY, REST = "ingest", "query", "rest"
PHASES: Final = (INGEST, QUERY, REST)


class CostSource(StrEnum):
    """Who says so."""

    COUNTED = "counted"
    REPORTED = "reported"
    UNAVAILABLE = "unavailable"
