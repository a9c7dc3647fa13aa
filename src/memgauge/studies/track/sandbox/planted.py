"""What a doctor plants on this machine before it looks from inside: a canary wherever a secret could lie."""

from __future__ import annotations

import os
import secrets
import select
import socket
import tempfile
import time
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import memgauge
from memgauge.studies.track.timeline.models import CodeRepository, Commit, Event, Timeline

if TYPE_CHECKING:
    from collections.abc import Iterator

VARIABLE = "MEMGAUGE_CANARY_API_KEY"
_START = datetime(2025, 1, 6, 9, tzinfo=UTC)
NOW = _START + timedelta(days=1)
"""Simulated time at which the doctor looks: one commit has happened, and one lies in the future."""
_CLOCK_TICK_S = 0.05


@dataclass(frozen=True)
class Planted:
    """Where a canary lies, and what listens."""

    canary: str
    since: float
    """When it was planted, as the file system counts."""
    answers: Path
    """A file of expected answers that every user of this machine may read."""
    timeline: Timeline
    """One whose second commit holds the canary and has not happened yet."""
    tcp: socket.socket
    udp: socket.socket
    abstract: str
    path_socket: str

    def request(self) -> dict[str, object]:
        """Return what the probe inside is told; it is no way to find the canary."""
        return {
            "canary": self.canary[::-1],
            "planted": self.since - _CLOCK_TICK_S,
            "paths": [str(path)[::-1] for path in self.outside()],
            "tcp": self.tcp.getsockname()[1],
            "udp": self.udp.getsockname()[1],
            "beyond": "192.0.2.1",
            "name": "example.org",
            "abstract": self.abstract,
            "path_socket": self.path_socket,
            "pid": os.getpid(),
            "cmdline": _command_line(),
        }

    def outside(self) -> list[Path]:
        """Return paths of this machine that hold something; none may be read from inside."""
        places = [
            self.answers,
            Path(memgauge.__file__),
            Path.home(),
            Path.cwd(),
            Path("/etc/shadow"),
            Path("/root"),
        ]
        shared_folders = {Path("/"), Path("/tmp"), Path("/usr"), Path("/etc")}  # noqa: S108 - others are shown there
        return [path for path in places if path not in shared_folders and path.exists()]

    def arrived(self) -> bool:
        """Say whether a datagram came out of the sandbox."""
        return bool(select.select([self.udp], [], [], 0.1)[0])


@contextmanager
def planted() -> Iterator[Planted]:
    """Plant a canary, listen, and remove everything afterwards."""
    canary = f"canary-{secrets.token_hex(12)}"
    since = time.time()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="memgauge-doctor-")))
        folder.chmod(0o755)  # walls have to keep the agent out, not the modes of files
        answers = folder / f"answers-{canary}.json"
        answers.write_text(f'{{"answer": "{canary}"}}\n', encoding="utf-8")
        os.environ[VARIABLE] = canary
        stack.callback(os.environ.pop, VARIABLE, None)
        tcp = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        udp = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        udp.bind(("127.0.0.1", 0))
        abstract = f"memgauge-{secrets.token_hex(12)}"
        for address in (f"\0{abstract}", str(folder / "s")):
            listener = stack.enter_context(socket.socket(socket.AF_UNIX))
            listener.bind(address)
            listener.listen()
        (folder / "s").chmod(0o777)
        yield Planted(canary, since, answers, _timeline(canary), tcp, udp, abstract, str(folder / "s"))


def _timeline(canary: str) -> Timeline:
    events = (
        Event(
            id="past", at=_START, payload=Commit(message="Begin the notes", files={"notes.txt": "nothing yet\n"})
        ),
        Event(
            id="future", at=NOW + timedelta(days=1), payload=Commit(message=canary, files={"notes.txt": canary})
        ),
    )
    return Timeline(name="doctor", events=events, repository=CodeRepository(name="doctor"))


def _command_line() -> str:
    try:
        return Path("/proc/self/cmdline").read_bytes().hex()
    except OSError:  # no such file system here
        return ""
