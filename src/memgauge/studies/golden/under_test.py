"""The memory under test: opened against a clock, and known by what could change its verdicts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING

from memgauge.errors import SystemFault
from memgauge.results import result
from memgauge.runs.play.call import Caller, let_go_on, opened_on
from memgauge.show.safety import name_line
from memgauge.studies.golden.teaching import wants_teaching
from memgauge.systems.catalogue import open_system
from memgauge.systems.loading import source_hash
from memgauge.systems.looked_at import MemoryLookedAt
from memgauge.systems.protocol import supported
from memgauge.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable

    from memgauge.systems.protocol import MemorySystem


@result
@dataclass(frozen=True)
class Tested:
    """Which memory was run."""

    ref: str
    name: str
    version: str = ""
    offers: tuple[str, ...] = ()
    """Optional protocols that it implements."""
    fingerprint: str = ""
    """Of its reference, version, promises and, where it is home-made, source."""
    problem: str = ""
    """Why it could not be opened."""
    untaught: bool = False
    """Whether it would take the meaning of what is said, and is not told it."""


def look_at(ref: str, timeout_s: float) -> Tested:
    """Open a memory once, to know it and to find a mistake in its name before anything is played.

    Raises:
        UserError: The name or a parameter is wrong; a memory that raises, hangs or promises what there is not is
            described instead.
    """
    caller = Caller()
    try:
        system = opened_on(caller, factory_of(ref), timeout_s)
    except SystemFault as error:
        caller.close()
        return Tested(ref, ref, problem=f"the memory could not be opened: {error}")
    try:
        return caller.call("capabilities", lambda: _known(ref, system), timeout_s).value
    except SystemFault as error:
        return Tested(ref, name_line(system.name), problem=f"the memory does not say what it is: {error}")
    finally:
        let_go_on(caller, system)


def _known(ref: str, system: MemorySystem) -> Tested:
    memory = MemoryLookedAt(system)
    promises = repr(memory.capabilities())
    known = (__version__, ref, memory.name, memory.version, promises, source_hash(ref, system))
    fingerprint = sha256("\n".join(known).encode()).hexdigest()[:16]
    offers = supported(system)
    return Tested(ref, memory.name, memory.version, offers, fingerprint, untaught=wants_teaching(system))


def factory_of(ref: str) -> Callable[[], MemorySystem]:
    """Return what opens a fresh memory, here and now: a driver does so on the thread on which it calls it."""
    return partial(open_system, ref)
