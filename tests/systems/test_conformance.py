"""The conformance check: good systems pass, every bad one is caught."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import pytest

from memgauge.records import Change, Hit, Memory, Operation, Ranking, Receipt, Scope, Verdict
from memgauge.systems import Capabilities, ConformanceReport, Role, check, open_system
from memgauge.systems.conformance.bench import HERE, turn, turns
from memgauge.systems.conformance.essential import essential
from memgauge.systems.conformance.honest import HONEST
from memgauge.systems.conformance.optional import OPTIONAL
from memgauge.systems.conformance.probes import REQUIRED
from memgauge.systems.policies.lexical import Bm25Policy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import datetime
    from pathlib import Path

    from memgauge.records import Turn
    from memgauge.systems.conformance import Check
    from memgauge.systems.protocol import AuditEntry, MemorySystem


def ended(factory: Callable[[], MemorySystem], name: str) -> Check:
    """Return how one check ended."""
    return next(each for each in check(factory).checks if each.name == name)


def verdicts(factory: Callable[[], MemorySystem]) -> dict[str, Verdict]:
    """Return the verdict of every check by its name."""
    return {one.name: one.verdict for one in check(factory).checks}


@pytest.mark.parametrize(
    "ref",
    [
        "bm25",
        "bm25:stem=english",
        "tfidf",
        "hybrid:embedder=hashed",
        "dense:embedder=hashed",
        *("flat", "gated", "hsr", "raptor", "fusion", "fusion:capacity=30"),
        *("ucb", "thompson:arms=bm25+dense:embedder=hashed"),
    ],
)
def test_searching_policies_pass_everything_they_claim(ref: str) -> None:
    """What they implement passes, the rest is unsupported, and nothing is vacuous."""
    report = check(lambda: open_system(ref))
    assert report.conforms
    assert {one.verdict for one in report.checks} == {Verdict.PASS, Verdict.UNSUPPORTED}
    assert len(report.checks) == len(REQUIRED) + len(HONEST) + len(OPTIONAL)


@pytest.mark.parametrize("ref", ["none", "random", "recency", "full", "oracle"])
def test_floors_and_ceilings_conform(ref: str) -> None:
    """They break no promise; what they cannot show is vacuous."""
    assert check(lambda: open_system(ref)).broken == ()


def test_what_could_not_fail_is_vacuous() -> None:
    """A system that returns nothing passes no check of its hits."""
    got = verdicts(lambda: open_system("none"))
    assert got["finds a stored turn"] == got["no duplicate hits"] == got["scopes are isolated"] == Verdict.VACUOUS
    assert got["dump lists what was stored"] == Verdict.PASS


@pytest.mark.parametrize(
    ("how", "caught_by"),
    [
        ("raises", "finds a stored turn"),
        ("duplicates", "no duplicate hits"),
        ("too_many", "respects k"),
        ("nan", "finite scores"),
        ("foreign", "hits are in the dump"),
        ("leaky", "scopes are isolated"),
        ("amnesic", "finds a stored turn"),
    ],
)
def test_every_fault_is_caught(how: str, caught_by: str) -> None:
    """Each deliberately bad system fails the check that is about its fault."""
    report = check(lambda: open_system(f"faulty:{how}"))
    assert not report.conforms
    broken = {one.name: one for one in report.broken}
    assert caught_by in broken
    assert broken[caught_by].detail
    assert broken[caught_by].verdict is (Verdict.ERROR if how == "raises" else Verdict.FAIL)


def test_a_system_that_hangs_is_left_behind() -> None:
    """After a probe that did not return no other is started, and all say so."""
    report = check(lambda: open_system("faulty:hangs,sleep=2"), timeout_s=0.5)
    assert {one.verdict for one in report.checks} == {Verdict.ERROR}
    assert report.checks[0].detail.startswith("did not return within 0.5 s (it was at ")
    assert report.checks[0].detail.endswith(f"; the {len(report.checks) - 1} checks after it were not made")
    assert "did not return" in report.checks[1].detail


def test_a_memory_that_is_slow_does_not_hang() -> None:
    """Where every call returns, and a check has more of them than its time holds, nothing worse is said."""

    class Dawdling(Bm25Policy):
        def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
            time.sleep(0.05)
            return super().ingest(turns, scope)

    report = check(Dawdling, timeout_s=0.5)
    assert report.checks[0].detail.startswith("was not over within 0.5 s (it was at ingest, which was called 0.")
    assert "took too long" in report.checks[1].detail
    assert essential(report.checks[0]) is None


@pytest.mark.parametrize(
    ("method", "place"), [("search", "it was at search, which was called 0."), ("reset", "it was at reset")]
)
def test_the_method_that_hangs_is_named(method: str, place: str) -> None:
    """Also where it is called before the first probe; and what takes long to open is called so."""
    wake = threading.Event()
    report = check(lambda: Variant(**{method: lambda *_: wake.wait(10)}), timeout_s=0.5)
    opening = check(lambda: Variant(after=wake.wait(10)), timeout_s=0.2)
    wake.set()
    assert place in report.checks[0].detail
    assert "it was at opening it" in opening.checks[0].detail


def test_a_factory_that_fails_is_an_error() -> None:
    """What the factory raises is named in every check, with its line."""

    def broken() -> MemorySystem:
        raise OSError("no server")

    assert all(one.detail.startswith("OSError: no server (test_conformance.py:") for one in check(broken).checks)


class StaleIndex(Bm25Policy):
    """Updates what it lists, and searches by what was first written."""

    name = "stale"

    def __init__(self) -> None:
        super().__init__()
        self.updated: dict[str, Memory] = {}

    def update(self, memory: str, text: str, scope: Scope) -> Receipt:
        """Lay the new text over the memory, and leave the index alone."""
        self.updated[memory] = Memory(memory, text)
        return Receipt((Change(Operation.UPDATE, memory),))

    def dump(self, scope: Scope) -> Iterator[Memory]:
        """List memories with their new texts."""
        return (self.updated.get(memory.id, memory) for memory in super().dump(scope))

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Return new texts in the order of the old ones."""
        ranking = super().search(query, scope, k)
        return Ranking(tuple(Hit(self.updated.get(hit.memory.id, hit.memory), hit.score) for hit in ranking.hits))


