"""The same grid in every executor: what is equal, and what a node costs that is killed while it works."""

from __future__ import annotations

import hashlib
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from memgauge.records import Contract
from memgauge.runs.play.execute import execute
from memgauge.runs.play.executors import executor
from memgauge.runs.play.plan import plan
from memgauge.runs.record import journal
from memgauge.runs.record.store import load
from memgauge.scoring.judged_runs import read_gold
from memgauge.scoring.score import Settings, write_scores

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from memgauge.runs.play.execute import PlanProgress
    from memgauge.runs.play.plan import Plan

HERE: Final = ("inline", "processes:1", "processes:2", "processes:4")
CORES: Final = 2
"""Of each node."""
STORE: Final = 100 * 2**20
"""Bytes of each node's object store."""


def cluster() -> Mapping[str, float]:
    """Run one grid in this process, in 1, 2 and 4 others, and on two Ray nodes of which one is killed."""
    executor("ray")  # says what is missing before anything is spent
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder)
        made = {name: execute(_grid(), out / str(n), executor=executor(name)) for n, name in enumerate(HERE)}
        made["ray"], killed = _cut_short(out / "ray")
        scores = {name: _scores(folders) for name, folders in made.items()}
        done = [_finished(path) for path in made["ray"]]
        wanted = [_finished(path) for path in made["inline"]]
    return {
        "kinds_of_score_files": float(len(set(scores.values()))),
        "nodes_killed": float(killed),
        "conversations_lost_or_doubled": float(sum(a != b for a, b in zip(done, wanted, strict=True))),
    }


def _grid() -> Plan:
    return plan(["synthetic:tiny"], ["bm25", "tfidf"], seeds=[1, 2])


def _cut_short(out: Path) -> tuple[list[Path], int]:
    """Run the grid on two nodes, and kill the second one after the first conversation."""
    killed = 0
    with _nodes() as nodes:
        second = nodes.add_node(num_cpus=CORES, object_store_memory=STORE)

        def watch(progress: PlanProgress) -> None:
            nonlocal killed
            if progress.done and not killed:
                nodes.remove_node(second, allow_graceful=False)
                killed += 1

        made = execute(_grid(), out, executor=executor(f"ray:address={nodes.address}"), on_progress=watch)
    return made, killed


@contextmanager
def _nodes() -> Iterator[Any]:
    from ray.cluster_utils import Cluster

    head = {"num_cpus": CORES, "object_store_memory": STORE, "include_dashboard": False}
    nodes = Cluster(initialize_head=True, head_node_args=head)
    try:
        yield nodes
    finally:
        nodes.shutdown()


def _scores(folders: Sequence[Path]) -> str:
    """Hash the names and bytes of all score files."""
    whole = hashlib.sha256()
    for folder in folders:
        run = load(folder)
        (gold,) = read_gold([run]).values()
        path = write_scores(run, gold, Settings(Contract()))
        whole.update(path.name.encode() + path.read_bytes())
    return whole.hexdigest()


def _finished(folder: Path) -> int:
    """Count the conversations that a journal closes."""
    return (folder / journal.FILE).read_bytes().count(b'{"t":"end"')
