"""Prove from inside that a sandbox holds: plant a canary, go in, look everywhere, and try to get out."""

from __future__ import annotations

import json
import os
import secrets
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from memgauge.studies.track.git.command import git
from memgauge.studies.track.git.service import GitService
from memgauge.studies.track.sandbox import probe
from memgauge.studies.track.sandbox.choose import Kind, open_sandbox
from memgauge.studies.track.sandbox.planted import NOW, planted
from memgauge.studies.track.tools.router import ToolFailed
from memgauge.text.jsons import json_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from memgauge.studies.track.sandbox.planted import Planted
    from memgauge.studies.track.sandbox.running import SandboxLimits
    from memgauge.studies.track.sandbox.sandbox import Sandbox

_PROBED = {
    "files": "answers in files: no file or name inside holds the canary",
    "environment": "environment: no process inside has a variable or argument with the canary",
    "paths": "host files: home, working folder, package and answers cannot be read",
    "network": "network: no port of this machine, no other machine, no name server",
    "sockets": "local sockets: neither abstract ones nor socket files",
    "processes": "processes: that of the harness can be neither seen nor signalled",
    "privileges": "privileges: no capability, no device node, no new user namespace",
    "writing": "system folders: nothing can be written",
    "forks": "processes are limited",
    "memory": "memory is limited",
}
_CLONE = "git clone -q http://git.local:3000/pgym/doctor.git && cat doctor/notes.txt"
_SHORT_S = 1.0
_PROBE_S = 90.0
_DYING_S = 5.0
"""The kernel ends a namespace a moment after its first process."""