def test_an_update_that_search_does_not_learn_of_is_one_that_fails() -> None:
    """Of a list of everything, to a question that shares other words, the new text is among what comes back."""
    update = ended(StaleIndex, "update (mutable)")
    assert update.verdict is Verdict.FAIL
    assert "found first by 'quillfeather', which it no longer says" in update.detail


class Undeclared(Bm25Policy):
    """Names sources, and does not declare that it does."""

    name = "undeclared"

    def capabilities(self) -> Capabilities:
        """Promise the rest."""
        return replace(super().capabilities(), declares_sources=False)


def test_sources_that_are_not_declared_are_told_from_none() -> None:
    """Whoever names them learns which word makes them checked."""
    sources = ended(Undeclared, "memories name sources")
    assert sources.verdict is Verdict.UNSUPPORTED
    assert "declares_sources=True" in sources.detail


class Liar(Bm25Policy):
    """Claims everything and does none of it."""

    name = "liar"

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Ignore the time, write while searching and forget the order."""
        self._shelf(scope).memories.update({m.id: m for m in [self._memory(turn(500 + k, "noise"))]})
        found = super().search(query, scope, k)
        return Ranking(found.hits[::-1], found.score_kind)

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Store, and report nothing."""
        super().ingest(turns, scope)
        return type(super().ingest([], scope))()

    def dump(self, scope: Scope) -> Iterator[Memory]:
        """List memories with invented sources."""
        for memory in super().dump(scope):
            yield type(memory)(memory.id, memory.text, sources=("invented",))

    def reset(self) -> None:
        """Forget nothing."""

    def update(self, memory: str, text: str, scope: Scope) -> Receipt:
        """Do nothing."""
        return type(super().ingest([], scope))()

    def delete(self, memories: Sequence[str], scope: Scope) -> int:
        """Claim to have removed all."""
        return len(memories)

    def erase(self, scope: Scope) -> None:
        """Erase everything of everybody."""
        self._shelves.clear()

    def sweep(self, now: datetime) -> None:
        """Do nothing."""

    def reward(self, value: float) -> None:
        """Store what it is told."""
        super().ingest([turn(700 + int(value), f"told {value}")], HERE)

    def history(self, memory: str, scope: Scope) -> Sequence[AuditEntry]:
        """Remember nothing."""
        return ()

    def reopen(self) -> None:
        """Lose everything."""
        self._shelves.clear()

    def storage_paths(self) -> Sequence[Path]:
        """Claim no files."""
        return ()

    def context(self, query: str, scope: Scope, budget: int) -> str:
        """Overrun the budget."""
        return "x" * (budget + 1)

    def ask(self, question: str, scope: Scope, as_of: datetime | None = None) -> str:
        """Say nothing."""
        return ""


def test_claims_that_are_not_kept_fail() -> None:
    """Every optional protocol that is claimed and not kept is a failure, never unsupported."""
    got = verdicts(Liar)
    assert {got[name] for name in OPTIONAL} == {Verdict.FAIL}
    assert got["reset empties"] == got["search only reads"] == Verdict.FAIL
    assert got["receipts name changes"] == got["memories name sources"] == Verdict.FAIL


