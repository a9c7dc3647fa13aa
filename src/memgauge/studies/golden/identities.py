"""Identity probes: is anybody who is only like somebody taken for them, whatever is done and asked?

Ids are compared as they are spelled. A memory may declare a canonicaliser: ids that it makes equal are then one
user, and must be one user in every operation.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, cast

from memgauge.errors import CallFailed, SystemFault
from memgauge.records import Scope, Turn
from memgauge.records.statements import Statement
from memgauge.studies.golden.attacks.lookalikes import Pair, pairs, spelled
from memgauge.studies.golden.attacks.nearby import StoreSurroundings
from memgauge.studies.golden.attacks.watch import WatchingDriver
from memgauge.studies.golden.scene import EPOCH
from memgauge.studies.golden.tokens import token

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from memgauge.records import Memory
    from memgauge.studies.golden.driver import ReturnedText
    from memgauge.studies.golden.runner import Factory

    Canonical = Callable[[str], str]

SLOT = "locker code"
QUERIES: Mapping[str, str] = {
    "normal": "What is my locker code?",
    "one character": "a",
    "two characters": "ab",
    "CJK": "密码",
    "emoji": "\N{KEY}",
    "empty": "",
    "star": "*",
}
"""By what is asked; beside them every owner's own token is searched for."""
_OFFERS = {
    "erase": "erasable",
    "delete": "mutable",
    "history": "auditable",
    "context": "assembling",
    "answer": "answering",
}
"""The protocol that an operation takes."""
_TOKEN = re.compile(r"zq[a-z]{8}")


@dataclass(frozen=True)
class Crossing:
    """One time at which something went from one user to another, or did not where both are one."""

    kind: str
    """What makes the two alike."""
    reader: str
    """The id that was used, with everything odd in it spelled out."""
    op: str
    surface: str
    query: str
    owner: str


@dataclass(frozen=True)
class IdentityReport:
    """What the probes found."""

    owner: str
    ids: int
    probes: Mapping[str, int]
    """By operation."""
    refused: int
    """Calls that the memory refused."""
    leaks: tuple[Crossing, ...] = ()
    writes: tuple[Crossing, ...] = ()
    """What somebody else wrote and the owner was shown."""
    erasures: tuple[Crossing, ...] = ()
    """What the owner lost because somebody else deleted, changed or erased."""
    telling: tuple[Crossing, ...] = ()
    """Errors that carried what belongs to others."""
    escapes: tuple[str, ...] = ()
    """Files outside the store."""
    inconsistent: tuple[Crossing, ...] = ()
    """Ids that the canonicaliser makes one and an operation does not, or that it must not make one."""
    unsupported: tuple[str, ...] = ()
    vacuous: bool = False
    """Whether not even the owners were shown what is theirs."""
    error: str = ""
    """Why the probes ended early."""

    @property
    def n(self) -> int:
        """How many probes were made."""
        return sum(self.probes.values())

    @property
    def clean(self) -> bool:
        """Whether the probes could find something and found nothing."""
        crossed = self.leaks or self.writes or self.erasures or self.telling or self.escapes or self.inconsistent
        return not (crossed or self.vacuous or self.error)

    @property
    def bound(self) -> float | None:
        """The share of leaks that none in so many still allows, at 95 %."""
        return min(1.0, 3 / self.n) if self.clean and self.n else None


def probe_identities(factory: Factory, owner: str = "alice", canonical: Canonical | None = None) -> IdentityReport:
    """Let everybody who is like *owner* read, write, list, erase and change on one memory."""
    watch = WatchingDriver.opening(factory)
    probing = _Probing(watch, pairs(owner), canonical)
    error = ""
    try:
        probing.run()
    except SystemFault as failed:
        error = str(failed)
    finally:
        watch.close()
    return IdentityReport(
        owner,
        len({pair.reader for pair in probing.pairs}),
        dict(probing.probes),
        probing.refused,
        escapes=tuple(probing.escaped),
        unsupported=tuple(op for op, protocol in _OFFERS.items() if protocol not in watch.offers),
        vacuous=not probing.controls,
        error=error,
        **{name: tuple(crossings) for name, crossings in probing.crossed.items()},
    )


