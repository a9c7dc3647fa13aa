"""Where a list is cut before somebody reads it: ranks that a measure looks at, and tokens that it pays for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memgauge.scoring.causes import FailureCause

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.runs.record.searches import RankedMemory


@dataclass(frozen=True)
class ContextCut:
    """One limit, and the first rank that it keeps out."""

    what: str
    limit: int
    first_out: int | None
    """The first rank of which nothing is read; ``None`` where all of the list is."""
    last: int | None
    """The last rank that is read, the whole of it or a part."""
    tokens: int | None
    """Tokens of the ranks that are read in full; ``None`` where the limit counts none, or lengths are unknown."""
    in_part: bool = False
    """Whether the last rank is read in part."""

    def keeps_out(self, rank: int) -> tuple[FailureCause, str]:
        """Say that it keeps a rank out; an empty sentence where it does not."""
        deep = self.tokens is None
        cause = FailureCause.TOO_DEEP if deep else FailureCause.CUT
        if self.first_out is None or rank < self.first_out:
            return cause, ""
        counted = (
            f"{self.limit:,} count" if deep else f"{self.limit:,} tokens are full after rank {self.last or 0}"
        )
        return cause, f"rank {rank}, and {counted}"


def cut_by_ranks(hits: Sequence[RankedMemory], cutoff: int) -> ContextCut:
    """Say which ranks lie below *cutoff*."""
    out = next((hit.rank for hit in hits if hit.rank > cutoff), None)
    return ContextCut("ranks", cutoff, out, min(cutoff, len(hits)) or None, None)


def cut_by_tokens(hits: Sequence[RankedMemory], budget: int) -> ContextCut | None:
    """Say where *budget* tokens end in a list; ``None`` where a length on the way is unknown."""
    spent = whole = 0
    last: int | None = None
    for hit in hits:
        if spent >= budget:
            return ContextCut("tokens", budget, hit.rank, last, whole, whole < budget)
        if hit.tokens is None:
            return None
        spent += hit.tokens
        whole = spent if spent <= budget else whole
        last = hit.rank
    return ContextCut("tokens", budget, None, last, whole, spent > budget)
