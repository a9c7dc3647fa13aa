"""What keeps systems, judges and sandboxes apart from everything else on this machine, and by which means."""

from __future__ import annotations

import platform
import shutil
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.studies.track.sandbox.room import Room

SYSTEMS = "Systems: memories that are played here, as yours or as an installed product"
JUDGES = "Judges: models that mark answers"
SANDBOXES = "Sandboxes: files and shell of agents in the track study"
_WIDTH = 78


@dataclass(frozen=True, slots=True)
class IsolationFact:
    """One thing that holds or does not."""

    whose: str
    what: str
    """What is kept apart, in words."""
    means: str
    """What keeps it, or what to do about it."""
    holds: bool


def isolation() -> Iterator[IsolationFact]:
    """Try what can be tried in a moment, and say what follows from it."""
    from memgauge.studies.track.sandbox.choose import problem
    from memgauge.studies.track.sandbox.room import Room

    room = Room.open()
    try:
        why = {kind: problem(kind, room) for kind in ("bubblewrap", "landlock")}
        yield from _systems(why["bubblewrap"])
        yield from _judges()
        yield from _sandboxes(why, room)
    finally:
        room.close()


def _systems(no_bubblewrap: str) -> Iterator[IsolationFact]:
    from memgauge.systems.wire.confining import landlock

    version = landlock()
    closed = f"Landlock, version {version}" if version else "nothing: this system has no Landlock"
    away = "each run looks from inside whether that is so, and boards say it"
    yield IsolationFact(
        SYSTEMS, holds=True, what="answers, other runs and keys are not handed to them", means=away
    )
    yield IsolationFact(
        SYSTEMS,
        holds=not no_bubblewrap,
        what="answers and runs on this disk cannot be read by them",
        means="bubblewrap" if not no_bubblewrap else f"nothing: {no_bubblewrap}",
    )
    yield IsolationFact(
        SYSTEMS, holds=bool(version), what="installed products cannot look into other processes", means=closed
    )
    yield IsolationFact(
        SYSTEMS,
        holds=False,
        what="network and your other files are closed to them",
        means="products need them: see docs/threat-model.md",
    )


def _judges() -> Iterator[IsolationFact]:
    yield IsolationFact(
        JUDGES,
        holds=True,
        what="nothing that a model says is run",
        means="they answer in text and are given no tools",
    )
    yield IsolationFact(
        JUDGES,
        holds=True,
        what="what they judge cannot pass for instructions or verdicts",
        means="fences, and replies that are read whole",
    )
    yield IsolationFact(
        JUDGES,
        holds=False,
        what="a model cannot be talked into a verdict",
        means="only trying tells: memgauge models certify",
    )


def _sandboxes(why: dict[str, str], room: Room) -> Iterator[IsolationFact]:
    from memgauge.studies.track.sandbox.groups import ControlGroup
    from memgauge.studies.track.sandbox.running import SandboxLimits
    from memgauge.studies.track.sandbox.supervisor import MACHINES

    kind = next((kind for kind, problem in why.items() if not problem), "")
    if not kind:
        docker = "docker, which is not tried here" if shutil.which("docker") else "; ".join(why.values())
        yield IsolationFact(SANDBOXES, holds=False, what="an agent is kept in", means=docker)
        return
    with ControlGroup.made(SandboxLimits()) as group:
        kernel = group.holds
    walls = (
        "bubblewrap: namespaces of its own" if kind == "bubblewrap" else "Landlock, and a filter of system calls"
    )
    yield IsolationFact(
        SANDBOXES, holds=True, what="files of this machine, network and other processes are closed", means=walls
    )
    yield IsolationFact(
        SANDBOXES,
        holds=platform.machine() in MACHINES,
        what="keys, queues and memory of the kernel are not shared",
        means="a filter of system calls",
    )
    watched = "looked at 20 times a second, and ended; make control groups available for a bound of the kernel's"
    yield IsolationFact(
        SANDBOXES,
        holds=True,
        what="memory and processes of a whole call are bounded",
        means="control groups of the kernel" if kernel else watched,
    )
    yield IsolationFact(
        SANDBOXES,
        holds=True,
        what="bytes and files that an agent leaves are bounded",
        means="file systems of a stated size" if room.bounded else "counted as they grow, and ended",
    )
    if kind == "landlock":
        install = f"that is the second best: {why['bubblewrap']}"
        yield IsolationFact(
            SANDBOXES, holds=False, what="an agent cannot find out whether a file exists", means=install
        )


def lines(facts: tuple[IsolationFact, ...]) -> Iterator[str]:
    """Spell them for a terminal of 80 columns."""
    import textwrap

    yield "What is kept apart here (`memgauge study track doctor` tries to break out)"
    for whose, members in groupby(facts, key=lambda fact: fact.whose):
        yield f"  {whose}"
        for fact in members:
            text = f"{'yes' if fact.holds else 'no ':3}  {fact.what}"
            yield from textwrap.wrap(text, _WIDTH, initial_indent="    ", subsequent_indent=" " * 9)
            yield from textwrap.wrap(
                fact.means,
                _WIDTH,
                initial_indent=" " * 9,
                subsequent_indent=" " * 9,
            )