class Variant(Bm25Policy):
    """BM25 with parts of its behaviour replaced."""

    def __init__(self, **parts: object) -> None:
        super().__init__()
        for name, part in parts.items():
            setattr(self, name, part)


def with_parts(**parts: object) -> ConformanceReport:
    """Check a BM25 whose methods are replaced by *parts*."""
    return check(lambda: Variant(**parts))


def verdict_of(report: ConformanceReport, name: str) -> Verdict:
    """Return one verdict."""
    return next(one.verdict for one in report.checks if one.name == name)


def test_a_search_must_return_a_ranking() -> None:
    """A list of hits is named as what it is."""
    report = with_parts(search=lambda *_: [])
    assert report.checks[0].detail == "search returned a list, not a Ranking"


class Speaking(Bm25Policy):
    """Offers everything that is asked of it with a text, a list or a number."""

    def context(self, query: str, scope: Scope, budget: int) -> str:
        """Say nothing."""
        return ""

    def ask(self, question: str, scope: Scope, as_of: datetime | None = None) -> str:
        """Say nothing."""
        return ""

    def storage_paths(self) -> Sequence[Path]:
        """Name nothing."""
        return ()

    def reopen(self) -> None:
        """Do nothing."""


NUMBERED = Memory(cast("str", 7), "quillfeather")


@pytest.mark.parametrize(
    ("method", "returned", "check_of", "sentence"),
    [
        ("search", None, "finds a stored turn", "search returned None, not a Ranking"),
        ("search", {}, "finds a stored turn", "search returned a dict, not a Ranking"),
        ("search", Ranking(cast("Any", None)), "respects k", "a Ranking whose hits are None, not a tuple"),
        ("search", Ranking(cast("Any", [("a", 1)])), "respects k", "a tuple among its hits, not a Hit"),
        ("search", Ranking((Hit(NUMBERED),)), "no duplicate hits", "wrong id (an int, not a str)"),
        (
            "search",
            Ranking((Hit(Memory("a", "b"), cast("Any", "high")),)),
            "finite scores",
            "score is a str, not a finite",
        ),
        ("dump", None, "dump lists what was stored", "dump returned None, not a list of Memories"),
        ("dump", ["a"], "dump lists what was stored", "dump returned a str where a Memory belongs"),
        ("dump", [Memory("a", cast("str", None))], "hits are in the dump", "text (None, not a str)"),
        ("dump", [NUMBERED], "hits are in the dump", "dump returned a Memory with a wrong id (an int, not a str)"),
        ("capabilities", {}, "finds a stored turn", "capabilities returned a dict, not Capabilities"),
        ("ingest", ["t1"], "receipts name changes", "ingest returned a list, not a Receipt or None"),
        ("delete", None, "delete (mutable)", "delete returned None, not an int"),
        ("history", None, "history (auditable)", "history returned None, not a list of AuditEntries"),
        ("history", ["add"], "history (auditable)", "history returned a str where an AuditEntry belongs"),
        ("storage_paths", None, "reopen (durable)", "storage_paths returned None, not a list of Paths"),
        ("storage_paths", [3], "reopen (durable)", "storage_paths returned an int where a Path belongs"),
        ("context", 3, "context (assembling)", "context returned an int, not a text"),
        ("ask", None, "ask (answering)", "ask returned None, not a text"),
    ],
)
def test_what_a_method_may_not_return_is_said_with_its_name(
    method: str, returned: object, check_of: str, sentence: str
) -> None:
    """The sentence names the method, what it returned and what it should, and no error of ours."""
    checks = _of(method, returned).checks
    found = next(one for one in checks if one.name == check_of)
    assert found.verdict in {Verdict.FAIL, Verdict.ERROR}
    assert sentence in found.detail
    assert not any("AttributeError" in one.detail or "TypeError" in one.detail for one in checks)


def _of(method: str, returned: object) -> ConformanceReport:
    """Check a memory of which one method returns this."""

    class Returning(Speaking):
        def __init__(self) -> None:
            super().__init__()
            before = getattr(self, method)
            vars(self)[method] = lambda *given: (before(*given), returned)[1]

    return check(Returning)


def test_a_write_without_a_receipt_breaks_nothing() -> None:
    """A receipt is given where a memory can: None says nothing, and is no failure."""

    class Quiet(Bm25Policy):
        def capabilities(self) -> Capabilities:
            return replace(super().capabilities(), reports_changes=False)

        def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
            super().ingest(turns, scope)
            return cast("Receipt", None)

    assert check(Quiet).broken == ()


