"""One search beside what was stored by then, as any record shows it: of a run, or of traffic."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


class StoredState(StrEnum):
    """What the record says of a memory at the moment of a search."""

    STORED = "stored"
    REMOVED = "removed before"
    """Something took it before the search began."""
    LATER = "stored later"
    """Nothing was written of it before the search began."""
    UNSEEN = "nobody saw it"
    """A write before the search reported it, and nothing returned or listed it."""
    UNDATED = "no write seen"
    """Nobody knows when it was written, or whether."""


@dataclass(frozen=True, slots=True)
class StoredMemory:
    """One memory as it was stored when a search began."""

    memory: str
    state: StoredState
    version: int | None = None
    """``None`` where nobody saw which version it was."""
    scope: str = ""
    store: str = ""
    by: str = ""
    """What wrote it last before the search; of what came later, the first write."""
    gone_by: str = ""
    """What removed it before the search."""
    later: str = ""
    """What changed it first after the search began."""
    sources: tuple[str, ...] = ()
    """Turns that any version of it descends from; where none was seen, those of the write that reported it."""
    form: str = ""
    text: str | None = None

    @property
    def live(self) -> bool:
        """Whether a search could have returned it, as far as the record shows."""
        return self.state in {StoredState.STORED, StoredState.UNDATED}


@dataclass(frozen=True, slots=True)
class RankedMemory:
    """One memory that a search returned."""

    rank: int
    memory: str
    version: int | None
    score: float | None = None
    text: str | None = None
    tokens: int | None = None
    """What it costs a reader; ``None`` where its length is unknown."""
    store: str = ""
    row: int = -1
    """Its row in the table of memories of a run."""
    sources: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FailedWrite:
    """One write before a search that stored nothing."""

    by: str
    reason: str
    memories: tuple[str, ...] = ()
    """What it would have written, where it says so."""


@dataclass(frozen=True)
class SearchMoment:
    """One search: what was asked, what came back, and what was stored when it began."""

    name: str
    recorded: str
    """Where the record lies."""
    scope: str
    """Whose memory was asked; empty where nobody knows."""
    store: str = ""
    query: str | None = None
    asked_at: str = ""
    outcome: str = "ok"
    reason: str = ""
    captured: bool = True
    """Whether what came back is in the record."""
    k: int | None = None
    """How many memories were asked for."""
    returned: int | None = None
    """How many came back, as the search counted them itself."""
    context_tokens: int | None = None
    """Tokens that what came back took in a prompt."""
    hits: tuple[RankedMemory, ...] = ()
    stored: tuple[StoredMemory, ...] = ()
    """In the order in which they were written."""
    untold: tuple[str, ...] = ()
    """What cannot be known of it, in sentences."""
    unseen_before: str = ""
    """From when on the record sees writes; empty where it saw all of them."""
    failed: tuple[FailedWrite, ...] = ()
    """Writes before it that failed."""

    def state_of(self, memory: str) -> StoredMemory | None:
        """Return what was stored of a memory, where this search would look for it before anywhere else."""
        known = [each for each in self.stored if each.memory == memory]
        return min(known, key=lambda each: (not each.live, self.apart(each)), default=None)

    def apart(self, stored: StoredMemory) -> bool:
        """Whether a memory is known to lie where this search did not look."""
        return _differ(stored.scope, self.scope) or _differ(stored.store, self.store)

    def hits_on(self, memories: Iterable[str]) -> tuple[RankedMemory, ...]:
        """Return what came back of *memories*, best first."""
        wanted = set(memories)
        return tuple(hit for hit in self.hits if hit.memory in wanted)


def _differ(first: str, second: str) -> bool:
    """Whether two names are known, and not the same."""
    return bool(first and second) and first != second
