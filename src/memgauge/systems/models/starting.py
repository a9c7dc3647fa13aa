"""Start the server of a model in its own environment, on loopback, and end it with whoever started it."""

from __future__ import annotations

import json
import os
import select
import subprocess
import threading
import time
import weakref
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Final, Self

from memgauge.errors import ConfigError
from memgauge.records.identities import ModelIdentity, identity_of_listing
from memgauge.retrieval.cache import cache_folder
from memgauge.systems.models.catalogue import local_model, settings_of
from memgauge.systems.wire.confining import confined
from memgauge.systems.wire.opening import BOOTSTRAP
from memgauge.systems.wire.surroundings import OwnFolder, environment
from memgauge.text.jsons import object_of
from memgauge.text.scrubbing import keys_of, scrubbed_error

if TYPE_CHECKING:
    from memgauge.systems.models.settings import EngineSettings

PROGRAM: Final = "memgauge.models.program:serve_model"
START_S: Final = 120.0
"""Seconds that a model has to load."""
GRACE_S: Final = 5.0
_WORDS: Final = 600
_running: dict[tuple[int, str], ModelProcess] = {}
_starting: Final = threading.Lock()


class ModelProcess:
    """A model that is served by a process of its own, until it is closed or whoever started it has ended."""

    def __init__(self, python: str, settings: EngineSettings, *, start_s: float = START_S) -> None:
        """Start it, and wait until it has loaded.

        Raises:
            ConfigError: It cannot be loaded; the message holds what it said last.
        """
        self._folder = OwnFolder(f"model-{settings.name}"[:40])
        place = self._folder.emptied()
        asked = {"path": [], "network": "loopback", "folder": str(place)}
        command = [
            python,
            str(BOOTSTRAP),
            json.dumps({**asked, "program": PROGRAM, "arguments": asdict(settings)}),
        ]
        surroundings = environment(
            place, switches={"MEMGAUGE_CACHE": str(cache_folder())} | _threads(settings.threads)
        )
        with (place / "stderr").open("wb") as words:
            self._process = confined(
                lambda: subprocess.Popen(  # noqa: S603 - an environment of ours
                    command, env=surroundings, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=words
                )
            )
        self._end = weakref.finalize(self, _end, self._process, self._folder)
        self.name = settings.name
        ready = object_of(self._first_line(start_s)) or {}
        identity = identity_of_listing({"id": settings.name, "memgauge": ready.get("identity")})
        if identity is None:
            last = scrubbed_error((place / "stderr").read_text("utf-8", "replace").strip(), keys_of(os.environ))
            self.close()
            what = str(ready.get("error") or " ".join(last[-_WORDS:].split()) or f"nothing came in {start_s:g} s")
            raise ConfigError(f"{settings.name} cannot be served: {what}", "Try `memgauge models check`.")
        self.identity: ModelIdentity = identity
        self.url = str(ready["url"])

    def _first_line(self, start_s: float) -> bytes:
        assert self._process.stdout is not None  # noqa: S101 - it was asked for above
        until, line = time.monotonic() + start_s, b""
        while not line.endswith(b"\n"):
            ready, _, _ = select.select([self._process.stdout], [], [], max(0.0, until - time.monotonic()))
            part = os.read(self._process.stdout.fileno(), 1 << 16) if ready else b""
            if not part:
                break
            line += part
        return line

    @property
    def alive(self) -> bool:
        """Whether it still runs."""
        return self._process.poll() is None

    def wait(self) -> None:
        """Wait until it has ended."""
        self._process.wait()

    def close(self) -> None:
        """End it."""
        self._end()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _end(process: subprocess.Popen[bytes], folder: OwnFolder) -> None:
    """Let a server end by itself, which it does when nobody holds its input, or end it."""
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()
    try:
        process.wait(GRACE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    folder.remove()


def _threads(count: int) -> dict[str, str]:
    waiting = {"OMP_WAIT_POLICY": "passive"}  # spinning doubles time on shared cores
    return waiting | ({"OMP_NUM_THREADS": str(count)} if count else {})


def start_model(name: str, **changed: object) -> ModelProcess:
    """Start a model of the catalogue, or one in a file, with some of its settings *changed*.

    Raises:
        UnknownNameError: There is no such model.
        MissingExtraError: It is not installed.
        ConfigError: It cannot be served.
    """
    python, settings = settings_of(local_model(name))
    settings = replace(settings, cache=str(cache_folder() / "embeddings.sqlite"))
    return ModelProcess(python, replace(settings, **changed))  # type: ignore[arg-type] # names are checked by replace


def started(name: str) -> ModelProcess:
    """Return the server of a model that this process shares, starting it where that is not done."""
    with _starting:
        running = _running.get((os.getpid(), name))
        if running is None or not running.alive:
            running = _running[os.getpid(), name] = start_model(name)
        return running