@dataclass(frozen=True, slots=True)
class SandboxCheck:
    """One thing that was tried."""

    name: str
    ok: bool
    found: str = ""
    """What could be reached, where something could."""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What a doctor found."""

    kind: str
    """Which sandbox was examined."""
    user: str
    """Who the harness runs as."""
    checks: tuple[SandboxCheck, ...]

    @property
    def healthy(self) -> bool:
        """Whether every check holds."""
        return all(check.ok for check in self.checks)


def examine(kind: Kind = "auto", limits: SandboxLimits | None = None) -> Diagnosis:
    """Examine the sandbox that an agent would get.

    Raises:
        ConfigError: There is none.
    """
    with planted() as canary, open_sandbox(kind, limits) as sandbox:
        room = sandbox.room
        with GitService(canary.timeline, room.git, room.socket) as service:
            service.advance(NOW)
            steps: tuple[Callable[[Sandbox, Planted], Iterator[SandboxCheck]], ...] = (
                _clones,
                _future,
                _probe,
                _link,
                _nothing_left,
                _output,
            )
            checks = tuple(check for step in steps for check in step(sandbox, canary))
        user = "root" if os.geteuid() == 0 else f"user {os.geteuid()}"
        return Diagnosis(sandbox.kind, user, checks)


def _clones(sandbox: Sandbox, _: Planted) -> Iterator[SandboxCheck]:
    clone = sandbox.run(_CLONE)
    works = clone.output == "nothing yet\n"
    yield SandboxCheck("git: a clone works", works, "" if works else clone.output)
    push = sandbox.run(
        "cd doctor && git commit -q --allow-empty -m mine && git push -q 2>&1; git ls-remote origin main"
    )
    head = sandbox.run("git -C doctor rev-parse HEAD").output.strip()
    is_refused = bool(head) and head not in push.output
    yield SandboxCheck("git: a push is refused", is_refused, "" if is_refused else push.output)


def _future(sandbox: Sandbox, canary: Planted) -> Iterator[SandboxCheck]:
    hashes = _future_hashes(canary)
    attempt = sandbox.run(
        "cd doctor && git log --all -p; git cat-file --batch-all-objects --batch-check;"
        f"for h in {' '.join(hashes)}; do git fetch -q origin $h 2>/dev/null && echo fetched $h; done"
    )
    leaks = [line for line in attempt.output.splitlines() if canary.canary in line or line.startswith("fetched")]
    yield SandboxCheck(
        "future events: commits that have not happened cannot be fetched", not leaks, "; ".join(leaks[:3])
    )


def _future_hashes(canary: Planted) -> list[str]:
    """Return the hash that the future commit will have, which an agent could have guessed."""
    with tempfile.TemporaryDirectory(prefix="memgauge-") as place:
        (Path(place) / "git").mkdir()
        with GitService(canary.timeline, Path(place) / "git", Path(place) / "s") as service:
            commits = service.advance(canary.timeline.events[-1].at)
        tree = git(
            "rev-parse", *(f"{commit.sha}^{{tree}}" for commit in commits), at=next(Path(place).glob("git/*.git"))
        )
    return [commits[-1].sha, tree.decode("ascii").split()[-1]]


def _probe(sandbox: Sandbox, canary: Planted) -> Iterator[SandboxCheck]:
    request = canary.request() | {
        "namespaces": sandbox.kind == "bubblewrap",
        "processes": sandbox.limits.processes,
    }
    sandbox.operate("write_file", {"file_path": "probe.json", "content": json.dumps(request)})
    code = Path(str(probe.__file__)).read_text(encoding="utf-8")
    sandbox.operate("write_file", {"file_path": "probe.py", "content": code})
    completed = sandbox.run("python3 -I probe.py probe.json", replace(sandbox.limits, wall_s=_PROBE_S))
    try:
        findings: dict[str, list[str]] = json_of(completed.output)
    except ValueError:
        yield SandboxCheck(
            "the probe runs", ok=False, found=completed.output[-500:] or f"exit code {completed.code}"
        )
        return
    if canary.arrived():
        findings["network"].append("a datagram reached this machine")
    for name, sentence in _PROBED.items():
        yield SandboxCheck(sentence, not findings[name], "; ".join(findings[name]))


def _link(sandbox: Sandbox, canary: Planted) -> Iterator[SandboxCheck]:
    sandbox.run(f"ln -s {canary.answers} notes.txt")
    try:
        text = sandbox.operate("read_file", {"file_path": "notes.txt", "start_line": 1, "max_lines": 10})
    except ToolFailed as error:
        text = error.message
    follows = canary.canary in text.replace(str(canary.answers), "")
    yield SandboxCheck(
        "links: file tools do not follow one out of the sandbox", not follows, text if follows else ""
    )


def _nothing_left(sandbox: Sandbox, _: Planted) -> Iterator[SandboxCheck]:
    seconds = f"{1000 + secrets.randbelow(10**6)}.{secrets.randbelow(10**6)}"
    completed = sandbox.run(f"setsid sleep {seconds} & sleep {seconds}", replace(sandbox.limits, wall_s=_SHORT_S))
    yield SandboxCheck(
        "time is limited", completed.timed_out, "" if completed.timed_out else f"it ended with {completed.code}"
    )
    until = time.monotonic() + _DYING_S
    while (survivors := _running(seconds)) and time.monotonic() < until:
        time.sleep(0.02)
    yield SandboxCheck(
        "nothing outlives a call, not even what left its session", not survivors, "; ".join(survivors)
    )


def _output(sandbox: Sandbox, _: Planted) -> Iterator[SandboxCheck]:
    completed = sandbox.run("head -c 3000000 /dev/zero | tr '\\0' x")
    size = len(completed.output)
    is_limited = size <= sandbox.limits.output and completed.dropped > 0
    yield SandboxCheck("output is limited", is_limited, "" if is_limited else f"{size} bytes were kept")


def _running(argument: str) -> list[str]:
    """Return the processes of this machine that were started with an argument."""
    return [str(file.parent) for file in Path("/proc").glob("[0-9]*/cmdline") if argument in _read(file)]


def _read(file: Path) -> str:
    try:
        return file.read_bytes().decode("utf-8", "replace")
    except OSError:  # it has ended meanwhile
        return ""
