"""The nodes of a Ray cluster: a transport for tasks, with the meaning that processes give them already.

The owner of the run reads each dataset once and puts each conversation into the object store once, from where
a node fetches it once for all systems. What a lost worker or node had is given out again; what a node with other
code is asked is refused there and done elsewhere. Nothing but the owner writes.
"""

from __future__ import annotations

import os
import socket
import sys
import threading
import time
from collections import OrderedDict
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from memgauge.errors import ConfigError, RunError
from memgauge.extras import lacking
from memgauge.foreign import call_foreign
from memgauge.runs.play.executors.base import DIED, Done, TaskResult, refuse
from memgauge.runs.play.executors.code import code
from memgauge.runs.play.executors.node import OwnerNode, Refusal, work
from memgauge.runs.play.executors.settings import checked, read_settings
from memgauge.runs.play.executors.tokens import show_token

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from memgauge.runs.play.executors.base import Task
    from memgauge.runs.play.executors.settings import ClusterSettings
    from memgauge.streams import Stream

REACH_S = 10.0
"""Seconds that a head node may take to answer at all."""
LOOK_S = 2.0
"""Seconds between two looks at the nodes."""
SHARED = 8
"""Conversations whose place in the object store is remembered: those that the tasks at hand can share."""


class Cluster:
    """Works on a Ray cluster, and on one of this machine where no address is given."""

    def __init__(self, settings: ClusterSettings) -> None:
        self._settings = settings

    def run(self, tasks: Iterable[Task]) -> Iterator[Done]:
        """Perform the tasks wherever there is room, twice as many under way as can be worked on at a time.

        Raises:
            ConfigError: No cluster at the address.
            RunError: No node can do what is asked.
        """
        with _connected(self._settings) as ray:
            yield from _Dispatch(ray, self._settings).run(tasks)


@dataclass
class _Sent:
    """A task on its way."""

    task: Task
    tries: int = 1


