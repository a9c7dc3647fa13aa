"""A Ray cluster of two nodes on this machine: the same bytes, whatever dies on the way."""

from __future__ import annotations

import _socket
import hashlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import textwrap
import threading
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import memgauge
from memgauge.errors import ConfigError, RunError
from memgauge.records import Contract
from memgauge.reproduce import Status, reproduce
from memgauge.runs.play.execute import execute
from memgauge.runs.play.executors import executor
from memgauge.runs.play.executors.cluster import Cluster
from memgauge.runs.play.executors.settings import ClusterSettings, Demand
from memgauge.runs.play.plan import plan
from memgauge.runs.record.seal import Seal, sealed
from memgauge.runs.record.store import load
from memgauge.scoring.judged_runs import read_gold
from memgauge.scoring.score import Settings, write_scores
from support import ROOT
from support.cluster import met
from support.handmade import many_questions, planned
from support.systems import GUILTY, MARKS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ray = pytest.importorskip("ray", reason="needs Ray: run `make test-cluster`")

pytestmark = [pytest.mark.cluster, pytest.mark.filterwarnings("default")]  # Ray warns of its own future

LINGERING = "support.cluster:Lingering"


@pytest.fixture(scope="module")
def marks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Make the folder of marks, which every process started from here on knows of."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("marks")
        patch.setenv(MARKS, str(folder))
        patch.setenv(GUILTY, "c1")
        for name in ("connect", "connect_ex"):  # nodes speak through this machine's own address
            patch.setattr(socket.socket, name, getattr(_socket.socket, name))
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("PYTHONPATH", os.pathsep.join([str(Path(memgauge.__file__).parents[1]), str(ROOT / "tests")]))
        yield folder


@pytest.fixture(scope="module")
def nodes(marks: Path) -> Iterator[Any]:
    """Start a head node with two cores."""
    from ray.cluster_utils import Cluster as Nodes

    head = {"num_cpus": 2, "object_store_memory": 100 * 2**20}
    cluster = Nodes(initialize_head=True, head_node_args=head | {"include_dashboard": False})
    yield cluster
    cluster.shutdown()


@contextmanager
def another(nodes: Any, **options: Any) -> Iterator[Any]:
    """Add a node for the time being."""
    node = nodes.add_node(num_cpus=2, object_store_memory=100 * 2**20, wait=True, **options)
    try:
        yield node
    finally:
        if node in nodes.list_all_nodes():
            nodes.remove_node(node, allow_graceful=False)


def scores(folders: Sequence[Path]) -> list[tuple[str, str]]:
    """Score runs, and hash what was written."""
    found = []
    for folder in folders:
        run = load(folder)
        (gold,) = read_gold([run]).values()
        path = write_scores(run, gold, Settings(Contract()))
        found.append((path.name, hashlib.sha256(path.read_bytes()).hexdigest()))
    return found


def test_score_files_do_not_depend_on_where_work_is_done(nodes: Any, tmp_path: Path) -> None:
    """In this process, in 1, 2 and 4 others, and on two nodes of which one is killed, the bytes are the same."""
    found = {}
    for name in ("inline", "processes:1", "processes:2", "processes:4"):
        made = execute(
            plan(["synthetic:tiny"], ["bm25", "random"], seeds=[7, 8]), tmp_path / name, executor=executor(name)
        )
        found[name] = [Seal.read(folder).content for folder in made], scores(made)
    with another(nodes) as node:
        made = execute(
            plan(["synthetic:tiny"], ["bm25", "random"], seeds=[7, 8]),
            tmp_path / "ray",
            executor=executor(f"ray:address={nodes.address}"),
            on_progress=lambda p: (
                nodes.remove_node(node, allow_graceful=False)
                if p.done == 1 and node in nodes.list_all_nodes()
                else None
            ),
        )
    found["ray"] = [Seal.read(folder).content for folder in made], scores(made)
    assert len({str(each) for each in found.values()}) == 1, found


def test_what_a_killed_node_had_is_done_elsewhere(nodes: Any, marks: Path, tmp_path: Path) -> None:
    """Conversations begun on a node that is killed are begun again, written once, and end like any other."""
    work = planned(many_questions(12, 2), LINGERING)
    killed = []

    def kill(node: Any) -> None:
        while not any(node.node_id in each for each in met(marks).values()):
            time.sleep(0.01)
        nodes.remove_node(node, allow_graceful=False)
        killed.append(node.node_id)

    with another(nodes) as node:
        killer = threading.Thread(target=kill, args=(node,), daemon=True)
        killer.start()
        (folder,) = execute(work, tmp_path / "ray", executor=executor(f"ray:address={nodes.address}"))
        killer.join(timeout=60)
    assert killed
    twice = {name: where for name, where in met(marks).items() if len(where) > 1}
    assert twice
    assert all(where.count(killed[0]) == 1 for where in twice.values())
    assert (folder / "journal.jsonl").read_bytes().count(b'{"t":"end"') == 12
    (whole,) = execute(work, tmp_path / "inline")
    assert Seal.read(folder).content == Seal.read(whole).content