def test_modest_claims_are_unsupported() -> None:
    """What a system says that it does not do is not held against it."""
    modest = Capabilities(read_only_search=False, reports_changes=False, declares_sources=False, k_cap=2)
    report = with_parts(capabilities=lambda: modest)
    for name in ("search only reads", "receipts name changes", "memories name sources"):
        assert verdict_of(report, name) is Verdict.UNSUPPORTED
    assert verdict_of(report, "respects k") is Verdict.FAIL


def test_an_empty_dump_fails_and_makes_others_vacuous() -> None:
    """Without a dump the probes that rest on it could not fail."""
    report = with_parts(dump=lambda scope: [], history=None)
    assert verdict_of(report, "dump lists what was stored") is Verdict.FAIL
    for name in ("search only reads", "update (mutable)", "delete (mutable)", "erase (erasable)"):
        assert verdict_of(report, name) is Verdict.VACUOUS


class Bare:
    """The six methods and nothing else."""

    name = "bare"
    version = "1"

    def __init__(self) -> None:
        inner = Bm25Policy()
        self.capabilities = inner.capabilities
        self.ingest = inner.ingest
        self.flush = inner.flush
        self.search = inner.search
        self.dump = inner.dump
        self.reset = inner.reset


def test_what_is_absent_is_unsupported() -> None:
    """A system with the required methods alone passes them, and the rest is unsupported."""
    got = verdicts(Bare)
    assert {got[name] for name in REQUIRED} == {Verdict.PASS}
    assert {got[name] for name in OPTIONAL} == {Verdict.UNSUPPORTED}


def test_a_short_sleep_is_no_fault() -> None:
    """The system that hangs answers in the end."""
    assert verdicts(lambda: open_system("faulty:hangs,sleep=0"))["finds a stored turn"] is Verdict.PASS


class Keeper(Bm25Policy):
    """BM25 with a file, a context and answers."""

    name = "keeper"
    paths: tuple[Path, ...] = ()

    def reward(self, value: float) -> None:
        """Learn nothing."""

    def reopen(self) -> None:
        """Lose nothing."""

    def storage_paths(self) -> Sequence[Path]:
        """Name the files given."""
        return self.paths

    def context(self, query: str, scope: Scope, budget: int) -> str:
        """Join the hits, within the budget."""
        return " ".join(hit.memory.text for hit in self.search(query, scope, 5).hits)[:budget]

    def ask(self, question: str, scope: Scope, as_of: datetime | None = None) -> str:
        """Read out the first hit."""
        return self.search(question, scope, 1).hits[0].memory.text


def test_kept_claims_pass(tmp_path: Path) -> None:
    """A system that implements everything passes everything."""
    assert {one.verdict for one in check(Keeper).checks} == {Verdict.PASS}


def test_storage_that_does_not_exist_fails(tmp_path: Path) -> None:
    """A named file must be there, and an empty context or dump shows nothing."""

    class Absent(Keeper):
        paths = (tmp_path / "absent",)

        def context(self, query: str, scope: Scope, budget: int) -> str:
            return ""

        def capabilities(self) -> Capabilities:
            return Capabilities(role=Role.FLOOR)

    got = verdicts(Absent)
    assert (got["reopen (durable)"], got["context (assembling)"]) == (Verdict.FAIL, Verdict.VACUOUS)

    class Unlisted(Keeper):
        def dump(self, scope: Scope) -> Iterator[Memory]:
            return iter(())

    assert verdicts(Unlisted)["reopen (durable)"] is Verdict.VACUOUS
    assert verdicts(Unlisted)["history (auditable)"] is Verdict.VACUOUS
    assert verdicts(Unlisted)["reward (learning)"] is Verdict.VACUOUS


def test_isolation_and_mutation_are_seen_in_the_dump_too() -> None:
    """A dump that lists other scopes, a search that keeps old texts, and a wrong sweep each fail."""

    class Everything(Bm25Policy):
        def dump(self, scope: Scope) -> Iterator[Memory]:
            for shelf in self._shelves.values():
                yield from shelf.memories.values()

    assert verdicts(Everything)["scopes are isolated"] is Verdict.FAIL

    class Stale(Bm25Policy):
        def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
            other = Bm25Policy()
            other.ingest(turns(), scope)
            return other.search(query, scope, k)

        def erase(self, scope: Scope) -> None:
            super().erase(scope)

    got = verdicts(Stale)
    assert got["update (mutable)"] is got["delete (mutable)"] is got["erase (erasable)"] is Verdict.FAIL

    class Reviving(Bm25Policy):
        swept = False

        def sweep(self, now: datetime) -> None:
            self.swept = True

        def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
            return super().search(query, scope, k, None if self.swept else as_of)

    assert verdicts(Reviving)["expiry (expiring)"] is Verdict.FAIL


