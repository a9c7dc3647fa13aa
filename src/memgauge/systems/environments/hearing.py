"""Hand a product what a memory hears: who spoke and when, before the words."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memgauge.text.heard import as_heard

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memgauge.records import Receipt, Scope, Turn
    from memgauge.systems.protocol import Capabilities, MemorySystem

SAID = "turns are handed over behind their speaker and their day (as_heard)"


def hearing(system: MemorySystem) -> MemorySystem:
    """Let every turn that *system* is handed begin with who spoke and when; it says so among its interventions.

    The instance is changed and not wrapped, because what else it offers is found by looking at it.
    """
    changed = {"ingest": _ingest(system.ingest), "capabilities": _capabilities(system.capabilities)}
    vars(system).update(changed)
    return system


def _ingest(
    ingest: Callable[[Sequence[Turn], Scope], Receipt | None],
) -> Callable[[Sequence[Turn], Scope], Receipt | None]:
    def heard(turns: Sequence[Turn], scope: Scope) -> Receipt | None:
        return ingest([replace(t, text=as_heard(t.text, t.speaker, t.at)) for t in turns], scope)

    return heard


def _capabilities(capabilities: Callable[[], Capabilities]) -> Callable[[], Capabilities]:
    def declared() -> Capabilities:
        promises = capabilities()
        return replace(promises, interventions=(*promises.interventions, SAID))

    return declared
