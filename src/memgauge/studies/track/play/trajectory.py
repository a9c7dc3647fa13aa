"""The rows of a trajectory: one line for every call, and what it took apart from it.

``trajectory.jsonl`` holds what repeats byte for byte in a scripted run; wall-clock times lie beside it in
``timings.jsonl``, under the same ``seq``.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Any, Self

from memgauge.errors import MalformedDataError
from memgauge.studies.track.timeline.models import Platform
from memgauge.text.jsons import json_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from memgauge.studies.track.tools.router import Effect

TRAJECTORY = "trajectory.jsonl"
TIMINGS = "timings.jsonl"


@dataclass(frozen=True, slots=True)
class Call:
    """One call of one tool."""

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

    @classmethod
    def of(cls, row: Mapping[str, Any], ms: float | None = None) -> Call:
        """Make a call from its line.

        Raises:
            TypeError: A key that no call has, or one missing.
        """
        known = dict(row)
        for name in ("events", "touched"):
            known[name] = tuple(known.get(name) or ())
        known["platform"] = Platform(known["platform"]) if known.get("platform") else None
        return cls(**known, ms=ms)


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


def read_trajectory(folder: Path) -> tuple[Call, ...]:
    """Read the calls of one folder, with their wall-clock times where those are there.

    Raises:
        MalformedDataError: A line is no call.
    """
    times = {row["seq"]: row["ms"] for row in _lines(folder / TIMINGS)} if (folder / TIMINGS).exists() else {}
    return tuple(_calls(folder / TRAJECTORY, times))


def _calls(path: Path, times: Mapping[int, float]) -> Iterator[Call]:
    expected = {item.name for item in fields(Call)} - {"ms"}
    for number, row in enumerate(_lines(path), 1):
        try:
            yield Call.of(row, times.get(row["seq"]))
        except (KeyError, TypeError, ValueError) as error:
            raise MalformedDataError(
                f"{path}, line {number}: this is no call ({error}).", f"A call has {', '.join(sorted(expected))}."
            ) from error


def _lines(path: Path) -> Iterable[dict[str, Any]]:
    for number, row in json_lines(path):
        if not isinstance(row, dict):
            raise MalformedDataError(f"{path}, line {number}: this is no JSON object.")
        yield row


def json_line(value: Mapping[str, Any]) -> str:
    """Write one line of JSON, in one way only."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")) + "\n"