class Held(Bm25Policy):
    """Must be closed, and may fail at that or need it."""

    def __init__(self, closed: list[str], *, fails: bool = False, hangs: bool = False) -> None:
        super().__init__()
        self._closed, self._fails, self._hangs = closed, fails, threading.Event() if hangs else None

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Search, or wait until it is closed."""
        if self._hangs:
            self._hangs.wait(30)
        return super().search(query, scope, k, as_of)

    def close(self) -> None:
        """Note it."""
        self._closed.append("closed")
        if self._hangs:
            self._hangs.set()
        if self._fails:
            raise OSError("busy")


def test_every_probed_system_is_closed() -> None:
    """Once for each probe, in good order; one that cannot be closed breaks a promise."""
    closed: list[str] = []
    report = check(lambda: Held(closed))
    assert report.broken == ()
    assert len(closed) == len(report.checks)
    failing = check(lambda: Held(closed, fails=True))
    assert {one.detail for one in failing.checks} == {"closing it raised OSError: busy"}


def test_a_system_that_hangs_is_closed_from_beside() -> None:
    """Its process, if it has one, ends with the probe."""
    closed: list[str] = []
    check(lambda: Held(closed, hangs=True), timeout_s=0.2)
    until = time.monotonic() + 10
    while not closed and time.monotonic() < until:
        time.sleep(0.01)
    assert closed == ["closed"]


class Fallback(Bm25Policy):
    """Searches everybody's memories where its own scope has nothing."""

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Look further where nothing fits, in scopes that are known."""
        found = super().search(query, scope, k, as_of)
        if found.hits or scope not in self._shelves:
            return found
        everybody = (super(Fallback, self).search(query, other, k, as_of) for other in list(self._shelves))
        return next((ranking for ranking in everybody if ranking.hits), found)


class ErasingTenants(Bm25Policy):
    """Erases a user in all tenants."""

    def erase(self, scope: Scope) -> None:
        """Go by the user alone."""
        for other in [other for other in self._shelves if other.user == scope.user]:
            super().erase(other)


class ResettingLast(Bm25Policy):
    """Forgets on reset whoever was written last."""

    last: Scope | None = None

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Remember who it was."""
        self.last = scope
        return super().ingest(turns, scope)

    def reset(self) -> None:
        """Empty one scope."""
        if self.last is not None:
            self.erase(self.last)


class LosingTenth(Bm25Policy):
    """Loses a memory with every tenth search."""

    searched = 0

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Search, and delete what was written first."""
        found = super().search(query, scope, k, as_of)
        self.searched += 1
        if self.searched % 10 == 0:
            self.delete([memory.id for memory in self.dump(scope)][:1], scope)
        return found


class LosingWrites(Bm25Policy):
    """Names a write as added that it does not keep."""

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Keep all but two."""
        receipt = super().ingest(turns, scope)
        self.delete([turn.id for turn in turns if turn.id in {"t7", "t17"}], scope)
        return receipt


@pytest.mark.parametrize(
    ("memory", "caught_by", "detail"),
    [
        (Fallback, "scopes are isolated", "returns the other's turn"),
        (ErasingTenants, "erase (erasable)", "user conformance-one of tenant conformance-other was erased too"),
        (ResettingLast, "reset empties", "memories of user conformance-one are left after a reset"),
        (LosingTenth, "search only reads", "12 searches changed what the dump lists"),
        (LosingWrites, "receipts name changes", "named as added and not listed: t17, t7"),
    ],
)
def test_what_shows_beside_another_scope_or_after_many_calls_is_caught(
    memory: Callable[[], MemorySystem], caught_by: str, detail: str
) -> None:
    """A leak where nothing fits, one erased too many, one left over, one lost in ten searches, one never kept."""
    found = {one.name: one for one in check(memory).broken}
    assert detail in found[caught_by].detail
    assert len(found) == 1


def test_what_receipts_name_as_gone_need_not_be_listed() -> None:
    """A memory that was added and later removed is lost by nobody's fault."""

    class Merging(Bm25Policy):
        def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
            receipt = super().ingest(turns, scope)
            gone = [turn.id for turn in turns if turn.id.endswith("7")]
            self.delete(gone, scope)
            return Receipt((*(receipt.changes or ()), *(Change(Operation.DELETE, name) for name in gone)))

    assert verdicts(Merging)["receipts name changes"] is Verdict.PASS
