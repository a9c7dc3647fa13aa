"""Memories that show to one what belongs to another."""

from __future__ import annotations

import re
from dataclasses import replace
from posixpath import normpath
from typing import TYPE_CHECKING
from unicodedata import normalize

from memgauge.systems.reference.mutants.mutant import Mutant

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from memgauge.records import Change, Memory, Ranking, Scope, Turn
    from memgauge.records.statements import Statement
    from memgauge.systems.reference.ideal import IdealEntry


class IsolationMutant(Mutant, breaks=("CROSS_USER_LEAK",)):
    """Reads scopes as they were not meant."""

    def _may_see(self, entry: IdealEntry, scope: Scope) -> bool:
        same = self._alike(entry.scope.user, scope.user)
        return super()._may_see(entry, replace(scope, user=entry.scope.user) if same else scope)

    def _alike(self, owner: str, reader: str) -> bool:
        return owner == reader


class LeakyCase(IsolationMutant, how="leaky-case"):
    """Tells user ids apart by their letters in lower case."""

    def _alike(self, owner: str, reader: str) -> bool:
        return owner.casefold() == reader.casefold()


class LeakyPrefix(IsolationMutant, how="leaky-prefix"):
    """Shows what belongs to every user whose id begins like the reader's."""

    def _alike(self, owner: str, reader: str) -> bool:
        return owner == reader or (bool(reader) and owner.startswith(reader))


class LeakyStrip(IsolationMutant, how="leaky-strip"):
    """Ignores spaces around user ids."""

    def _alike(self, owner: str, reader: str) -> bool:
        return owner.strip() == reader.strip()


class LeakyUnicode(IsolationMutant, how="leaky-unicode"):
    """Tells user ids apart only after compatible letters and cases were made one."""

    def _alike(self, owner: str, reader: str) -> bool:
        return normalize("NFKC", owner).casefold() == normalize("NFKC", reader).casefold()


class LeakyEmpty(IsolationMutant, how="leaky-empty"):
    """Shows everything to a user without an id."""

    def _alike(self, owner: str, reader: str) -> bool:
        return owner == reader or not reader


class LeakyWildcard(IsolationMutant, how="leaky-wildcard"):
    """Reads ``%`` and ``*`` in a user id as anything."""

    def _alike(self, owner: str, reader: str) -> bool:
        pattern = ".*".join(map(re.escape, re.split("[%*]", reader)))
        return re.fullmatch(pattern, owner, re.DOTALL) is not None


class LeakyTenant(IsolationMutant, how="leaky-tenant", breaks=("CROSS_TENANT_LEAK",)):
    """Shows a user what somebody of that name has in another tenant."""

    def _may_see(self, entry: IdealEntry, scope: Scope) -> bool:
        return super()._may_see(entry, replace(scope, tenant=entry.scope.tenant))


class LeakyAgent(IsolationMutant, how="leaky-agent", breaks=("CROSS_AGENT_LEAK",)):
    """Shows one agent what a user told another."""

    def _may_see(self, entry: IdealEntry, scope: Scope) -> bool:
        return super()._may_see(entry, replace(scope, agent=entry.scope.agent))


class LeakySession(IsolationMutant, how="leaky-session", breaks=("CROSS_SESSION_LEAK",)):
    """Shows in one session what another one keeps to itself."""

    def _may_see(self, entry: IdealEntry, scope: Scope) -> bool:
        return super()._may_see(entry, replace(scope, session=entry.scope.session))


class LeakySessionNone(IsolationMutant, how="leaky-session-none", breaks=("CROSS_SESSION_LEAK",)):
    """Takes a scope without a session for all sessions of the user, and keeps these from each other."""

    def _may_see(self, entry: IdealEntry, scope: Scope) -> bool:
        return super()._may_see(entry, replace(scope, session=scope.session or entry.scope.session))


class LeakySessionInherit(IsolationMutant, how="leaky-session-inherit", breaks=("CROSS_SESSION_LEAK",)):
    """Shows in a session that keeps to itself what was said outside of it."""

    def _may_see(self, entry: IdealEntry, scope: Scope) -> bool:
        return super()._may_see(entry, replace(scope, session=entry.scope.session and scope.session))


class LeakyList(IsolationMutant, how="leaky-list"):
    """Lists what belongs to everybody."""

    def dump(self, scope: Scope) -> Iterable[Memory]:  # noqa: ARG002 - the protocol's signature
        """List everything."""
        return [self._memory(entry) for entry in self._entries]


class LeakyShortQuery(IsolationMutant, how="leaky-short-query"):
    """Answers queries of up to two characters from the memories of everybody."""

    def _found(self, query: str, scope: Scope, as_of: datetime | None) -> Sequence[IdealEntry]:
        if len(query.strip()) > 2:
            return super()._found(query, scope, as_of)
        return [entry for entry in self._entries if self._visible(entry, as_of)]


class LeakyAfterWrite(IsolationMutant, how="leaky-after-write"):
    """Answers the first search after somebody's write from their memories, whoever asks."""

    def _begin(self) -> None:
        super()._begin()
        self._writer: Scope | None = None

    def _overhear(self, turn: Turn, scope: Scope, statements: Sequence[Statement]) -> Iterable[Change]:
        self._writer = scope
        return super()._overhear(turn, scope, statements)

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Search as whoever wrote last, once."""
        scope, self._writer = self._writer or scope, None
        return super().search(query, scope, k, as_of)


class LeakyPath(IsolationMutant, how="leaky-path"):
    """Takes user ids for paths, so that ``alice/../bob`` is bob."""

    def _alike(self, owner: str, reader: str) -> bool:
        return normpath(owner) == normpath(reader)


MUTANTS = (
    *(LeakyCase, LeakyPrefix, LeakyStrip, LeakyUnicode, LeakyEmpty, LeakyWildcard, LeakyTenant, LeakyAgent),
    *(LeakySession, LeakySessionNone, LeakySessionInherit),
    *(LeakyList, LeakyShortQuery, LeakyAfterWrite, LeakyPath),
)