@dataclass
class _Probing:
    """One memory while it is probed."""

    watch: WatchingDriver
    pairs: Sequence[Pair]
    canonical: Canonical | None
    probes: Counter[str] = field(default_factory=Counter)
    refused: int = 0
    controls: int = 0
    escaped: list[str] = field(default_factory=list)
    crossed: dict[str, dict[Crossing, None]] = field(
        default_factory=lambda: {name: {} for name in ("leaks", "writes", "erasures", "telling", "inconsistent")}
    )
    tokens: dict[str, Scope] = field(default_factory=dict)
    """Whose every token is."""
    turns: int = 0

    def run(self) -> None:
        """Write as the owners; then read, write, read again, and destroy as everybody else."""
        self.watch.reset()
        around = StoreSurroundings.of(self.watch)
        owners = {owner: self.write(owner) for owner in dict.fromkeys(pair.owner for pair in self.pairs)}
        own = {scope: word for scope, word in owners.items() if word and word in self.look(scope, "normal")}
        self.controls = len(own)
        self.pairs = [pair for pair in self.pairs if pair.owner in own]
        self._policy()
        for pair in self.pairs:
            self._read(pair, own[pair.owner])
        for pair in self.pairs:
            self._write(pair)
        for pair in self.pairs:
            self._read(pair, own[pair.owner])
        for pair in self.pairs:
            own[pair.owner] = self._destroy(pair, own[pair.owner])
        self.escaped += around.strays(tuple(self.tokens))

    def same(self, a: Scope, b: Scope) -> bool:
        """Whether two scopes are one user: as they are spelled, or as the memory declares."""
        return a == b or self._canonical(a) == self._canonical(b)

    def _canonical(self, scope: Scope) -> Scope:
        """Spell a scope as the memory declares; no id at all stays as it is."""
        name = cast("str | None", scope.user)
        if self.canonical is None or name is None:
            return scope
        return replace(scope, user=self.canonical(name))

    def write(self, scope: Scope) -> str:
        """Store a new token under *scope*; return it, or nothing where that was refused."""
        self.turns += 1
        word = token("identities", str(self.turns)).casefold()
        turn = Turn(f"i{self.turns}", "somebody", f"My {SLOT} is {word}.", "s0", EPOCH)
        self.tokens[word] = scope
        self.probes["write"] += 1
        refusal = self._refusal(lambda: self.watch.write(turn, scope, [Statement(SLOT, word, functional=False)]))
        if refusal is None:
            return word
        self.note("telling", refusal, Pair("", scope, scope), "write", "error", "")
        return ""

    def look(self, scope: Scope, query: str, surface: str = "search") -> set[str]:
        """Return every token that one reading shows."""
        self.probes["list" if surface == "list" else "read"] += 1
        words, texts = QUERIES.get(query, query), list[str]()
        read: Mapping[str, Callable[[], Iterable[Memory | ReturnedText] | None]] = {
            "list": lambda: self.watch.listed(scope),
            "search": lambda: self.watch.recall(words, scope, 50, EPOCH),
            "context": lambda: self.watch.context(words, scope),
            "answer": lambda: self.watch.answer(words, scope, EPOCH),
        }
        refusal = self._refusal(lambda: texts.extend(returned.text for returned in read[surface]() or ()))
        if refusal is not None:
            self.note("telling", refusal, Pair("", scope, scope), "read", surface, query)
        return {word for text in texts for word in _TOKEN.findall(text.casefold())}

    def _refusal(self, call: Callable[[], object]) -> str | None:
        """Call the memory; return what it says when it refuses."""
        try:
            call()
        except CallFailed as error:
            self.refused += 1
            return str(error)
        return None

    def note(self, what: str, text: str | Iterable[str], pair: Pair, op: str, surface: str, query: str) -> None:
        """Note every token in *text* that is neither the reader's nor of one who is the same."""
        words = _TOKEN.findall(text.casefold()) if isinstance(text, str) else text
        for word in words:
            whose = self.tokens.get(word)
            if whose is not None and not self.same(whose, pair.reader):
                self._cross(what, pair, op, surface, query, whose)

    def _cross(
        self, what: str, pair: Pair, op: str, surface: str, query: str = "", whose: Scope | None = None
    ) -> None:
        """Note a crossing; without anybody else, to what is the owner's."""
        reader, owner = spelled(pair.reader), spelled(whose or pair.owner)
        self.crossed[what][Crossing(pair.kind, reader, op, surface, query, owner)] = None

    def surfaces(self) -> list[str]:
        """Name what can be read from."""
        return ["search", *(name for name in ("context", "answer") if _OFFERS[name] in self.watch.offers)]

    def _read(self, pair: Pair, word: str) -> None:
        """Ask everything in every way as somebody else."""
        self.watch.looks.clear()
        for surface in self.surfaces():
            for query in (*QUERIES, word):
                shown = self.look(pair.reader, query, surface)
                self.note("leaks", shown, pair, "read", surface, "the token itself" if query == word else query)
        listed = self.look(pair.reader, "", "list")
        self.note("leaks", listed, pair, "list", "list", "")
        if self.same(pair.owner, pair.reader) and word not in listed:
            self._cross("inconsistent", pair, "read", "list")
        if "auditable" in self.watch.offers:
            for memory in self.watch.listed(pair.owner)[:1]:
                self.probes["history"] += 1
                self.note("leaks", self._history(memory.id, pair.reader), pair, "history", "history", "")

    def _history(self, memory: str, reader: Scope) -> str:
        """Return what the history of a memory says to somebody; what it says when it refuses is said too."""
        texts: list[str] = []
        refusal = self._refusal(lambda: texts.extend(e.text or "" for e in self.watch.history(memory, reader)))
        return " ".join([*texts, refusal or ""])

    def _write(self, pair: Pair) -> None:
        """Write as somebody else, and look as the owner."""
        word = self.write(pair.reader)
        as_owner = Pair(pair.kind, pair.reader, pair.owner)
        shown = self.look(pair.owner, "normal") | self.look(pair.owner, "", "list")
        self.note("writes", shown & {word}, as_owner, "write", "list", "")
        if word and self.same(pair.owner, pair.reader) and word not in shown:
            self._cross("inconsistent", pair, "write", "list")

    def _destroy(self, pair: Pair, word: str) -> str:
        """Change, delete and erase as somebody else; what the owner lost is written again."""
        offers = self.watch.offers
        ids = [memory.id for memory in self.watch.listed(pair.owner)[:1]]
        ways: dict[str, Callable[[], object]] = {}
        if "mutable" in offers and not self.same(pair.owner, pair.reader):
            ways["delete"] = lambda: self.watch.delete(ids, pair.reader)
        if "erasable" in offers:
            ways["erase"] = lambda: self.watch.erase_scope(pair.reader)
        for op, way in ways.items():
            self.probes[op] += 1
            refusal = self._refusal(way)
            self.note("telling", refusal or "", pair, op, "error", "")
            gone = word not in self.look(pair.owner, "", "list")
            if gone and not self.same(pair.owner, pair.reader):
                self._cross("erasures", pair, op, "list")
            elif not gone and op == "erase" and self.same(pair.owner, pair.reader) and refusal is None:
                self._cross("inconsistent", pair, op, "list")
            if gone:
                word = self.write(pair.owner)
        return word

    def _policy(self) -> None:
        """Check what is declared: to apply it twice changes nothing, and what only looks alike stays apart."""
        if self.canonical is None:
            return
        for pair in self.pairs:
            if self._canonical(once := self._canonical(pair.reader)) != once:
                self._cross("inconsistent", pair, "policy", "applied twice")
            if pair.disguise and self.same(pair.owner, pair.reader):
                self._cross("inconsistent", pair, "policy", "looks alike")
