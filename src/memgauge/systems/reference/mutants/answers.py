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


class Answers(Mutant):
    """Returns wrongly."""

    family = "answers"


class Confabulates(Answers):
    """Answers with the value of another slot where nothing is known."""

    how = "confabulates"
    breaks = ("CONFABULATION",)

    def ask(self, question: str, scope: Scope, as_of: datetime | None = None) -> str:
        """Answer whatever it was told last rather than nothing."""
        known = [entry.value for entry in self.found(question, scope, as_of) if entry.value]
        answer = super().ask(question, scope, as_of)
        return known[-1] if known and answer == "I do not know." else answer


class Garbage(Answers):
    """Returns a value that nobody ever wrote."""

    how = "garbage"
    breaks = ("GARBAGE_READ",)

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Search, and put something made up first."""
        made_up = Hit(Memory("made-up", "It is surely zqqqqqqqqq."))
        ranking = super().search(query, scope, k, as_of)
        return replace(ranking, hits=(made_up, *ranking.hits)[: self.limit(k)])


class Unstable(Answers):
    """Leaves out the best hit of every second search."""

    how = "unstable"
    breaks = ("UNSTABLE", "OMISSION", "LOST_ACROSS_SESSION")

    def begin(self) -> None:
        """Have searched for nothing."""
        super().begin()
        self._searches = 0

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Search better or worse."""
        self._searches += 1
        ranking = super().search(query, scope, k, as_of)
        return replace(ranking, hits=ranking.hits[1:]) if self._searches % 2 == 0 else ranking


class OverLimit(Answers):
    """Returns everything that fits, however little was asked for."""

    how = "over-limit"
    breaks = ("OVER_LIMIT",)

    def limit(self, k: int) -> int:
        """Ignore *k*."""
        return max(k, len(self._entries))


class EchoAll(Answers):
    """Returns everything that it ever heard as if it held: what ended, what is not trusted, what is another's."""

    how = "echo-all"
    breaks = ("MIXED_VERSIONS", "STALE_READ", "EXPIRED_READ", "FUTURE_READ", "CROSS_USER_LEAK", "POISON_ACTIVE")

    def found(self, query: str, scope: Scope, as_of: datetime | None) -> Sequence[IdealEntry]:  # noqa: ARG002 - the hook's signature
        """Leave nothing out."""
        return self._entries

    def memory(self, entry: IdealEntry) -> Memory:
        """Do not say that *entry* ended."""
        return super().memory(replace(entry, valid_to=None))


class Null(Answers):
    """Returns nothing."""

    how = "null"
    breaks = ("OMISSION", "LOST_ACROSS_SESSION", "NOT_DURABLE", "LOST_HISTORY")

    def found(self, query: str, scope: Scope, as_of: datetime | None) -> Sequence[IdealEntry]:  # noqa: ARG002 - the hook's signature
        """Find nothing."""
        return ()


class RandomEntries(Answers):
    """Returns arbitrary entries of the right scope: what can be had by luck, and no mutant."""

    how = "random"
    breaks = ("OMISSION", "MIXED_VERSIONS", "STALE_READ")

    def found(self, query: str, scope: Scope, as_of: datetime | None) -> Sequence[IdealEntry]:  # noqa: ARG002 - the hook's signature
        """Toss a coin for every entry; the same question to the same store gets the same."""
        dice = Dice(f"{query}/{len(self._entries)}")  # noqa: S311 - luck that can be repeated, not a secret
        return [entry for entry in self._entries if self.may_see(entry, scope) and dice.random() < 0.5]

    def memory(self, entry: IdealEntry) -> Memory:
        """Do not say that *entry* ended."""
        return super().memory(replace(entry, valid_to=None))


MUTANTS = (Confabulates, Garbage, Unstable, OverLimit, EchoAll, Null)
