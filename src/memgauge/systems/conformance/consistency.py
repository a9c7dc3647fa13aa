"""When a write can be read, what a search changes, how many hits it gives at most, and whether its order holds."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

from memgauge.results import result
from memgauge.systems.conformance.bench import CANARY, HERE, TIMEOUT_S, ask, holds, ids, turn
from memgauge.systems.protocol import Durable, Unit, implements

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from memgauge.records import Turn
    from memgauge.systems.protocol import MemorySystem

STORED = 72
"""Turns written: more than the 60 hits that a run asks for."""
SHORT, LONG = 10, 60
_WORDS = ("beans", "gate", "robin", "rain", "fence", "paint")
_SAID = ("the {} came up late", "nobody saw the {}", "we talked of the {} all day", "the {} was gone again")


@result
@dataclass(frozen=True, slots=True)
class Lag:
    """How long a write took to become readable."""

    write_ms: float
    found_ms: float | None
    """From the end of the write to the end of the first search that found it; ``None``: not before a flush."""
    polls: int
    lost_again: bool
    """Whether a later search, without a write between, missed what an earlier one had found."""
    flush_ms: float
    found_after_flush: bool


@result
@dataclass(frozen=True, slots=True)
class MeasuredConsistency:
    """What was measured of one system."""

    stored: int
    """Memories listed before the searches."""
    lag: Lag
    searches: int
    changed: int
    """Memories that the dump lists differently, no longer, or newly after the searches."""
    most: int
    """The most hits that any search returned; the largest *k* asked for was *stored*, and 60 at least."""
    prefixed: int
    """Searches whose top 10 began their top 60."""
    same_order: int
    """Searches that gave one order each time they were repeated."""
    files_changed: int | None = None
    """Files of the store with other bytes after the searches; ``None`` where the system names no files."""

    @property
    def cap(self) -> int | None:
        """The most hits that a search gives where fewer came than are stored; ``None`` where all came."""
        return self.most if self.most < self.stored else None


def measure_consistency(
    system: MemorySystem,
    *,
    patience_s: float = 3.0,
    settle_s: float = 1.5,
    repeats: int = 3,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> MeasuredConsistency:
    """Write known turns to an emptied *system* and measure.

    *system* holds them afterwards. An unflushed write is polled for *patience_s*; what was found is polled for
    *settle_s* more, because an index may lose it for a moment.
    """
    system.reset()
    write(system, known_turns())
    system.flush(HERE, TIMEOUT_S)
    lag = _lag(system, patience_s, settle_s, clock, sleep)
    before = {memory.id: memory for memory in system.dump(HERE)}
    files = _files(system)
    queries = [ask(word) for word in (*_WORDS, CANARY)]
    prefixed, same, most = 0, 0, 0
    for query in queries:
        long = [_found(system, query, LONG) for _ in range(repeats)]
        short = _found(system, query, SHORT)
        most = max(most, *map(len, long), len(_found(system, query, max(LONG, len(before)))))
        prefixed += short == long[0][:SHORT]
        same += all(order == long[0] for order in long)
    rewritten = _differing(files, _files(system))
    after = {memory.id: memory for memory in system.dump(HERE)}
    changed = _differing(before, after) or 0
    return MeasuredConsistency(len(before), lag, len(queries), changed, most, prefixed, same, rewritten)


def known_turns(number: int = STORED) -> list[Turn]:
    """Make turns that share words, so that one question can find all of them."""
    return [
        turn(place, f"In the garden, note {place}: " + _SAID[place % 4].format(_WORDS[place % 6]), "k")
        for place in range(number)
    ]


def write(system: MemorySystem, turns: Sequence[Turn]) -> int:
    """Hand *turns* over in the unit that *system* wants; return in how many calls."""
    unit = system.capabilities().unit
    size = {Unit.TURN: 1, Unit.PAIR: 2, Unit.SESSION: max(1, len(turns))}[unit]
    starts = range(0, len(turns), size)
    for start in starts:
        system.ingest(list(turns[start : start + size]), HERE)
    return len(starts)


def _lag(
    system: MemorySystem,
    patience_s: float,
    settle_s: float,
    clock: Callable[[], float],
    sleep: Callable[[float], None],
) -> Lag:
    """Write one turn more and look for it until it was found and stayed, or patience ends; then flush."""
    last = [turn(STORED, f"In the garden the new neighbour is called {CANARY}.", "k")]
    if system.capabilities().unit is Unit.PAIR:  # a turn without a reply is another question
        last.append(turn(STORED + 1, "In the garden we shall see.", "k"))
    began = clock()
    write(system, last)
    written = clock()
    found_at, lost, polls, wait = None, False, 0, 0.001
    until = written + patience_s
    while True:
        polls += 1
        there = _finds(system)
        now = clock()
        if there and found_at is None:
            found_at, until = now, now + settle_s
        lost |= found_at is not None and not there
        if now >= until:
            break
        sleep(min(wait, until - now))
        wait = min(0.1, wait * 2)
    flushing = clock()
    system.flush(HERE, TIMEOUT_S)
    flushed = clock()
    return Lag(
        write_ms=(written - began) * 1000,
        found_ms=None if found_at is None else (found_at - written) * 1000,
        polls=polls,
        lost_again=lost,
        flush_ms=(flushed - flushing) * 1000,
        found_after_flush=_finds(system),
    )


def _differing(before: Mapping[str, object] | None, after: Mapping[str, object] | None) -> int | None:
    """Count what is gone, new or different."""
    if before is None or after is None:
        return None
    return sum(before.get(key) != after.get(key) for key in before.keys() | after.keys())


def _files(system: MemorySystem) -> dict[str, str] | None:
    """Hash every file of the store; ``None`` where the system names none."""
    paths = system.storage_paths() if implements(system, Durable) else ()
    if not paths:
        return None
    hashes = {}
    for path in paths:
        for file in path.rglob("*") if path.is_dir() else [path]:
            with suppress(OSError):  # a store removes files while it is looked at
                if file.is_file():
                    hashes[str(file)] = sha256(file.read_bytes()).hexdigest()
    return hashes


def _finds(system: MemorySystem) -> bool:
    return any(holds(hit.memory, CANARY) for hit in system.search(ask(CANARY), HERE, 4 * STORED).hits)


def _found(system: MemorySystem, query: str, k: int) -> list[str]:
    return ids(system.search(query, HERE, k).hits)
