"""Lag, read-only searches, caps and orders: measured, and each fault is seen."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import count
from typing import TYPE_CHECKING

import pytest

from memgauge.systems import open_system
from memgauge.systems.conformance.consistency import STORED, MeasuredConsistency, measure_consistency, write
from memgauge.systems.policies.lexical import Bm25Policy
from memgauge.systems.protocol import Unit

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime
    from pathlib import Path

    from memgauge.records import Ranking, Receipt, Scope, Turn
    from memgauge.systems.protocol import MemorySystem


@dataclass
class Clock:
    """A clock that moves when somebody sleeps."""

    now: float = 0.0
    slept: list[float] = field(default_factory=list)

    def __call__(self) -> float:
        """Tell the time."""
        return self.now

    def sleep(self, seconds: float) -> None:
        """Let time pass."""
        self.slept.append(seconds)
        self.now += seconds


def measured(system: MemorySystem, clock: Clock | None = None) -> MeasuredConsistency:
    """Measure against a clock that costs no time."""
    clock = clock or Clock()
    return measure_consistency(system, patience_s=1.0, settle_s=0.5, clock=clock, sleep=clock.sleep)


class Timed(Bm25Policy):
    """BM25 that sees only what a clock lets it see."""

    def __init__(self, clock: Clock) -> None:
        super().__init__()
        self.clock, self.written = clock, 0.0

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Store, and note when."""
        self.written = self.clock.now
        return super().ingest(turns, scope)

    def flush(self, scope: Scope, timeout_s: float) -> None:
        """Make everything visible."""
        super().flush(scope, timeout_s)
        self.written = -1e9

    def visible(self, age: float) -> bool:
        """Whether a write of this age is seen."""
        return age >= 0.3

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Hide the last write for a while."""
        found = super().search(query, scope, k, as_of)
        if self.visible(self.clock.now - self.written):
            return found
        return replace(found, hits=tuple(hit for hit in found.hits if "quillfeather" not in hit.memory.text))


def test_a_good_memory_reads_at_once_in_one_order_and_changes_nothing() -> None:
    """BM25 is found by its first poll, gives everything that is stored, and keeps its orders."""
    found = measured(open_system("bm25"))
    assert found.stored == STORED + 1
    assert not found.changed
    assert found.cap is None
    assert found.prefixed == found.same_order == found.searches
    assert found.lag.found_ms == 0
    assert not found.lag.lost_again


def test_the_lag_is_when_the_first_search_found_it() -> None:
    """What is seen after 0.3 seconds has a lag of at least that, and polls stay spaced."""
    clock = Clock()
    found = measured(Timed(clock), clock)
    assert found.lag.found_ms is not None
    assert 300 <= found.lag.found_ms <= 400
    assert found.lag.found_after_flush
    assert max(clock.slept) <= 0.1


def test_patience_ends_and_a_flush_makes_it_readable() -> None:
    """What only a flush shows is not found before, and is found after."""
    clock = Clock()
    system = Timed(clock)
    system.visible = lambda age: age > 1e6  # type: ignore[method-assign]
    found = measured(system, clock)
    assert found.lag.found_ms is None
    assert found.lag.found_after_flush
    assert sum(clock.slept) == pytest.approx(1.0)


def test_what_was_found_and_is_lost_again_shows() -> None:
    """An index that drops a memory while it indexes it anew is seen by settling."""
    clock = Clock()
    system = Timed(clock)
    system.visible = lambda age: not 0.1 <= age < 0.3  # type: ignore[method-assign]
    found = measured(system, clock)
    assert found.lag.found_ms == 0
    assert found.lag.lost_again


class Capped(Bm25Policy):
    """Gives 42 hits at most, and does not say so."""

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Cap."""
        return super().search(query, scope, min(k, 42), as_of)


class Notes(Bm25Policy):
    """Stores every question."""

    asked = 0

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Search, then write down what was asked."""
        from memgauge.systems.conformance.bench import turn

        found = super().search(query, scope, k, as_of)
        Notes.asked += 1
        self.ingest([turn(10_000 + Notes.asked, query, "q")], scope)
        return found


class Shuffles(Bm25Policy):
    """Turns the order around at every second search."""

    def __init__(self) -> None:
        super().__init__()
        self.calls = count()

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Reverse now and then."""
        found = super().search(query, scope, k, as_of)
        return replace(found, hits=found.hits[:: -1 if next(self.calls) % 2 else 1])


class Unprefixed(Bm25Policy):
    """Reverses short lists."""

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Rank small k in another way."""
        found = super().search(query, scope, k, as_of)
        return replace(found, hits=found.hits[::-1]) if k < 20 else found


def test_a_silent_cap_is_found() -> None:
    """The most hits that come are fewer than are stored."""
    assert measured(Capped()).cap == 42


def test_a_search_that_writes_is_found() -> None:
    """Stored questions are changes of the dump."""
    found = measured(Notes())
    assert found.changed > 0


def test_orders_that_change_are_found() -> None:
    """Repeats that differ and a top 10 that is not the top of 60 are told apart."""
    shuffled, short = measured(Shuffles()), measured(Unprefixed())
    assert shuffled.same_order == 0
    assert short.prefixed == 0
    assert short.same_order == short.searches


@pytest.mark.parametrize(("unit", "calls"), [(Unit.TURN, 3), (Unit.PAIR, 2), (Unit.SESSION, 1)])
def test_turns_are_handed_over_in_the_units_of_the_system(unit: Unit, calls: int) -> None:
    """A system for pairs gets pairs."""
    from memgauge.systems.conformance.consistency import known_turns

    system = Bm25Policy()
    promised = replace(system.capabilities(), unit=unit)
    system.capabilities = lambda: promised  # type: ignore[method-assign]
    assert write(system, known_turns(3)) == calls


def test_a_system_for_pairs_gets_the_last_turn_with_a_reply() -> None:
    """What it does with a turn that has none is another question than how long a write takes."""
    system = Bm25Policy()
    promised = replace(system.capabilities(), unit=Unit.PAIR)
    system.capabilities = lambda: promised  # type: ignore[method-assign]
    assert measured(system).stored == STORED + 2


class Counts(Bm25Policy):
    """Writes down in a file how often it was asked."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.folder, self.calls = folder, count()
        (folder / "store").write_text("turns", "utf-8")

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Search, and count."""
        (self.folder / "heat").write_text(str(next(self.calls)), "utf-8")
        return super().search(query, scope, k, as_of)

    def reopen(self) -> None:
        """Do nothing."""

    def storage_paths(self) -> Sequence[Path]:
        """Name the folder."""
        return [self.folder]


def test_a_search_that_writes_files_alone_is_found(tmp_path: Path) -> None:
    """What the dump does not show, the bytes of the store do."""
    found = measured(Counts(tmp_path))
    assert not found.changed
    assert found.files_changed == 1
    assert measured(open_system("bm25")).files_changed is None