@dataclass
class _Dispatch:
    """Gives tasks out and takes results back, over one connection."""

    ray: Any
    settings: ClusterSettings
    pending: dict[Any, _Sent] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    """Why a node takes no more tasks, by its id."""
    streams: OrderedDict[int, tuple[Stream, Any]] = field(default_factory=OrderedDict)
    _progress: float = field(default_factory=time.monotonic)
    _slots: int = 0
    _counted: float = -LOOK_S
    """When nodes were last asked for what they have, which takes a message to the cluster's head."""

    def __post_init__(self) -> None:
        self.home = self.ray.put(OwnerNode(dict(code()), "" if self.settings.folder else str(Path.cwd())))
        # Once: each wrapping is sent to the cluster anew. What is lost is counted here, not tried again there.
        self.remote = self.ray.remote(max_retries=0)(_worked)

    def run(self, tasks: Iterable[Task]) -> Iterator[Done]:
        source = iter(tasks)
        try:
            while True:
                room = self._room() - len(self.pending)
                while room > 0 and (task := next(source, None)) is not None:
                    self._send(_Sent(task))
                    room -= 1
                if not self.pending:
                    return
                ready = self._ready()
                for reference in ready:
                    yield from self._received(reference)
                if not ready:
                    self._look()
        finally:
            for reference in self.pending:
                call_foreign(partial(self.ray.cancel, reference, force=True))  # it may be gone, which is as good

    def _ready(self) -> list[Any]:
        """Wait for a task that ended, and name all that have: looking through thousands takes milliseconds."""
        pending = list(self.pending)
        ready, _ = self.ray.wait(pending, num_returns=1, timeout=LOOK_S)
        return self.ray.wait(pending, num_returns=len(pending), timeout=0)[0] if ready else []

    def _send(self, sent: _Sent) -> None:
        demand = self.settings.demand(sent.task.manifest)
        options: dict[str, Any] = {
            "num_cpus": demand.cpus,
            "num_gpus": demand.gpus,
            "memory": int(demand.memory_gb * 2**30) or None,
            "resources": demand.resources,
            "name": f"{sent.task.manifest.system.label} {sent.task.conversation}",
        }
        if self.refused:
            from ray.util.scheduling_strategies import NodeLabelSchedulingStrategy, NotIn

            elsewhere = {"ray.io/node-id": NotIn(*self.refused)}
            options["scheduling_strategy"] = NodeLabelSchedulingStrategy(hard=elsewhere)
        stream = self._put(sent.task.stream)
        remote = self.remote.options(**options)
        self.pending[remote.remote(replace(sent.task, stream=()), stream, self.home)] = sent

    def _put(self, stream: Stream) -> Any:
        """Put a stream into the object store, once for all the systems that it is sent to."""
        shared = self.streams.get(id(stream))
        if shared is None or shared[0] is not stream:
            shared = self.streams[id(stream)] = stream, self.ray.put(stream)
        self.streams.move_to_end(id(stream))
        while len(self.streams) > SHARED:
            self.streams.popitem(last=False)
        return shared[1]

    def _received(self, reference: Any) -> Iterator[Done]:
        from ray import exceptions

        sent = self.pending.pop(reference)
        self._progress = time.monotonic()
        try:
            outcome: TaskResult | Refusal = self.ray.get(reference)
        except (
            exceptions.WorkerCrashedError,
            exceptions.NodeDiedError,
            exceptions.ObjectLostError,
            exceptions.LocalRayletDiedError,
            exceptions.OutOfMemoryError,
        ):
            yield from self._lost(sent)
            return
        except exceptions.TaskUnschedulableError:
            raise self._starved(sent) from None
        except exceptions.RayError as error:
            raise RunError(
                f"A task failed on the cluster: {_first_line(error)}.",
                "See docs/cluster.md; what is done is kept.",
            ) from error
        if isinstance(outcome, Refusal):
            self._refuse(outcome)
            self._send(sent)
        else:
            yield Done.after(sent.tries - 1, sent.task, outcome)

    def _lost(self, sent: _Sent) -> Iterator[Done]:
        """Give a task out again whose worker is gone; one that is lost every time has a system that dies."""
        if sent.tries < self.settings.tries:
            self._send(_Sent(sent.task, tries=sent.tries + 1))
        else:
            yield Done.after(sent.tries, sent.task, refuse(sent.task, DIED))

    def _refuse(self, refusal: Refusal) -> None:
        self.refused[refusal.node] = refusal.reason
        self._counted = -LOOK_S
        if not self._nodes():
            raise RunError(f"No node is left. {self._reasons}", "Install the same on all of them.")

    @property
    def _reasons(self) -> str:
        """Say which nodes were refused, and why."""
        reasons = "; ".join(dict.fromkeys(reason.rstrip(".") for reason in self.refused.values()))
        return f"Nodes refused: {len(self.refused)}, because {reasons}."

    def _nodes(self) -> list[dict[str, float]]:
        """Return what each living node has that was not refused."""
        alive = (node for node in self.ray.nodes() if node["Alive"] and node["NodeID"] not in self.refused)
        return [node["Resources"] for node in alive]

    def _room(self) -> int:
        """Count the tasks that may be under way: as asked, or twice what all nodes could work on now."""
        if self.settings.workers:
            return self.settings.workers
        now = time.monotonic()
        if now - self._counted >= LOOK_S:
            cpus = sum(node.get("CPU", 0.0) for node in self._nodes())
            self._slots, self._counted = max(2, int(2 * cpus / max(self.settings.default.cpus, 0.25))), now
        return self._slots

    def _look(self) -> None:
        """Stop where nothing has ended for long and no node could take what waits."""
        if time.monotonic() - self._progress < self.settings.patience_s:
            return
        nodes = self._nodes()
        for sent in self.pending.values():
            demand = self.settings.demand(sent.task.manifest)
            if not any(demand.fits(node) for node in nodes):
                raise self._starved(sent)

    def _starved(self, sent: _Sent) -> RunError:
        """Say that a task has nowhere to go."""
        system, refused = sent.task.manifest.system.label, f"{self._reasons} " if self.refused else ""
        demand = self.settings.demand(sent.task.manifest)
        return RunError(
            f"{refused}No node of the cluster has {demand}, which {system} needs.",
            "Add one, or ask for less; what is done is kept.",
        )


