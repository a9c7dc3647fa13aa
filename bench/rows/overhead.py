"""What the harness adds to a search: 2,000 of them through a memory that does next to nothing."""

from __future__ import annotations

import shutil
import time
from typing import TYPE_CHECKING, Any

from bench.row import Job, Row, floor, ours

if TYPE_CHECKING:
    from pathlib import Path


def memgauge(folder: Path) -> Job:
    """Play the streams, freeze every answer, journal, seal and check: a run that can be verified."""
    from bench.bulk import Bulk, make_run

    out, asked = folder / "overhead", Bulk().questions

    def run() -> float:
        shutil.rmtree(out, ignore_errors=True)
        start = time.perf_counter()
        make_run(out, "recency")
        return (time.perf_counter() - start) * 1000 / asked

    return Job(run, spent=float)


def loop(_: Path) -> Job:
    """Write all turns and ask all questions in a loop, and keep the answers in a list."""
    from bench.bulk import Bulk
    from memgauge.records import Scope
    from memgauge.systems.catalogue import open_system

    dataset = Bulk()
    cases = list(dataset.cases())

    def run() -> tuple[float, list[Any]]:
        start, found = time.perf_counter(), []
        for case in cases:
            system: Any = open_system("recency")
            scope = Scope(user=case.conversation.id)
            for turn in case.conversation.turns():
                system.ingest([turn], scope)
            found += [system.search(question.text, scope, 60, None) for question in case.questions]
        return (time.perf_counter() - start) * 1000 / dataset.questions, found

    return Job(run, spent=lambda said: float(said[0]))


ROW = Row(
    "the harness, per search, writing included",
    limit=1,
    above=(
        "A search of this memory is a slice of a list. The harness keeps 60 memories with texts and lineage, "
        "checks every row that the process of the memory hands over, writes a line of the journal that survives a "
        "kill, and seals tables with hashes."
    ),
    sides=(
        ours(memgauge, note="a sealed run on disk"),
        floor("a bare loop", loop, note="nothing is kept"),
    ),
)
