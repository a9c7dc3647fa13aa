"""Memories of ours that can keep what they store on disk, with the rankings that they have in memory."""

from __future__ import annotations

from typing import Final

from memgauge.registry import parse_ref

LARGE: Final = 100_000
"""Turns of one conversation from which on they do."""
_SHARED: Final = frozenset({"k1", "b", "stem", "stop", "as_heard", "speaker"})
"""Parameters of ``bm25`` that ``haystack`` has too, with the same meaning."""


def on_disk(ref: str, turns: int) -> str:
    """Return what takes the place of *ref* for a conversation of so many *turns*; empty where nothing does."""
    parsed = parse_ref(ref)
    if turns <= LARGE or parsed.name != "bm25" or parsed.variant or not parsed.params.keys() <= _SHARED:
        return ""
    return ",".join(["haystack:by=bm25", *(f"{name}={value}" for name, value in parsed.params.items())])
