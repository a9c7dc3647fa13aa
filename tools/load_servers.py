"""Every server of ours, each in a process of its own, with what it serves."""

from __future__ import annotations

import argparse
import functools
import http.server
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import load_visits as visits
from load_http import Address

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from load_visits import Visit

_PORT = re.compile(r"://[^:/\s]+:(\d+)")
_WHO = ("-c", "user.name=Ana", "-c", "user.email=ana@example.org", "-c", "init.defaultBranch=main")


@dataclass(frozen=True)
class Server:
    """A server, and what its clients do."""

    name: str
    about: str
    prepare: Callable[[Path], list[str]]
    """Makes what is served in a folder, and returns the command that serves it and prints its address."""
    visit: Visit
    first: Visit | None = None
    """What one client does before the others come."""


@dataclass(frozen=True)
class Running:
    """A server that listens."""

    pid: int
    address: Address


def _memgauge(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "memgauge", *map(str, arguments)]


VIEWED = "MEMGAUGE_LOAD_RUNS"
"""A folder of runs that are there already, for the viewer to show."""
JOBS = "MEMGAUGE_LOAD_JOBS"
"""Its processes, where they are said."""
PUBLISHED = "MEMGAUGE_LOAD_SITE"
"""A folder with a site, to be served as files."""


def _viewer(folder: Path) -> list[str]:
    jobs = ["--jobs", os.environ[JOBS]] if JOBS in os.environ else []
    if viewed := os.environ.get(VIEWED):
        return _memgauge("view", viewed, "--port", 0, *jobs)
    systems = [part for name in ("bm25", "tfidf", "recency") for part in ("-s", name)]
    _call(_memgauge("run", "-d", "synthetic:tiny", *systems, "--out", folder / "runs", "--json"))
    return _memgauge("view", folder / "runs", "--port", 0, *jobs)


def _wire(_: Path) -> list[str]:
    return ["env", f"MEMGAUGE_SERVE_TOKEN={visits.TOKEN}", *_memgauge("systems", "serve", "bm25", "--port", 0)]


def _aml(folder: Path) -> list[str]:
    serve = _memgauge("systems", "serve", "bm25", "--port", 0, "--face", "aml", "--journal", folder / "journal.db")
    return ["env", f"MEMGAUGE_SERVE_TOKEN={visits.TOKEN}", *serve]


def _track(_: Path) -> list[str]:
    return _memgauge("study", "track", "serve", "lantern-release", "--http", "--sandbox", "off")


def _model(_: Path) -> list[str]:
    return [sys.executable, __file__, "model"]


def _git(folder: Path) -> list[str]:
    made, work = folder / "git" / "app.git", folder / "work"
    made.parent.mkdir()
    _call(["git", *_WHO, "init", "--quiet", str(work)])
    for number in range(20):
        (work / f"file{number}.txt").write_text(f"line {number}\n" * 400, "utf-8")
        _call(["git", *_WHO, "-C", str(work), "add", "."])
        _call(["git", *_WHO, "-C", str(work), "commit", "--quiet", "-m", f"Change {number}"])
    _call(["git", "clone", "--quiet", "--bare", str(work), str(made)])
    return [sys.executable, __file__, "git", "--folder", str(made.parent)]


def _site(_: Path) -> list[str]:
    return [sys.executable, __file__, "site", "--folder", os.environ[PUBLISHED]]


SERVERS: dict[str, Server] = {
    one.name: one
    for one in (
        Server("viewer", "memgauge view", _viewer, visits.viewer),
        Server("wire", "memgauge systems serve bm25", _wire, visits.wire, visits.hello),
        Server("aml", "memgauge systems serve bm25 --face aml", _aml, visits.aml),
        Server("model", "the scripted model server", _model, visits.model),
        Server("track", "memgauge study track serve --http", _track, visits.tools),
        Server("git", "the Git host of sandboxes", _git, visits.git),
        Server("site", "the registry's site, by Python's own file server", _site, visits.site),
    )
}


@contextmanager
def running(command: list[str], log: Path) -> Iterator[Running]:
    """Start a server, wait for its address, and end it by its id; what it says lies in *log*.

    Raises:
        RuntimeError: It ended instead.
    """
    with log.open("wb") as said:
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=said, stdin=subprocess.DEVNULL, start_new_session=True
        )
        try:
            assert process.stdout is not None  # noqa: S101 - it was asked for
            first = process.stdout.readline().decode()
            threading.Thread(target=process.stdout.read, daemon=True).start()  # nobody may wait for a full pipe
            yield Running(process.pid, _address(first, log))
        finally:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            with suppress(OSError):
                process.stdout.close()  # type: ignore[union-attr] # it was asked for


def _address(first: str, log: Path) -> Address:
    if first.startswith("unix:"):
        return Address(socket=first[5:].strip())
    found = _PORT.search(first)
    if found is None:
        raise RuntimeError(
            f"it did not say where it listens: {first!r} {log.read_text('utf-8', 'replace')[-600:]}"
        )
    return Address(port=int(found[1]))


def _call(command: list[str]) -> None:
    subprocess.run(command, check=True, capture_output=True)


def serve(kind: str, folder: Path | None) -> None:
    """Serve what has no command of its own, until interrupted."""
    if kind == "model":
        from memgauge.llm.served import ModelServer

        with ModelServer() as server:
            _wait(server.url)
    elif kind == "site":
        _serve_files(str(folder))
    else:
        from memgauge.studies.track.git.host import GitHost

        assert folder is not None  # noqa: S101 - the command names it
        with GitHost(folder, folder / "s") as host:
            _wait(f"unix:{host.socket}")


def _serve_files(folder: str) -> None:
    class Quiet(http.server.SimpleHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    class Waiting(http.server.ThreadingHTTPServer):
        request_queue_size = 512

    with Waiting(("127.0.0.1", 0), functools.partial(Quiet, directory=folder)) as server:
        sys.stdout.write(f"http://127.0.0.1:{server.server_address[1]}/\n")
        sys.stdout.flush()
        with suppress(KeyboardInterrupt):
            server.serve_forever()


def _wait(said: str) -> None:
    sys.stdout.write(f"{said}\n")
    sys.stdout.flush()
    with suppress(KeyboardInterrupt):
        signal.pause()


def have_git() -> bool:
    """Whether there is a Git to host with."""
    return shutil.which("git", path=os.defpath) is not None


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("kind", choices=["model", "git", "site"])
    parser.add_argument("--folder", type=Path)
    given = parser.parse_args()
    serve(given.kind, given.folder)
