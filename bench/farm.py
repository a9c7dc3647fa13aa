"""What more nodes bring, simulated: one owner serves tasks one after the other, nodes work on them in parallel.

The owner reads, hands out and writes down, which takes it a measured time and nobody else any; at most twice as
many tasks are under way as there are cores, as in the cluster. Moving a stream to a node is not counted: a node
fetches it once for all the systems that hear it.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass


@dataclass(frozen=True)
class ServiceTimes:
    """Seconds."""

    task: float
    """That the owner spends on one task."""
    work: float
    """That a core of a node spends on one task."""


@dataclass(frozen=True)
class Farm:
    """Nodes that are alike."""

    nodes: int
    cores: int

    @property
    def slots(self) -> int:
        """Count the cores of all."""
        return self.nodes * self.cores


@dataclass(frozen=True)
class ServedRuns:
    """How a simulation ended."""

    seconds: float
    efficiency: float
    """Of the cores' time, the share that they worked."""
    busy: float
    """Of the owner's time, the share that it was busy."""

    def __str__(self) -> str:
        return f"{self.seconds:,.0f} s, cores {self.efficiency:.0%} at work, the owner {self.busy:.0%}"


def served(times: ServiceTimes, farm: Farm, tasks: int) -> ServedRuns:
    """Simulate so many tasks.

    Half of what the owner spends on a task goes before it is worked on, and half behind.
    """
    free = [0.0] * farm.slots
    """When each core is free, a heap."""
    coming: list[float] = []
    """When what was worked on comes back, a heap."""
    now = spent = 0.0
    sent = returned = 0
    while returned < tasks:
        room = sent < tasks and sent - returned < 2 * farm.slots
        if room and not (coming and coming[0] <= now):
            now += times.task / 2
            spent += times.task / 2
            ended = max(heapq.heappop(free), now) + times.work
            heapq.heappush(free, ended)
            heapq.heappush(coming, ended)
            sent += 1
            continue
        now = max(now, heapq.heappop(coming)) + times.task / 2
        spent += times.task / 2
        returned += 1
    return ServedRuns(now, tasks * times.work / (now * farm.slots), spent / now)