def _worked(task: Task, stream: Stream, home: OwnerNode) -> TaskResult | Refusal:
    """Do a task on a node, which signs where it refuses."""
    import ray

    outcome = work(task, stream, home)
    if isinstance(outcome, Refusal):
        return replace(outcome, node=ray.get_runtime_context().get_node_id())
    return outcome


@contextmanager
def _connected(settings: ClusterSettings) -> Iterator[Any]:
    """Connect to the cluster, or use the connection that there is."""
    ray = _ray(settings.address)
    if ray.is_initialized():
        yield ray
        return
    options: dict[str, Any] = {"address": settings.address} if settings.address else {"include_dashboard": False}
    environment = {name: os.environ[name] for name in settings.forward if name in os.environ}
    runtime = {"env_vars": environment} if environment else {}
    if settings.folder:
        runtime["working_dir"] = settings.folder  # type: ignore[assignment] # a mapping of two kinds
    try:
        _reach(settings.address)
        ray.init(**options, runtime_env=runtime or None, log_to_driver=False, logging_level="ERROR")
    except (OSError, RuntimeError, ValueError) as error:
        where = settings.address or "this machine"
        raise ConfigError(
            f"No Ray cluster could be reached at {where}: {_first_line(error)}.",
            "Start one with `ray start --head`, name its address, and bring the token that it asks for "
            "(docs/cluster.md).",
        ) from error
    try:
        with redirect_stdout(_Apart(sys.stdout, sys.stderr)):
            yield ray
    finally:
        ray.shutdown()


class _Apart:
    """Standard output for the owner of the run: what Ray says of nodes, on threads of its own, goes aside."""

    def __init__(self, own: TextIO, aside: TextIO) -> None:
        self._own, self._aside = own, aside
        self._owner = threading.get_ident()

    def write(self, text: str) -> int:
        return (self._own if threading.get_ident() == self._owner else self._aside).write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._own, name)


def _reach(address: str) -> None:
    """Look whether anybody listens at host:port: Ray itself would look for minutes.

    Raises:
        OSError: Nobody does.
    """
    host, _, port = address.rpartition("/")[2].rpartition(":")
    if port.isdigit():
        socket.create_connection((host, int(port)), REACH_S).close()


def _ray(address: str) -> Any:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is reported to anybody
    if address:
        show_token()
    try:
        import ray
    except ImportError as error:
        raise lacking("cluster", "The executor ray needs Ray, which is not installed.") from error
    return ray


def _first_line(error: BaseException) -> str:
    lines = [line for line in str(error).strip().splitlines() if line.strip()]
    return (lines[-1] if lines else type(error).__name__).strip().rstrip(".")


def cluster(
    variant: str = "",
    workers: int | None = None,
    address: str = "",
    cpus: float | None = None,
    gpus: float | None = None,
) -> Cluster:
    """Work on a Ray cluster, as a cluster file (`ray:cluster.toml`) or these parameters say.

    Raises:
        ConfigError: The file is broken, or a value does not fit.
        MissingExtraError: Ray is not installed.
    """
    if variant.startswith("//"):  # the address of a client, ray://host:port, is no cluster file
        variant, address = "", f"ray:{variant}"
    settings = read_settings(Path(variant)) if variant else checked({}, "ray")
    given: dict[str, Any] = {"address": address or None, "workers": workers}
    changed = settings.model_dump() | {key: value for key, value in given.items() if value is not None}
    amounts = {"cpus": cpus, "gpus": gpus}
    changed["default"] |= {key: value for key, value in amounts.items() if value is not None}
    settings = checked(changed, "ray")
    _ray(settings.address)
    return Cluster(settings)
