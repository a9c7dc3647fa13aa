"""The folder of a run: an instance is in it whole or not at all, so that a killed run goes on where it was.

``plan.json`` says what is played and ``timelines/`` what it is played on; ``played/REPEAT/INSTANCE/`` appears in
one step when an instance is finished. ``result.jsonl`` is put together from these in the order of the plan: its
bytes do not depend on when or in which order anything was played. Wall-clock times lie in ``timings.jsonl`` beside
the calls.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, Self

from memgauge.errors import IdentityError, MalformedDataError, RunNotFoundError
from memgauge.interruption import KeptInterrupt
from memgauge.runs.record.appending import Appender
from memgauge.runs.record.files import write_atomically
from memgauge.studies.track.play.played import ANSWERS, answer_lines, read_played
from memgauge.studies.track.play.trajectory import TRAJECTORY, TrajectoryWriter, json_line
from memgauge.studies.track.timeline.files import read_timeline, write_timeline
from memgauge.text.jsons import IDENTITY, json_file, json_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from memgauge.studies.track.play.plan import PlayPlan
    from memgauge.studies.track.play.played import Answer, PlayedInstance
    from memgauge.studies.track.timeline.models import Timeline

PLAN = "plan.json"
RESULT = "result.jsonl"
_LOCK = "lock"


class RunFolder:
    """A run that is being written; one process at a time."""

    def __init__(self, folder: Path, plan: PlayPlan) -> None:
        """Open the folder, and clear away what was not finished.

        Raises:
            RunBusyError: Another process is writing it.
            IdentityError: It holds the run of another plan.
        """
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self._plan = plan
        self._lock = Appender(folder / _LOCK)
        with ExitStack() as undo:
            undo.callback(self._lock.close)
            self._begin()
            undo.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: object) -> None:
        self._lock.close()
        if kind is KeyboardInterrupt:
            raise KeptInterrupt(self.folder) from error

    def done(self, instance: str, repeat: int) -> bool:
        """Say whether an instance was played to its end."""
        return self._place(instance, repeat).is_dir()

    @contextmanager
    def playing(self, instance: str, repeat: int) -> Iterator[tuple[TrajectoryWriter, list[Answer]]]:
        """Give a place for the calls and answers of an instance; it becomes part of the run when all went well."""
        partial = self.folder / "partial" / f"{repeat}-{_safe(instance)}"
        shutil.rmtree(partial, ignore_errors=True)
        answers: list[Answer] = []
        with TrajectoryWriter(partial) as writer:
            yield writer, answers
        write_atomically(partial / ANSWERS, answer_lines(answers))
        _flushed(partial / TRAJECTORY)
        place = self._place(instance, repeat)
        place.parent.mkdir(parents=True, exist_ok=True)
        partial.rename(place)

    def finish(self) -> Path:
        """Write the result file from everything that was played."""
        lines = []
        for play, repeat in self._plan.jobs():
            if self.done(play.name, repeat):
                played_instance = read_played(self._place(play.name, repeat), play.name, repeat)
                lines += list(_result_lines(played_instance))
        path = self.folder / RESULT
        write_atomically(path, "".join(lines))
        return path

    def _begin(self) -> None:
        path = self.folder / PLAN
        identity = json_of(json.dumps(self._plan.identity(), default=str))
        if path.exists():
            identity_on_disk = _identity(path)
            differing = sorted(
                key for key in {*identity_on_disk, *identity} if identity_on_disk.get(key) != identity.get(key)
            )
            if differing:
                raise IdentityError(
                    f"{self.folder} holds a run with another {', '.join(differing)}.", "Choose another --out."
                )
        shutil.rmtree(self.folder / "partial", ignore_errors=True)
        for play in self._plan.instances:
            write_timeline(self.folder / "timelines" / f"{_safe(play.name)}.json", play.timeline)
        write_atomically(path, json.dumps(identity, indent=1, ensure_ascii=False) + "\n")

    def _place(self, instance: str, repeat: int) -> Path:
        return self.folder / "played" / str(repeat) / _safe(instance)


def read_run(folder: Path) -> tuple[Mapping[str, Any], Mapping[str, Timeline], Sequence[PlayedInstance]]:
    """Read a run, as far as it got: its identity, its timelines by name, and what was played, in order.

    Raises:
        RunNotFoundError: There is none.
        MalformedDataError: A file of it breaks its format.
    """
    path = folder / PLAN
    if not path.exists():
        raise RunNotFoundError(
            f"{folder} holds no run of the track study.", "Make one: `memgauge study track run`."
        )
    identity = _identity(path)
    names = list(identity["instances"])
    timelines = {name: read_timeline(folder / "timelines" / f"{_safe(name)}.json") for name in names}
    places = [
        (folder / "played" / str(r) / _safe(name), name, r) for r in range(identity["repeats"]) for name in names
    ]
    return identity, timelines, [read_played(*place) for place in places if place[0].is_dir()]


def is_run(path: Path) -> bool:
    """Whether a folder holds a run of this study, as far as its names tell."""
    return (path / PLAN).is_file() and (path / "played").is_dir()


def _identity(path: Path) -> dict[str, Any]:
    identity = json_file(path, "Choose another --out.", IDENTITY)
    if not isinstance(identity, dict) or not isinstance(identity.get("instances"), dict):
        raise MalformedDataError(f"{path} is no plan of a run.", "Choose another --out.")
    return identity


def _result_lines(played_instance: PlayedInstance) -> Iterator[str]:
    """Write calls and answers in the order in which they came."""
    head = {"instance": played_instance.instance, "repeat": played_instance.repeat}
    written_calls = 0
    for answer in played_instance.answers:
        for call in played_instance.calls[written_calls : answer.after]:
            yield json_line({"t": "call", **head, **call.row()})
        written_calls = answer.after
        yield json_line({"t": "answer", **head, **answer.row()})


def _safe(name: str) -> str:
    """Return a name that a file can have; what had to be changed is told apart by a hash."""
    safe = "".join(c if c.isalnum() or c in "-_." else "_" for c in name).lstrip(".")
    return safe if safe == name else f"{safe}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"


def _flushed(path: Path) -> None:
    """Bring a file to the disk before its folder takes its name."""
    with path.open("rb") as file:
        os.fsync(file.fileno())
