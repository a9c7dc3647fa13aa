"""Our own users of a model, each a few commands as a user types them, with a model that is too small for them."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from memgauge.runs.record.machine import day_of, this_machine
from memgauge.studies.weak.record import USER, RecordedLane, RecordedStep, read_lane, write_lane
from memgauge.studies.weak.spec import FOLDER, MODEL, URL
from memgauge.text.jsons import json_of
from memgauge.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from memgauge.studies.weak.play import Serve, ServedModel
    from memgauge.studies.weak.spec import WeakSpec, WeakStep, WeakUser

_WORDS = 400


@dataclass(frozen=True)
class CommandEnd:
    """How a command ended, and what it printed."""

    code: int
    out: str
    err: str


@dataclass(frozen=True)
class UsersPlay:
    """Where our own users of a model are played."""

    folder: Path
    """Of the study: records go there."""
    runs: Path
    """What the commands make lies there, and stays."""
    spec: WeakSpec
    tell: Callable[[str], None] = lambda _: None
    call: Callable[[list[str]], CommandEnd] | None = None
    """Runs a command of ours; by default in its own process."""

    def play(self, serve: Serve, keys: tuple[str, ...] = ()) -> Iterator[RecordedLane]:
        """Play every user that has no record yet, or those of *keys*, and record each as it ends."""
        for user in self.spec.users:
            if (user.key in keys) if keys else read_lane(self.folder, user.key) is None:
                self.tell(user.key)
                with serve() as model:
                    lane = self.lane(user, model)
                write_lane(lane, self.folder)
                yield lane

    def lane(self, user: WeakUser, served: ServedModel) -> RecordedLane:
        """Play one user, and write nothing down."""
        began, load, clock = datetime.now(UTC), os.getloadavg()[0], time.monotonic()
        served.relay.prompts_are_ours = True
        steps = list[RecordedStep]()
        for step in user.steps:
            steps.append(self._step(step, served))
            if steps[-1].problem:
                break
        return RecordedLane(
            key=user.key,
            kind=USER,
            ref="memgauge",
            version=__version__,
            changed=(),
            model=served.about,
            server_cap=self.spec.cap,
            limit_s=self.spec.limit,
            timeout_s=self.spec.timeout,
            played=day_of(began),
            seconds=round(time.monotonic() - clock, 1),
            load=round(load, 2),
            machine=this_machine(),
            problem="",
            steps=tuple(steps),
            exchanges=served.relay.taken(),
        )

    def _step(self, step: WeakStep, served: ServedModel) -> RecordedStep:
        served.relay.during, clock = step.name, time.monotonic()
        command = step.command.replace(MODEL, f"openai:{self.spec.model}")
        command_line = command.replace(URL, served.relay.url).replace(FOLDER, str(self.runs))
        command_end = (self.call or _run)([*shlex.split(command_line), "--json"])
        data = _data(command_end.out)
        return RecordedStep(
            name=step.name,
            command=f"memgauge {command.replace(FOLDER, 'runs').replace(URL, 'http://127.0.0.1:PORT/v1')}",
            code=command_end.code,
            seconds=round(time.monotonic() - clock, 1),
            counted={name: at(data, path.split(".")) for name, path in step.counted.items()},
            problem="" if data is not None else " ".join(command_end.err.split())[-_WORDS:],
        )


def _run(arguments: list[str]) -> CommandEnd:
    process = subprocess.run(  # noqa: S603 - our own
        [sys.executable, "-m", "memgauge", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"OPENAI_API_KEY": "unused"},
    )
    return CommandEnd(process.returncode, process.stdout, process.stderr)


def _data(text: str) -> Any:
    try:
        return json_of(text)
    except ValueError:
        return None


def at(data: Any, path: Sequence[str]) -> Any:
    """Follow a path into data; numbers behind ``*`` are added up, ``None`` is what is not there."""
    for place, name in enumerate(path):
        if name == "*":
            remaining_path = path[place + 1 :]
            return _added([at(entry, remaining_path) for entry in data]) if isinstance(data, list) else None
        if isinstance(data, list):
            data = data[int(name)] if name.isdecimal() and int(name) < len(data) else None
        else:
            data = data.get(name) if isinstance(data, dict) else None
    return data


def _added(values: Sequence[Any]) -> Any:
    """Add up numbers, or mappings of numbers."""
    if values and all(isinstance(value, dict) for value in values):
        names = dict.fromkeys(name for value in values for name in value)
        return {name: sum(value.get(name) or 0 for value in values) for name in names}
    return sum(value for value in values if isinstance(value, int | float))