def test_a_conversation_that_kills_its_worker_fails_alone(nodes: Any, tmp_path: Path) -> None:
    """It is given out as often as told, then recorded as processes record it."""
    work = planned(many_questions(3, 2), "support.systems:Deadly")
    settings = ClusterSettings(address=nodes.address, tries=2)
    (there,) = execute(work, tmp_path / "ray", executor=Cluster(settings))
    (here,) = execute(work, tmp_path / "processes", executor=executor("processes:2"))
    assert load(there).questions["outcome"].tolist() == ["ok", "ok", "error", "error", "ok", "ok"]
    assert Seal.read(there).content == Seal.read(here).content


def test_a_node_with_other_code_is_refused(nodes: Any, marks: Path, tmp_path: Path) -> None:
    """Its files differ by one comment; everything is done by the others."""
    other = tmp_path / "other"
    shutil.copytree(Path(memgauge.__file__).parent, other / "memgauge", ignore=shutil.ignore_patterns("*.pyc"))
    with (other / "memgauge" / "errors.py").open("a", encoding="utf-8") as file:
        file.write("# another version\n")
    path = os.pathsep.join([str(other), str(ROOT / "tests")])
    for mark in marks.iterdir():
        mark.unlink()
    with another(nodes, env_vars={"PYTHONPATH": path}, resources={"odd": 1}) as node:
        work = planned(many_questions(6, 1), LINGERING)
        execute(work, tmp_path / "out", executor=executor(f"ray:address={nodes.address}"))
        assert {where for each in met(marks).values() for where in each}.isdisjoint({node.node_id})
        settings = ClusterSettings(address=nodes.address, default=Demand(resources={"odd": 1}), patience_s=0)
        with pytest.raises(
            RunError, match=r"Nodes refused: 1, because memgauge's files is .{12}, not .{12}\. No node"
        ):
            execute(work, tmp_path / "odd", executor=Cluster(settings))


def test_what_no_node_has_is_said(nodes: Any, tmp_path: Path) -> None:
    """A system that asks for a card where there is none stops the run with a sentence."""
    settings = ClusterSettings(
        address=nodes.address, systems={"support*": Demand(gpus=1, memory_gb=1)}, patience_s=0
    )
    with pytest.raises(RunError, match=r"No node of the cluster has 1 CPU, 1 GPU, 1 GB, which Notebook needs"):
        execute(planned(many_questions(2, 1), "support.systems:Notebook"), tmp_path, executor=Cluster(settings))


def test_an_interrupted_run_leaves_no_work_behind_and_goes_on(nodes: Any, marks: Path, tmp_path: Path) -> None:
    """Ctrl-C ends the driver and its tasks; the same command finishes the run with the same content."""
    for mark in marks.iterdir():
        mark.unlink()
    script = f"""
        from pathlib import Path
        from memgauge.runs.play.execute import execute
        from memgauge.runs.play.executors import executor
        from support.handmade import many_questions, planned
        execute(
            planned(many_questions(40, 1), {LINGERING!r}),
            Path({str(tmp_path / "cut")!r}),
            executor=executor("ray:address={nodes.address}"),
            on_progress=lambda p: print(p.done, flush=True),
        )
    """
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    for line in process.stdout:
        if line.strip().isdigit() and int(line) >= 2:  # Ray speaks here too
            break
    process.send_signal(signal.SIGINT)
    _, complaint = process.communicate(timeout=60)
    assert "KeyboardInterrupt" in complaint
    time.sleep(1)
    begun = len(list(marks.iterdir()))
    time.sleep(1)
    assert len(list(marks.iterdir())) == begun < 40
    work = planned(many_questions(40, 1), LINGERING)
    assert not sealed(tmp_path / "cut" / work.cells[0].manifest.id)
    (folder,) = execute(work, tmp_path / "cut", executor=executor(f"ray:address={nodes.address}"))
    (whole,) = execute(work, tmp_path / "whole", executor=executor("processes:2"))
    assert Seal.read(folder).content == Seal.read(whole).content


def test_an_address_without_a_cluster_is_named() -> None:
    """The sentence says where was looked and how to start one."""
    with pytest.raises(
        ConfigError, match=r"No Ray cluster could be reached at 127\.0\.0\.1:9: .*ray start --head"
    ):
        list(executor("ray:address=127.0.0.1:9").run([]))


def test_the_figures_of_scale_hold(marks: Path) -> None:
    """`memgauge reproduce scale-cluster` finds what it promises."""
    rows = reproduce(["scale-cluster"])
    assert [(row.name, row.status) for row in rows] == [
        ("kinds_of_score_files", Status.OK),
        ("nodes_killed", Status.OK),
        ("conversations_lost_or_doubled", Status.OK),
    ]
