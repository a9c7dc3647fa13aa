"""Put many clients on every server of ours at once, and say how they fared; `make load` calls it.

Each server runs in a process of its own on this machine, one after the other. Clients visit it as people and
programs do, pausing between requests, until the time is over. What is reported of the server's process is read
from the system: memory at the start (a tenth of the time in), in the middle and at the end, open files, threads.
It ends with 1 where a request failed, memory grew from the middle on, or files stayed open.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import os
import random
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from load_http import Failed, Line, Tally
from load_servers import JOBS, PUBLISHED, SERVERS, VIEWED, running
from load_visits import Guest, Over

if TYPE_CHECKING:
    from collections.abc import Sequence

    from load_servers import Running, Server

MIB = 1 << 20
GROWTH = 0.05, 6 * MIB
"""What memory may grow by from the middle to the end: a share of it, or so many bytes, whichever is more."""
FILES = 8
"""Open files that may be left when all clients have gone."""
LEAVE_S, EACH_S = 6.0, 0.2
"""Seconds in which a server has to notice that they went, and between two looks."""


@dataclass(frozen=True)
class Taken:
    """A look at a process."""

    rss: int
    """Bytes."""
    files: int
    threads: int
    cpu_s: float = 0.0
    """Seconds of processors so far, of the processes that it holds and held."""


@dataclass(frozen=True)
class Found:
    """How one server fared."""

    server: str
    clients: int
    seconds: float
    requests: int
    errors: dict[str, int]
    p50_ms: float
    p99_ms: float
    most_ms: float
    rss_mib: tuple[float, float, float]
    """At the start, in the middle, at the end."""
    flat: bool
    files: tuple[int, int, int]
    """Before the first client, at most, after the last."""
    threads: int
    """At most."""
    cpu_s: tuple[float, float]
    """Seconds of processors, of the server and of its clients: they share a machine."""
    load: float
    """Of the machine at the end."""
    kinds: dict[str, int]

    @property
    def problems(self) -> list[str]:
        """Say what is wrong; empty where nothing is."""
        said = [f"{count} x {what}" for what, count in self.errors.items()]
        if not self.requests:
            said.append("nothing was answered")
        if not self.files[2]:
            said.append("the server died")
        if not self.flat:
            said.append(f"memory grows: {self.rss_mib[1]:.0f} MiB in the middle, {self.rss_mib[2]:.0f} at the end")
        if self.files[2] > self.files[0] + FILES:
            said.append(f"files stay open: {self.files[0]} before, {self.files[2]} after")
        return said


def load(server: Server, clients: int, seconds: float, pause_s: float, seed: int = 0) -> Found:
    """Start a server and let clients visit it."""
    with tempfile.TemporaryDirectory(prefix="load") as scratch:
        command = server.prepare(Path(scratch))
        with running(command, Path(scratch) / "log") as there:
            return asyncio.run(_visited(server, there, clients, seconds, pause_s, seed))


async def _visited(
    server: Server, there: Running, clients: int, seconds: float, pause_s: float, seed: int
) -> Found:
    tally, shared, looks = Tally(), dict[str, str](), list[Taken]()
    before = look(there.pid)
    began = time.monotonic()
    until = began + seconds

    async def client(number: int) -> None:
        chance = random.Random(f"{seed} {number}")  # noqa: S311 - no secret
        await asyncio.sleep(chance.uniform(0, min(2.0, seconds / 4)))
        line = Line(there.address, tally)
        for visit in itertools.count():
            try:
                await server.visit(Guest(line, chance, f"{number}.{visit}", shared, pause_s, until))
            except Failed:
                await asyncio.sleep(0.1)
            except Over:
                break
        line.close()

    async def watch() -> None:
        while True:
            looks.append(look(there.pid))
            await asyncio.sleep(min(0.5, seconds / 20))

    watching = asyncio.create_task(watch())
    if server.first is not None:
        line = Line(there.address, tally)
        await server.first(Guest(line, random.Random(seed), "first", shared, 0, until))  # noqa: S311 - no secret
        line.close()
    await asyncio.gather(*map(client, range(clients)))
    took = time.monotonic() - began
    watching.cancel()
    return _found(server, clients, took, tally, looks, (before, await _left(there.pid, before)))


async def _left(pid: int, before: Taken) -> Taken:
    """Look again when everybody has gone, as soon as that shows and no later than it has to."""
    for _ in range(int(LEAVE_S / EACH_S)):
        if look(pid).files <= before.files + FILES:
            break
        await asyncio.sleep(EACH_S)
    return look(pid)


def _found(
    server: Server, clients: int, took: float, tally: Tally, looks: Sequence[Taken], ends: tuple[Taken, Taken]
) -> Found:
    ms = np.array(tally.ms or [0.0])
    start, middle, end = (float(_around(looks, share)) for share in (0.1, 0.5, 0.95))
    p50, p99 = np.percentile(ms, [50, 99]).tolist()
    return Found(
        server.name,
        clients,
        round(took, 1),
        len(tally.ms),
        dict(tally.errors.most_common()),
        round(p50, 1),
        round(p99, 1),
        round(float(ms.max()), 1),
        (round(start / MIB, 1), round(middle / MIB, 1), round(end / MIB, 1)),
        end - middle <= max(GROWTH[0] * middle, GROWTH[1]),
        (ends[0].files, max(one.files for one in looks), ends[1].files),
        max(one.threads for one in looks),
        (round(ends[1].cpu_s - ends[0].cpu_s, 1), round(time.process_time(), 1)),
        round(os.getloadavg()[0], 1),
        dict(tally.kinds),
    )


def _around(looks: Sequence[Taken], share: float) -> float:
    """Return the memory about a point of time, the median of a tenth of all looks."""
    at, width = int(share * len(looks)), max(1, len(looks) // 20)
    return float(np.median([one.rss for one in looks[max(0, at - width) : at + width]]))


def look(pid: int) -> Taken:
    """Read what a process and those that it began hold together; one that is gone holds nothing."""
    try:
        children = (Path(f"/proc/{pid}/task/{pid}/children")).read_text("ascii").split()
    except OSError:
        children = []
    every = [_look(pid), *map(look, map(int, children))]
    return Taken(
        sum(one.rss for one in every),
        sum(one.files for one in every),
        sum(one.threads for one in every),
        sum(one.cpu_s for one in every),
    )


def _look(pid: int) -> Taken:
    home = Path(f"/proc/{pid}")
    try:
        status = dict(
            line.split(":\t", 1) for line in (home / "status").read_text("utf-8").splitlines() if ":\t" in line
        )
        pages = int((home / "statm").read_text("utf-8").split()[1])
        ticks = (home / "stat").read_text("utf-8").rpartition(")")[2].split()[11:15]
        return Taken(
            pages * os.sysconf("SC_PAGE_SIZE"),
            len(list((home / "fd").iterdir())),
            int(status["Threads"]),
            sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK"),
        )
    except (OSError, KeyError):
        return Taken(0, 0, 0)


def table(found: Sequence[Found]) -> str:
    """Write a table for people."""
    heads = (
        "server",
        "requests",
        "req/s",
        "errors",
        "p50 ms",
        "p99 ms",
        "most ms",
        "MiB start, middle, end",
        "files",
        "threads",
        "CPU s server, clients",
        "load",
    )
    rows = [
        (
            one.server,
            f"{one.requests:,}",
            f"{one.requests / one.seconds:.0f}",
            f"{sum(one.errors.values()):,}",
            f"{one.p50_ms:.0f}",
            f"{one.p99_ms:.0f}",
            f"{one.most_ms:.0f}",
            ", ".join(f"{mib:.0f}" for mib in one.rss_mib) + (" flat" if one.flat else " GROWS"),
            "/".join(map(str, one.files)),
            str(one.threads),
            f"{one.cpu_s[0]:.0f}, {one.cpu_s[1]:.0f}",
            f"{one.load:.1f}",
        )
        for one in found
    ]
    widths = [max(len(row[place]) for row in (heads, *rows)) for place in range(len(heads))]
    return "\n".join(
        "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in (heads, *rows)
    )


def main() -> int:
    """Read the arguments, and go through the servers."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "servers", nargs="*", help=f"some of {', '.join(SERVERS)}; all of them by default; site with --site alone"
    )
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--pause", type=float, default=0.5, help="mean seconds between two requests of a client")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--runs", help="what the viewer shows; three small runs by default")
    parser.add_argument("--jobs", help="processes of the viewer")
    parser.add_argument("--site", help="a folder of pages, to be served as files too")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    unknown = [name for name in given.servers if name not in SERVERS]
    if unknown:
        parser.error(f"there is no server {unknown[0]!r}; there are {', '.join(SERVERS)}")
    for name, value in ((VIEWED, given.runs), (JOBS, given.jobs), (PUBLISHED, given.site)):
        if value:
            os.environ[name] = value
    found = []
    usual = [name for name in SERVERS if name != "site" or given.site]
    if "site" in given.servers and not given.site:
        parser.error("name the folder of pages: --site FOLDER")
    for name in given.servers or usual:
        found.append(load(SERVERS[name], given.clients, given.seconds, given.pause, given.seed))
        for problem in found[-1].problems:
            sys.stderr.write(f"{name}: {problem}\n")
    sys.stdout.write((json.dumps([asdict(one) for one in found], indent=2) if given.json else table(found)) + "\n")
    return int(any(one.problems for one in found))


if __name__ == "__main__":
    sys.exit(main())
