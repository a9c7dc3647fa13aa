"""Who is taken for whom: nobody by the ideal memory, and each confusion is found."""

from __future__ import annotations

import fnmatch
import unicodedata
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING

import pytest

from memgauge.studies.golden import identities
from memgauge.studies.golden.attacks.lookalikes import pairs
from memgauge.studies.golden.identities import probe_identities
from memgauge.systems.policies.plain import Nothing
from memgauge.systems.reference.ideal import Ideal
from studies.golden.attacks.memories import Open

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import datetime

    from memgauge.records import Memory, Ranking, Receipt, Scope, Turn
    from memgauge.systems.protocol import AuditEntry
    from memgauge.systems.reference.ideal import IdealEntry

    Key = Callable[[Scope], object]


def _name(scope: Scope) -> str:
    return str(scope.user)


class Confused(Ideal):
    """Takes scopes with equal keys for one, in every operation unless *only* some."""

    def __init__(self, key: Key, only: str = "read erase") -> None:
        super().__init__()
        self._key, self._only = cache(key), only

    def _may_see(self, entry: IdealEntry, scope: Scope) -> bool:
        """Compare keys."""
        return entry.scope == scope or ("read" in self._only and self._key(entry.scope) == self._key(scope))

    def erase(self, scope: Scope) -> None:
        """Forget everything with the same key."""
        same = "erase" in self._only
        self._forget(
            [e for e in self._entries if e.scope == scope or (same and self._key(e.scope) == self._key(scope))]
        )


OTHERS = {"upper case", "trailing space", "other tenant"}
"""Beside what a test looks for, so that there is always something else."""


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> Callable[[set[str]], None]:
    """Probe as if only pairs of some kinds were known, which costs less; all are probed on the ideal memory."""

    def only(kinds: set[str]) -> None:
        monkeypatch.setattr(
            identities, "pairs", lambda owner: tuple(pair for pair in pairs(owner) if pair.kind in kinds)
        )

    return only


def test_the_ideal_memory_takes_nobody_for_anybody() -> None:
    """At least 60 ids and 5,000 probes, no leak, no crossing, no escape, and a bound."""
    report = probe_identities(Ideal)
    assert report.clean
    assert report.ids >= 60
    assert report.n >= 5_000
    assert report.bound == pytest.approx(3 / report.n)
    assert set(report.probes) >= {"write", "read", "list", "history", "delete", "erase"}
    assert report.unsupported == ()


def test_owners_and_readers_are_never_the_same() -> None:
    """No pair is one user, whatever the owner is called."""
    for owner in ("alice", "7", "Ü"):
        made = pairs(owner)
        assert not {pair.owner for pair in made} & {pair.reader for pair in made}
        assert len({pair.kind for pair in made}) >= 60


@pytest.mark.parametrize(
    ("key", "kinds"),
    [
        (lambda s: _name(s).lower(), {"upper case", "Kelvin"}),
        (lambda s: _name(s).casefold(), {"capital", "sharp s", "Kelvin", "final sigma"}),
        (lambda s: unicodedata.normalize("NFC", _name(s)), {"composed", "Angstrom"}),
        (lambda s: unicodedata.normalize("NFKC", _name(s)), {"fullwidth", "ligature", "superscript"}),
        (
            lambda s: unicodedata.normalize("NFKC", _name(s)).casefold(),
            {"modifier letters", "modifier letters and capitals", "wide capitals"},
        ),
        (lambda s: _name(s).strip(), {"trailing space", "leading no-break space", "trailing line"}),
        (
            lambda s: "".join(c for c in _name(s) if unicodedata.category(c) != "Cf"),
            {"zero width space inside", "soft hyphen behind", "override inside", "tag characters behind"},
        ),
        (lambda s: _name(s)[:64], {"cut at 64", "cut at 64, both longer"}),
        (lambda s: _name(s).encode("utf-8", "replace")[:255], {"cut at 255"}),
        (lambda s: _name(s).split("\0")[0], {"NUL", "NUL and more"}),
        (lambda s: _name(s).replace("-", "_"), {"dash and line"}),
        (lambda s: int(_name(s)) if _name(s).strip().isdecimal() else _name(s), {"leading zero", "Arabic digit"}),
        (lambda s: f"{s.tenant}:{s.user}", {"joined by ':'"}),
        (lambda s: s.user, {"other tenant", "other agent"}),
        (lambda s: (s.tenant, s.user, s.agent or None, s.session), {"empty agent"}),
        (lambda s: (s.tenant, s.user, s.agent), {"other session", "empty session"}),
        (lambda s: (s.tenant, s.user, s.agent, s.session or None), {"empty session"}),
        (lambda s: (s.tenant, s.user, s.agent or s.session), {"session like an agent"}),
    ],
)
@pytest.mark.no_cover  # the ideal memory runs the same lines
def test_a_confusion_is_found_under_its_name(key: Key, kinds: set[str], few: Callable[[set[str]], None]) -> None:
    """A memory that compares keys leaks, and loses what others erase."""
    few(kinds | OTHERS)
    report = probe_identities(lambda: Confused(key))
    assert kinds <= {leak.kind for leak in report.leaks}
    assert kinds <= {crossed.kind for crossed in report.writes}
    assert kinds <= {crossed.kind for crossed in report.erasures}
    assert report.bound is None


class Matching(Ideal):
    """Takes an id for a pattern."""

    def _may_see(self, entry: IdealEntry, scope: Scope) -> bool:
        """Match, as a key-value store lists keys; an empty id is no filter."""
        return not scope.user or fnmatch.fnmatchcase(str(entry.scope.user), str(scope.user))


