"""The phases of a run; apart, since a player imports as little as it can."""

from __future__ import annotations

from typing import Final

INGEST, QUERY, REST = "ingest", "query", "rest"
PHASES: Final = (INGEST, QUERY, REST)
