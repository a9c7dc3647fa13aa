"""The rows of a trajectory: one line for every call, and what it took apart from it.

``trajectory.jsonl`` holds what repeats byte for byte in a scripted run; wall-clock times lie beside it in
``timings.jsonl``, under the same ``seq``.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, Self, TypeVar

from pydantic import ConfigDict, TypeAdapter, ValidationError

from memgauge.errors import MalformedDataError
from memgauge.results import result
from memgauge.studies.track.timeline.models import Platform
from memgauge.studies.track.tools.router import Effect
from memgauge.text.jsons import json_rows, object_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from _typeshed import DataclassInstance

    Row = TypeVar("Row", bound=DataclassInstance)

TRAJECTORY = "trajectory.jsonl"
TIMINGS = "timings.jsonl"


@result
@dataclass(frozen=True, slots=True)
class Call:
    """One call of one tool."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    seq: int
    """Counts the calls of the instance from 0."""
    question: str
    """Id of the question that was being answered."""
    turn: int
    """Which reply of the agent to this question asked for it, from 0."""
    at: str
    """Simulated time as ISO text; never the wall clock."""
    tool: str
    platform: Platform | None
    """``None`` where the tool does not exist."""
    effect: Effect | None
    arguments: Any
    """As given, even where they are no object."""
    ok: bool
    """Whether the tool exists, took the arguments and returned."""
    error: str = ""
    """``code: message``; empty where it worked."""
    text: str = ""
    """What the model was shown; for a failed call its reason."""
    events: tuple[str, ...] = ()
    """Ids of the events that the result revealed."""
    touched: tuple[str, ...] = ()
    """Finer names of what was revealed or changed."""
    exit_code: int | None = None
    """How a shell command ended."""
    ms: float | None = field(default=None, compare=False)
    """Wall clock, where it is known."""

    def row(self) -> dict[str, Any]:
        """Return the line that repeats: everything but the wall clock."""
        return {name: value for name, value in asdict(self).items() if name != "ms"}


class TrajectoryWriter:
    """Appends calls to the two files of one folder, line by line."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._rows = (folder / TRAJECTORY).open("a", encoding="utf-8")
        self._timings = (folder / TIMINGS).open("a", encoding="utf-8")

    def write(self, call: Call) -> None:
        """Append one call."""
        self._rows.write(json_line(call.row()))
        self._rows.flush()
        if call.ms is not None:
            self._timings.write(json_line({"seq": call.seq, "ms": round(call.ms, 3)}))
            self._timings.flush()

    def close(self) -> None:
        """Close both files."""
        self._rows.close()
        self._timings.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()


def read_trajectory(folder: Path, *, torn: bool = False) -> tuple[Call, ...]:
    """Read the calls of one folder, with their wall-clock times where those are there.

    With *torn*, a last line that was cut off while it was written is left out.

    Raises:
        MalformedDataError: A line is no call.
    """
    times = {}
    if (folder / TIMINGS).exists():
        times = {row["seq"]: row["ms"] for _, row in _objects(folder / TIMINGS, torn=torn)}
    calls = read_rows(folder / TRAJECTORY, Call, "a call", torn=torn)
    return tuple(replace(call, ms=times.get(call.seq)) for call in calls)


def read_rows(path: Path, kind: type[Row], what: str, *, torn: bool = False) -> Iterator[Row]:
    """Read rows of one kind, *what* in words.

    Raises:
        MalformedDataError: A line is none; file and line are named.
    """
    adapter = TypeAdapter(kind)
    for number, row in _objects(path, torn=torn):
        try:
            yield adapter.validate_python(row)
        except ValidationError as error:
            detail = error.errors()[0]
            problem = f"{'.'.join(map(str, detail['loc']))}: {detail['msg']}"
            field_names = ", ".join(sorted({field.name for field in fields(kind)} - {"ms"}))
            raise MalformedDataError(
                f"{path}, line {number}: this is no {what.split()[1]} ({problem}).",
                f"{what.capitalize()} has {field_names}.",
            ) from error


def is_torn(path: Path) -> bool:
    """Whether the last line of a file was cut off while it was written."""
    with path.open("rb") as file:
        return any(map(_cut_off, file))


def _objects(path: Path, *, torn: bool) -> Iterator[tuple[int, dict[str, Any]]]:
    with path.open("rb") as file:
        lines = (line for line in file if not (torn and _cut_off(line)))
        for number, row in json_rows(lines, path, "Write one object a line."):
            if not isinstance(row, dict):
                raise MalformedDataError(f"{path}, line {number}: this is no JSON object.")
            yield number, row


def _cut_off(line: bytes) -> bool:
    """Whether a line has no end, as only the last can, and says nothing."""
    return not line.endswith(b"\n") and object_of(line) is None


def json_line(value: Mapping[str, Any]) -> str:
    """Write one line of JSON, in one way only."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")) + "\n"