def test_a_pattern_and_an_empty_id_are_found(few: Callable[[set[str]], None]) -> None:
    """Star, question marks, nothing and no id at all return what belongs to others."""
    wanted = {"GLOB *", "GLOB ?????", "GLOB [a-z]*", "named nothing", "no id"}
    few(wanted | OTHERS)
    assert wanted <= {leak.kind for leak in probe_identities(Matching).leaks}


class Narrow(Ideal):
    """Forgets to filter where a question has at most two characters."""

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Filter only long questions."""
        self._short = len(query) <= 2
        found = super().search(query, scope, k, as_of)
        self._short = False
        return found

    def _may_see(self, entry: IdealEntry, scope: Scope) -> bool:
        """Let short questions see all."""
        return getattr(self, "_short", False) or super()._may_see(entry, scope)


def test_a_leak_of_some_questions_on_one_surface_is_found_there(few: Callable[[set[str]], None]) -> None:
    """Only searches with short questions leak, and contexts made of them; the report says so."""
    few(OTHERS)
    report = probe_identities(Narrow)
    assert {(leak.surface, leak.query) for leak in report.leaks} == {
        (surface, query)
        for surface in ("search", "context")
        for query in ("one character", "two characters", "CJK", "emoji", "empty", "star")
    }
    assert report.erasures == ()


class Gossip(Ideal):
    """Complains about ids that it does not like with what it holds, and tells histories to everybody."""

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Refuse a NUL."""
        if "\0" in str(scope.user):
            raise ValueError(f"bad id beside {[entry.text for entry in self._entries[:3]]}")
        return super().search(query, scope, k, as_of)

    def history(self, memory: str, scope: Scope) -> Sequence[AuditEntry]:
        """Tell it to whoever asks."""
        return [one for (_, name), told in self._audit.items() if name == memory for one in told]


def test_errors_and_histories_that_tell_are_found(few: Callable[[set[str]], None]) -> None:
    """What an error carries is a leak, and so is a history by id."""
    few({"NUL", "NUL and more", "NUL before"} | OTHERS)
    report = probe_identities(Gossip)
    assert report.refused > 0
    assert report.telling
    assert {leak.surface for leak in report.leaks} == {"history"}


class Folder(Ideal):
    """Keeps a file for every user, called like the user."""

    def __init__(self) -> None:
        super().__init__()
        self._root = Path(mkdtemp()) / "a" / "store"
        self._root.mkdir(parents=True)

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Write the texts to the file of the user, too."""
        path = self._root / f"{scope.user}.txt"
        path.write_text(" ".join(turn.text for turn in turns), "utf-8")
        return super().ingest(turns, scope)

    def storage_paths(self) -> Sequence[Path]:
        """Name the folder."""
        return (self._root,)


def test_a_file_outside_the_store_is_found(few: Callable[[set[str]], None]) -> None:
    """An id with dots leaves the folder; ids that are no file names are refused."""
    few({"path ../@", "path x/../@", "path @/../@", "NUL"} | OTHERS)
    report = probe_identities(Folder)
    assert [Path(path).name for path in report.escapes if "store" not in Path(path).parts]
    assert report.refused > 0


def _lower(scope: Scope) -> object:
    return (scope.tenant, scope.user and scope.user.lower(), scope.agent, scope.session)


CASED = {
    "capital",
    "upper case",
    "wide capitals",
    "sharp s",
    "capital sharp s",
    "Kelvin",
    "dotted I",
    "final sigma",
}


@pytest.mark.parametrize(
    "kinds", [CASED | OTHERS, pytest.param(None, marks=pytest.mark.slow)], ids=["some", "all"]
)
def test_a_declared_canonicaliser_makes_one_user_of_equal_ids(
    few: Callable[[set[str]], None], kinds: set[str] | None
) -> None:
    """They are one in every operation, and that is clean."""
    if kinds is not None:
        few(kinds)
    assert probe_identities(lambda: Confused(_lower), canonical=str.lower).clean


def test_a_declared_canonicaliser_holds_everywhere(few: Callable[[set[str]], None]) -> None:
    """Where an operation does not know it, that is named."""
    few(OTHERS)
    half = probe_identities(lambda: Confused(_lower, only="read"), canonical=str.lower)
    assert {(one.op, one.kind) for one in half.inconsistent} >= {("erase", "upper case")}
    none = probe_identities(Ideal, canonical=str.lower)
    assert {one.op for one in none.inconsistent} == {"read", "write", "erase"}


def test_a_canonicaliser_must_settle_and_keep_lookalikes_apart(few: Callable[[set[str]], None]) -> None:
    """What changes when applied twice, or drops what nobody sees, is named (the Spotify takeover of 2013)."""
    few({"modifier letters", "zero width space inside"} | OTHERS)

    def hasty(name: str) -> str:
        return unicodedata.normalize("NFKC", name.lower())

    policy = [one for one in probe_identities(Ideal, canonical=hasty).inconsistent if one.op == "policy"]
    assert ("modifier letters", "applied twice") in {(one.kind, one.surface) for one in policy}

    def blind(name: str) -> str:
        return "".join(c for c in name if unicodedata.category(c) != "Cf")

    policy = [one for one in probe_identities(Ideal, canonical=blind).inconsistent if one.op == "policy"]
    assert ("zero width space inside", "looks alike") in {(one.kind, one.surface) for one in policy}


class Rude(Ideal):
    """Cannot list."""

    def dump(self, scope: Scope) -> Iterable[Memory]:
        """Raise."""
        raise RuntimeError("no")


def test_who_shows_nothing_proves_nothing(few: Callable[[set[str]], None]) -> None:
    """Without a control that came back the probes are vacuous; a memory that breaks ends them early."""
    few(OTHERS)
    report = probe_identities(Nothing)
    assert report.vacuous
    assert not report.clean
    assert report.bound is None
    assert probe_identities(Rude).error
    assert probe_identities(Open).leaks
