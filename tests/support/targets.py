"""Runs of a generated world over stores of derived memories, made once for all tests of the targets study."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING

from memgauge.datasets.catalogue import open_dataset
from memgauge.runs.play.execute import execute
from memgauge.runs.play.executors import Inline
from memgauge.runs.play.plan import plan
from memgauge.runs.record.manifest import Limits
from memgauge.runs.record.store import load
from memgauge.scoring.gold import GoldTable
from memgauge.studies.targets.lineup import AuditSpec, line_up
from memgauge.studies.targets.stores import write_store

if TYPE_CHECKING:
    from memgauge.runs.record.store import Run
    from memgauge.studies.targets.lineup import Lineup

WORLD = open_dataset("synthetic:small,seed=1")
GOLD = GoldTable.read(WORLD)
SPEC = AuditSpec(k=20)


@cache
def folder() -> Path:
    """Return a folder that lives as long as the tests."""
    return Path(mkdtemp(prefix="memgauge-targets-"))


@cache
def runs() -> tuple[Run, ...]:
    """Run BM25 and TF-IDF over one and five facts a turn."""
    stores = [write_store(WORLD, name, folder() / "stores") for name in ("facts-1", "facts-5")]
    refs = [f"{system}:store={store},as_heard=false" for system in ("bm25", "tfidf") for store in stores]
    made = execute(
        plan(["synthetic:small,seed=1"], refs, limits=Limits(k=20)),
        folder() / "runs",
        check=False,
        executor=Inline(),
    )
    return tuple(load(each) for each in made)


@cache
def plain() -> Run:
    """Run BM25 over turns alone."""
    (made,) = execute(
        plan(["synthetic:small,seed=1"], ["bm25:as_heard=false"], limits=Limits(k=20)),
        folder() / "plain",
        check=False,
        executor=Inline(),
    )
    return load(made)


@cache
def lineup() -> Lineup:
    """Lay the four runs side by side."""
    return line_up(runs(), GOLD, SPEC)
