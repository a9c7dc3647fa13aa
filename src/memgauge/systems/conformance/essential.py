"""What makes measuring a memory pointless: why that is so, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from memgauge.records import Verdict
from memgauge.systems.conformance.check import HUNG, SLOW

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memgauge.systems.conformance.check import Check

DIED: Final = "its process ended"
"""How the detail of a probe begins during which the process of the system died."""


@dataclass(frozen=True, slots=True)
class Essential:
    """Why a promise has to be kept before anything is measured."""

    why: str
    remedy: str


ESSENTIAL: Final[Mapping[str, Essential]] = {
    "finds a stored turn": Essential(
        "Every question is answered from what a search returns; each would be a miss.",
        "Write a turn, flush, and search for its rarest word: the text of a hit has to hold it. "
        "See that ingest and search use the same scope.",
    ),
    "dump lists what was stored": Essential(
        "Without it, what was never stored cannot be told from what was not found.",
        "Let dump(scope) return every memory that ingest stored under that scope.",
    ),
    "reset empties": Essential(
        "Every conversation begins with a reset; what is left would answer the questions of the next.",
        "Let reset() forget everything of everybody, in memory and on disk.",
    ),
}
"""Checks by name."""
_HANGS: Final = Essential(
    "A call that does not return ends a conversation, and with it every question after it.",
    "Look for what it waits for: a lock, a server, a model. "
    "One that is only slow gets more time: `systems check --timeout`, `try --minutes`.",
)
_DIES: Final = Essential(
    "A process that ends takes every memory with it that is not on disk.",
    "Look above for its last words; a crash in native code says none.",
)


def essential(check: Check) -> Essential | None:
    """Say why nothing can be measured after a check that ended so; ``None`` where something can."""
    if check.verdict not in {Verdict.FAIL, Verdict.ERROR} or check.detail.startswith(SLOW):
        return None
    if check.detail.startswith(DIED):
        return _DIES
    return _HANGS if check.detail.startswith(HUNG) else ESSENTIAL.get(check.name)
