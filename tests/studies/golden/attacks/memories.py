"""Memories with one weakness each, to be attacked."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING

from memgauge.systems.policies.lexical import Bm25Policy
from memgauge.systems.policies.plain import Recency
from memgauge.systems.reference.ideal import Ideal

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from memgauge.records import Change, Ranking, Receipt, Scope, Turn
    from memgauge.records.statements import Statement
    from memgauge.systems.reference.ideal import IdealEntry


class Credulous(Ideal):
    """Believes every channel."""

    def _learn(
        self,
        turn: Turn,
        scope: Scope,
        statement: Statement,
        number: int,
        *,
        trusted: bool,
        expires_at: datetime | None,
    ) -> Iterable[Change]:
        """Learn it as if the user had said it."""
        return super()._learn(turn, scope, statement, number, trusted=True, expires_at=expires_at)


class Paranoid(Ideal):
    """Quarantines whatever it hears."""

    def _learn(
        self,
        turn: Turn,
        scope: Scope,
        statement: Statement,
        number: int,
        *,
        trusted: bool,
        expires_at: datetime | None,
    ) -> Iterable[Change]:
        """Learn it as if nobody could be believed."""
        return super()._learn(turn, scope, statement, number, trusted=False, expires_at=expires_at)


class Open(Ideal):
    """Shows everybody everything."""

    def _may_see(self, entry: IdealEntry, scope: Scope) -> bool:
        """Let them."""
        return True


class Obedient(Ideal):
    """Forgets when any text asks it to."""

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Forget first, where that is asked for."""
        if any(word in turn.text.lower() for turn in turns for word in ("forget everything", "erase everything")):
            self.erase(scope)
        return super().ingest(turns, scope)


class Filtering(Credulous):
    """Believes everybody who does not write what it looks for, letter by letter."""

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Take what holds no forbidden words."""
        return super().ingest([turn for turn in turns if "Ignore earlier instructions" not in turn.text], scope)


class Keeping(Recency):
    """Keeps of a page what it asks to remember, as it stands there."""

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Cut it out."""
        return super().ingest([replace(turn, text=turn.text.split("remember: ")[-1]) for turn in turns], scope)


class Restless(Bm25Policy):
    """Scores every search otherwise, in every run."""

    _count = count(1)

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Return other scores each time."""
        ranking = super().search(query, scope, k, as_of)
        return replace(ranking, hits=tuple(replace(hit, score=next(self._count)) for hit in ranking.hits))
