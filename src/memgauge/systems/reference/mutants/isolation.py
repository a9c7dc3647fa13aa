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


class IsolationMutant(Mutant):
    """Reads scopes as they were not meant."""

    family = "isolation"
    breaks = ("CROSS_USER_LEAK",)

    def may_see(self, entry: IdealEntry, scope: Scope) -> bool:
        """Whether *entry* belongs to whoever asks, or to somebody who is taken for them."""
        same = self.alike(entry.scope.user, scope.user)
        return super().may_see(entry, replace(scope, user=entry.scope.user) if same else scope)

    def alike(self, owner: str, reader: str) -> bool:
        """Whether two users are one."""
        return owner == reader


class LeakyCase(IsolationMutant):
    """Tells user ids apart by their letters in lower case."""

    how = "leaky-case"

    def alike(self, owner: str, reader: str) -> bool:
        """Compare without case."""
        return owner.casefold() == reader.casefold()


class LeakyPrefix(IsolationMutant):
    """Shows what belongs to every user whose id begins like the reader's."""

    how = "leaky-prefix"

    def alike(self, owner: str, reader: str) -> bool:
        """Compare beginnings."""
        return owner == reader or (bool(reader) and owner.startswith(reader))


class LeakyStrip(IsolationMutant):
    """Ignores spaces around user ids."""

    how = "leaky-strip"

    def alike(self, owner: str, reader: str) -> bool:
        """Compare without spaces."""
        return owner.strip() == reader.strip()


class LeakyUnicode(IsolationMutant):
    """Tells user ids apart only after compatible letters and cases were made one."""

    how = "leaky-unicode"

    def alike(self, owner: str, reader: str) -> bool:
        """Compare in normal form."""
        return normalize("NFKC", owner).casefold() == normalize("NFKC", reader).casefold()


class LeakyEmpty(IsolationMutant):
    """Shows everything to a user without an id."""

    how = "leaky-empty"

    def alike(self, owner: str, reader: str) -> bool:
        """Take nobody for everybody."""
        return owner == reader or not reader


class LeakyWildcard(IsolationMutant):
    """Reads ``%`` and ``*`` in a user id as anything."""

    how = "leaky-wildcard"

    def alike(self, owner: str, reader: str) -> bool:
        """Compare as with a pattern."""
        pattern = ".*".join(map(re.escape, re.split("[%*]", reader)))
        return re.fullmatch(pattern, owner, re.DOTALL) is not None


class LeakyTenant(IsolationMutant):
    """Shows a user what somebody of that name has in another tenant."""

    how = "leaky-tenant"
    breaks = ("CROSS_TENANT_LEAK",)

    def may_see(self, entry: IdealEntry, scope: Scope) -> bool:
        """Compare everything but the tenant."""
        return super().may_see(entry, replace(scope, tenant=entry.scope.tenant))


class LeakyAgent(IsolationMutant):
    """Shows one agent what a user told another."""

    how = "leaky-agent"
    breaks = ("CROSS_AGENT_LEAK",)

    def may_see(self, entry: IdealEntry, scope: Scope) -> bool:
        """Compare everything but the agent."""
        return super().may_see(entry, replace(scope, agent=entry.scope.agent))


class LeakySession(IsolationMutant):
    """Shows in one session what another one keeps to itself."""

    how = "leaky-session"
    breaks = ("CROSS_SESSION_LEAK",)

    def may_see(self, entry: IdealEntry, scope: Scope) -> bool:
        """Compare everything but the session."""
        return super().may_see(entry, replace(scope, session=entry.scope.session))


class LeakySessionNone(IsolationMutant):
    """Takes a scope without a session for all sessions of the user, and keeps these from each other."""

    how = "leaky-session-none"
    breaks = ("CROSS_SESSION_LEAK",)

    def may_see(self, entry: IdealEntry, scope: Scope) -> bool:
        """Compare the session where the reader has one."""
        return super().may_see(entry, replace(scope, session=scope.session or entry.scope.session))


class LeakySessionInherit(IsolationMutant):
    """Shows in a session that keeps to itself what was said outside of it."""

    how = "leaky-session-inherit"
    breaks = ("CROSS_SESSION_LEAK",)

    def may_see(self, entry: IdealEntry, scope: Scope) -> bool:
        """Compare the session where the entry has one."""
        return super().may_see(entry, replace(scope, session=entry.scope.session and scope.session))


class LeakyList(IsolationMutant):
    """Lists what belongs to everybody."""

    how = "leaky-list"

    def dump(self, scope: Scope) -> Iterable[Memory]:  # noqa: ARG002 - the protocol's signature
        """List everything."""
        return [self.memory(entry) for entry in self._entries]


class LeakyShortQuery(IsolationMutant):
    """Answers queries of up to two characters from the memories of everybody."""

    how = "leaky-short-query"

    def found(self, query: str, scope: Scope, as_of: datetime | None) -> Sequence[IdealEntry]:
        """Leave the scope out where there is little to search for."""
        if len(query.strip()) > 2:
            return super().found(query, scope, as_of)
        return [entry for entry in self._entries if self.visible(entry, as_of)]


class LeakyAfterWrite(IsolationMutant):
    """Answers the first search after somebody's write from their memories, whoever asks."""

    how = "leaky-after-write"

    def begin(self) -> None:
        """Have heard of nobody."""
        super().begin()
        self._writer: Scope | None = None

    def overhear(self, turn: Turn, scope: Scope, statements: Sequence[Statement]) -> Iterable[Change]:
        """Remember who wrote last."""
        self._writer = scope
        return super().overhear(turn, scope, statements)

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Search as whoever wrote last, once."""
        scope, self._writer = self._writer or scope, None
        return super().search(query, scope, k, as_of)


class LeakyPath(IsolationMutant):
    """Takes user ids for paths, so that ``alice/../bob`` is bob."""

    how = "leaky-path"

    def alike(self, owner: str, reader: str) -> bool:
        """Compare where the paths lead."""
        return normpath(owner) == normpath(reader)


MUTANTS = (
    *(LeakyCase, LeakyPrefix, LeakyStrip, LeakyUnicode, LeakyEmpty, LeakyWildcard, LeakyTenant, LeakyAgent),
    *(LeakySession, LeakySessionNone, LeakySessionInherit),
    *(LeakyList, LeakyShortQuery, LeakyAfterWrite, LeakyPath),
)
