"""What a write costs: bytes, and the model where somebody counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.records import Receipt
from memgauge.systems import open_system
from memgauge.systems.conformance.consistency import STORED
from memgauge.systems.conformance.footprint import Spent, measure_footprint
from memgauge.systems.policies.lexical import Bm25Policy

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from memgauge.records import Memory, Scope, Turn


class Filed(Bm25Policy):
    """Keeps a file of a hundred bytes a turn, and asks a model twice for each."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path, self.asked = path, 0
        path.write_bytes(b"x" * 10)

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Grow."""
        with self.path.open("ab") as file:
            file.write(b"x" * 100 * len(turns))
        self.asked += 2
        return super().ingest(turns, scope)

    def reopen(self) -> None:
        """Do nothing."""

    def storage_paths(self) -> Sequence[Path]:
        """Name the file."""
        return [self.path]


def test_bytes_calls_and_tokens_are_of_the_writes_alone(tmp_path: Path) -> None:
    """What was there before does not count."""
    system = Filed(tmp_path / "store")
    system.asked = 7
    found = measure_footprint(system, spent=lambda: Spent(system.asked, 10 * system.asked))
    assert found.stored_bytes == 100 * STORED
    assert found.bytes_per_memory == 100
    assert found.calls_per_write == 2
    assert found.tokens_per_write == 20
    assert found.writes == found.memories == STORED


def test_what_nobody_counts_is_unknown() -> None:
    """Without files and without a counter there is nothing to say."""
    found = measure_footprint(open_system("bm25"))
    assert found.bytes_per_memory is None
    assert found.calls_per_write is None
    assert found.tokens_per_write is None
    assert found.text_bytes > 0
    assert found.write_ms >= 0


def test_a_memory_that_keeps_nothing_has_no_bytes_a_memory(tmp_path: Path) -> None:
    """Nothing is divided by nothing, whatever lies in its files."""

    class Forgetful(Filed):
        def dump(self, scope: Scope) -> Iterator[Memory]:
            """List nothing."""
            return iter(())

    found = measure_footprint(Forgetful(tmp_path / "store"))
    assert (found.memories, found.stored_bytes) == (0, 100 * STORED)
    assert found.bytes_per_memory is None
    assert measure_footprint(open_system("none")).bytes_per_memory is None


def test_memories_are_counted_once_all_writes_are_done(tmp_path: Path) -> None:
    """One that works in the background is waited for."""

    class Later(Filed):
        waiting: tuple[Turn, ...] = ()

        def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
            """Put off."""
            self.waiting += tuple(turns)
            return Receipt()

        def flush(self, scope: Scope, timeout_s: float) -> None:
            """Store what was put off."""
            super().ingest(self.waiting, scope)
            self.waiting = ()

    found = measure_footprint(Later(tmp_path / "store"))
    assert (found.memories, found.stored_bytes) == (STORED, 100 * STORED)
