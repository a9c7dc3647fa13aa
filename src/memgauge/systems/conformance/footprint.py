"""What writing costs: bytes for each memory, time, and the model calls and tokens where somebody counts them."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memgauge.results import result
from memgauge.systems.conformance.bench import HERE, TIMEOUT_S
from memgauge.systems.conformance.consistency import known_turns, write
from memgauge.systems.protocol import Durable, implements
from memgauge.systems.wire.usage import bytes_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from memgauge.systems.protocol import MemorySystem


@result
@dataclass(frozen=True, slots=True)
class Spent:
    """Calls of a model so far, and the tokens of what they sent and got."""

    calls: int
    tokens: int


@result
@dataclass(frozen=True, slots=True)
class Footprint:
    """What the known turns cost one system."""

    turns: int
    writes: int
    """Calls in which the turns were handed over."""
    memories: int
    text_bytes: int
    """Of the memories as the dump lists them."""
    stored_bytes: int | None
    """By which the store grew; ``None`` where the system names no files."""
    write_ms: float
    """For one write, on average, the flush at the end included."""
    model: Spent | None
    """What the writes spent; ``None`` where nobody counts."""

    @property
    def bytes_per_memory(self) -> float | None:
        """Bytes of the store for each memory."""
        return None if self.stored_bytes is None or not self.memories else self.stored_bytes / self.memories

    @property
    def calls_per_write(self) -> float | None:
        """Calls of a model for each write."""
        return None if self.model is None else self.model.calls / self.writes

    @property
    def tokens_per_write(self) -> float | None:
        """Tokens of a model for each write."""
        return None if self.model is None else self.model.tokens / self.writes


def measure_footprint(
    system: MemorySystem,
    *,
    spent: Callable[[], Spent] | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Footprint:
    """Write known turns to an emptied *system* and say what they cost.

    *system* holds them afterwards. *spent* says what the model behind it was asked so far, where somebody counts.
    """
    system.reset()
    empty, before, began = _stored(system), spent() if spent else None, clock()
    turns = known_turns()
    writes = write(system, turns)
    system.flush(HERE, TIMEOUT_S)
    seconds = clock() - began
    after = spent() if spent else None
    memories = list(system.dump(HERE))
    full = _stored(system)
    return Footprint(
        turns=len(turns),
        writes=writes,
        memories=len(memories),
        text_bytes=sum(len(memory.text.encode()) for memory in memories),
        stored_bytes=None if full is None else full - (empty or 0),
        write_ms=1000 * seconds / writes,
        model=Spent(after.calls - before.calls, after.tokens - before.tokens) if after and before else None,
    )


def _stored(system: MemorySystem) -> int | None:
    paths = system.storage_paths() if implements(system, Durable) else ()
    return bytes_of(paths) if paths else None
