"""Open systems by wire: a command that speaks it, a Python that memgauge serves in, an address."""

from __future__ import annotations

import json
import shlex
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memgauge.errors import ConfigError
from memgauge.systems.wire.client import CALL_S, START_S, WireSystem, connect
from memgauge.systems.wire.process import Command, Worker
from memgauge.systems.wire.surroundings import WALLS, OwnFolder, caged, environment
from memgauge.text.scrubbing import Scrubber, keys_in_arguments

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memgauge import ranges

BOOTSTRAP = Path(__file__).parent / "bootstrap.py"
NETWORKS = ("none", "loopback", "any")
_WAITING: dict[tuple[object, ...], tuple[OwnFolder, Worker]] = {}
"""Processes that were closed in good order, at most one for each command; they end with this process."""


@dataclass
class Subprocess:
    """Carries requests to a process of one's own, in a folder of its own.

    With *keep* a process that was closed in good order waits for the next system of the same command, which is
    opened in it anew: what its libraries keep in memory is then shared, as by systems opened in one process.
    """

    name: str
    arguments: Sequence[str]
    switches: Mapping[str, str] = field(default_factory=dict)
    passes: Sequence[str] = ()
    network: str = "any"
    home: str = ""
    at: Path | None = None
    """Where it runs; its own folder if nothing else is said."""
    files: tuple[Path, ...] = ()
    keep: bool = False

    def __post_init__(self) -> None:
        self.folder = OwnFolder(self.name)
        place = self.folder.path
        arguments = [argument.replace("{folder}", str(place)) for argument in self.arguments]
        surroundings = environment(place, switches=self.switches, passes=self.passes, home=self.home)
        command = caged(arguments, self.network)
        walled = command is not arguments and Path(command[0]).name == WALLS
        self.worker = Worker(Command(command, surroundings, self.at or place, self.passes, walled))

    @property
    def lost(self) -> str:
        """Why it cannot be called."""
        return self.worker.lost

    def open(self, greeting: object, deadline_s: float) -> dict[str, Any]:
        """Start the process, in an empty folder; or take one that waits."""
        waiting = _WAITING.pop(self._key, None) if self.keep else None
        if waiting is not None:
            self.folder.remove()
            self.folder, self.worker = waiting
        else:
            self.worker.kill()
            self.folder.emptied()
            self.worker.start()
        return self.worker.call("hello", greeting, deadline_s)

    def call(self, method: str, params: object, deadline_s: float) -> dict[str, Any]:
        """Send a request and return its answer."""
        return self.worker.call(method, params, deadline_s)

    def cancel(self) -> None:
        """Ask to give up the running call."""
        self.worker.cancel()

    def used(self) -> dict[str, Any]:
        """Return what the process used since it was last asked."""
        return self.worker.used()

    def close(self) -> None:
        """Let the process wait for the next system, where that is wanted; else end it, and remove its folder."""
        if self.keep and self.worker.idle and self._key not in _WAITING:
            _WAITING[self._key] = (self.folder, self.worker)
            self.worker = Worker(self.worker.command)  # this one is closed
            return
        self.worker.stop()
        self.folder.remove()

    @property
    def _key(self) -> tuple[object, ...]:
        return (*self.arguments, *sorted(self.switches.items()), *self.passes, self.network, self.home)


def wire(
    *,
    command: str,
    timeout: ranges.Seconds = CALL_S,
    start: ranges.Seconds = START_S,
    network: str = "any",
    env: str = "",
    seed: ranges.Seed = 0,
) -> WireSystem:
    """Open a program that speaks wire/1 on stdin and stdout, in any language.

    Args:
        command: As in a shell, but without one; ``{folder}`` stands for a folder of its own.
        timeout: Seconds for one call.
        start: Seconds until it has said hello.
        network: ``none`` cuts it off, where the machine can do that.
        env: Names of environment variables that it is given, joined by ``+``.
        seed: Told to it.

    Raises:
        UserError: It cannot be started, or does not say hello.
    """
    if network not in NETWORKS:
        raise ConfigError(f"There is no network {network!r}.", f"There are: {', '.join(NETWORKS)}.")
    arguments = shlex.split(command)
    if not arguments:
        raise ConfigError("The command is empty.", 'Write wire:command="node adapter.js".')
    if keys := Scrubber(keys_in_arguments(arguments)):
        _refuse_keys(arguments, keys)
    files = tuple(Path(part).resolve() for part in arguments if Path(part).is_file() and not _is_program(part))
    passes = tuple(filter(None, env.split("+")))
    carried = Subprocess("wire", arguments, passes=passes, network=network, at=Path.cwd(), files=files)
    return connect(carried, command, seed=seed, call_s=timeout, start_s=start)


def _refuse_keys(arguments: Sequence[str], keys: Scrubber) -> None:
    """Refuse a command that holds a key: it stands in every run, and in the list of processes."""
    if any(keys.is_in(argument) for argument in arguments):
        shown = " ".join(map(keys.text, arguments))
        raise ConfigError(f"The command {shown} holds a key.", "Hand over the variable that holds it: env=NAME.")


def _is_program(argument: str) -> bool:
    """Whether a file is an interpreter and not an adapter, whose content could change."""
    return Path(argument).is_absolute() and "bin" in Path(argument).parts


def serving(python: str, **asked: object) -> list[str]:
    """Return the command that serves a system in *python*; see :mod:`memgauge.systems.wire.bootstrap`."""
    asked = {"path": [], "network": "loopback", "folder": "{folder}", **asked}
    return [python, str(BOOTSTRAP), json.dumps(asked)]


def separate(ref: str, *, python: str = sys.executable, seed: int = 0, network: str = "loopback") -> WireSystem:
    """Open any system in a process of its own."""
    command = serving(python, ref=ref, network=network)
    return connect(Subprocess("served", command, network=network), ref, seed=seed)
