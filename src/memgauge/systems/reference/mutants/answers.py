"""Memories that keep everything well and return it badly; some of them are the calibration of a suite."""

from __future__ import annotations

from dataclasses import replace
from random import Random as Dice
from typing import TYPE_CHECKING

from memgauge.records import Hit, Memory, Ranking
from memgauge.systems.reference.mutants.mutant import Mutant

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from memgauge.records import Scope
    from memgauge.systems.reference.ideal import IdealEntry


class Confabulates(Mutant, how="confabulates", breaks=("CONFABULATION",)):
    """Answers with the value of another slot where nothing is known."""

    def ask(self, question: str, scope: Scope, as_of: datetime | None = None) -> str:
        """Answer whatever it was told last rather than nothing."""
        known = [entry.value for entry in self._found(question, scope, as_of) if entry.value]
        answer = super().ask(question, scope, as_of)
        return known[-1] if known and answer == "I do not know." else answer


class Garbage(Mutant, how="garbage", breaks=("GARBAGE_READ",)):
    """Returns a value that nobody ever wrote."""

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Search, and put something made up first."""
        made_up = Hit(Memory("made-up", "It is surely zqqqqqqqqq."))
        ranking = super().search(query, scope, k, as_of)
        return replace(ranking, hits=(made_up, *ranking.hits)[: self._limit(k)])


class Unstable(Mutant, how="unstable", breaks=("UNSTABLE", "OMISSION", "LOST_ACROSS_SESSION")):
    """Leaves out the best hit of every second search."""

    def _begin(self) -> None:
        super()._begin()
        self._searches = 0

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Search better or worse."""
        self._searches += 1
        ranking = super().search(query, scope, k, as_of)
        return replace(ranking, hits=ranking.hits[1:]) if self._searches % 2 == 0 else ranking


class OverLimit(Mutant, how="over-limit", breaks=("OVER_LIMIT",)):
    """Returns everything that fits, however little was asked for."""

    def _limit(self, k: int) -> int:
        return max(k, len(self._entries))


class EchoAll(
    Mutant,
    how="echo-all",
    breaks=("MIXED_VERSIONS", "STALE_READ", "EXPIRED_READ", "FUTURE_READ", "CROSS_USER_LEAK", "POISON_ACTIVE"),
):
    """Returns everything that it ever heard as if it held: what ended, what is not trusted, what is another's."""

    def _found(self, query: str, scope: Scope, as_of: datetime | None) -> Sequence[IdealEntry]:  # noqa: ARG002 - the hook's signature
        return self._entries

    def _memory(self, entry: IdealEntry) -> Memory:
        return super()._memory(replace(entry, valid_to=None))


class Null(Mutant, how="null", breaks=("OMISSION", "LOST_ACROSS_SESSION", "NOT_DURABLE", "LOST_HISTORY")):
    """Returns nothing."""

    def _found(self, query: str, scope: Scope, as_of: datetime | None) -> Sequence[IdealEntry]:  # noqa: ARG002 - the hook's signature
        return ()


class RandomEntries(Mutant, how="random", breaks=("OMISSION", "MIXED_VERSIONS", "STALE_READ")):
    """Returns arbitrary entries of the right scope: what can be had by luck, and no mutant."""

    def _found(self, query: str, scope: Scope, as_of: datetime | None) -> Sequence[IdealEntry]:  # noqa: ARG002 - the hook's signature
        dice = Dice(f"{query}/{len(self._entries)}")  # noqa: S311 - luck that can be repeated, not a secret
        return [entry for entry in self._entries if self._may_see(entry, scope) and dice.random() < 0.5]

    def _memory(self, entry: IdealEntry) -> Memory:
        return super()._memory(replace(entry, valid_to=None))


MUTANTS = (Confabulates, Garbage, Unstable, OverLimit, EchoAll, Null)
