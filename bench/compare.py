"""Ask all sides of a row in turn, and compare what they took and what they found."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass, field, replace
from statistics import median, quantiles
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from bench.places import ROOT, with_threads
from bench.row import CannotRunError, Role
from bench.side import check_file, row_named

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from bench.row import Row, Side

REPEATS = 9


@dataclass(frozen=True)
class Spread:
    """A median with the quartiles around it."""

    median: float
    low: float
    high: float
    n: int

    @classmethod
    def of(cls, values: Sequence[float]) -> Self:
        """Summarise *values*."""
        low, _, high = quantiles(values, n=4, method="inclusive") if len(values) > 1 else [values[0]] * 3
        return cls(median(values), low, high, len(values))


@dataclass(frozen=True)
class Taken:
    """What one side took."""

    name: str
    role: str
    note: str = ""
    why: str = ""
    ms: Spread | None = None
    """In the unit of its row."""
    first: float | None = None
    """The repetition before all others, which is left out."""
    ratio: Spread | None = None
    """Its time by ours, round by round: above 1 we are ahead. Of a floor the other way round: ours by its time."""
    at_least: float | None = None
    agrees: str = ""
    same: bool | None = None
    lacks: str = ""
    """Why there are no figures."""
    broken: bool = False
    peak_mb: float | None = None
    """The most memory that its process held, libraries included."""


@dataclass(frozen=True)
class Measured:
    """One row with all its sides."""

    key: str
    title: str
    unit: str
    limit: float | None
    above: str
    sides: tuple[Taken, ...] = field(default=())
    threads: int = 1
    items: int = 0
    of: str = ""
    limit_mb: float | None = None
    when: str = ""
    """When it was measured, where that is not when the others were."""

    @classmethod
    def of_row(cls, key: str, row: Row, sides: Sequence[Taken]) -> Self:
        """Lay what sides took beside what the row asks for."""
        return cls(
            key,
            row.title,
            row.unit,
            row.limit,
            row.above,
            tuple(sides),
            row.threads,
            row.items,
            row.of,
            row.limit_mb,
        )

    @property
    def ours(self) -> Taken | None:
        """Return our side."""
        return next((side for side in self.sides if side.role == Role.OURS), None)


class Worker:
    """The process of a side; leave the context to end it."""

    def __init__(self, module: str, side: Side, folder: Path, threads: int = 1) -> None:
        python = sys.executable if side.here else str(side.python)
        command = [python, "-m", "bench.side", module, side.name, str(folder)]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=with_threads(threads), cwd=ROOT
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def heard(self) -> dict[str, Any]:
        """Read one answer."""
        if self._process.stdout is None:
            raise RuntimeError("a side is listened to over a pipe")
        line = self._process.stdout.readline()
        while line and not line.startswith('{"'):  # libraries greet on stdout
            line = self._process.stdout.readline()
        reply: dict[str, Any] = json.loads(line) if line else {"broken": "its process ended; see above"}
        return reply

    def ask(self) -> dict[str, Any]:
        """Ask for a repetition."""
        if self._process.stdin is None:
            raise RuntimeError("a side is spoken to over a pipe")
        try:
            print("again", file=self._process.stdin, flush=True)
        except BrokenPipeError:
            return {"broken": "its process ended; see above"}
        return self.heard()


def measure(module: str, folder: Path, repeats: int = REPEATS) -> Measured:
    """Measure the row of a module; what its sides share lies in *folder*."""
    row, key = row_named(module), module.rpartition(".")[2]
    folder.mkdir(parents=True, exist_ok=True)
    try:
        if row.share is not None:
            row.share(folder)
    except CannotRunError as error:
        lacking = tuple(Taken(s.name, s.role, s.note, s.why, lacks=str(error)) for s in row.sides)
        return Measured.of_row(key, row, lacking)
    sides = [side for side in row.sides if side.here or side.python.exists()]
    absent = [side for side in row.sides if side not in sides]
    firsts, rounds = _asked(module, sides, folder, row.repeats or repeats, row.threads)
    taken = [_taken(side, row, firsts[side.name], rounds, folder) for side in sides]
    taken += [
        Taken(s.name, s.role, s.note, s.why, lacks=f"no environment of peers; run make {made_by(s)}")
        for s in absent
    ]
    return Measured.of_row(key, row, taken)


def made_by(side: Side) -> str:
    """Name what makes the environment of a side: ``.venv-bench`` is made by ``make bench``."""
    return side.python.parents[1].name.removeprefix(".venv-")


def _asked(
    module: str, sides: Sequence[Side], folder: Path, repeats: int, threads: int
) -> tuple[dict[str, dict[str, Any]], list[dict[str, dict[str, Any]]]]:
    """Warm every side up alone, then ask all in turn, every other round backwards."""
    from contextlib import ExitStack

    with ExitStack() as stack:
        workers, firsts = {}, {}
        for side in sides:
            workers[side.name] = stack.enter_context(Worker(module, side, folder, threads))
            firsts[side.name] = workers[side.name].heard()
        able = [side for side in sides if "first_ms" in firsts[side.name]]
        return firsts, [
            {side.name: workers[side.name].ask() for side in _turn(able, number, repeats)}
            for number in range(repeats)
        ]


def _turn(sides: Sequence[Side], number: int, repeats: int) -> Iterator[Side]:
    there = [side for side in sides if number < (side.repeats or repeats)]
    yield from there if number % 2 == 0 else reversed(there)


def _taken(
    side: Side, row: Row, first: dict[str, Any], rounds: Sequence[dict[str, dict[str, Any]]], folder: Path
) -> Taken:
    replies = [first, *(each[side.name] for each in rounds if side.name in each)]
    taken = Taken(side.name, str(side.role), side.note, side.why, at_least=side.at_least)
    for reply in replies:
        if lacks := reply.get("missing") or reply.get("broken"):
            return replace(taken, lacks=lacks, broken="broken" in reply)
    scale = _scale(row.unit) * side.times
    mine = next(other.name for other in row.sides if other.role == Role.OURS)
    same, agrees = _agreement(side, row, folder)
    return replace(
        taken,
        ms=Spread.of([reply["ms"] * scale for reply in replies[1:]]),
        first=first["first_ms"] * scale,
        ratio=_ratio(side, mine, rounds),
        agrees=agrees,
        same=same,
        peak_mb=replies[-1].get("peak_mb"),
    )


def _scale(unit: str) -> float:
    return {"ms": 1.0, "s": 1e-3}[unit]


def _ratio(side: Side, mine: str, rounds: Sequence[dict[str, dict[str, Any]]]) -> Spread | None:
    """Divide round by round, so that what disturbed a round disturbed both."""
    pairs = [
        (each[side.name]["ms"] * side.times, each[mine]["ms"])
        for each in rounds
        if {side.name, mine} <= each.keys() and "ms" in each[mine]
    ]
    if side.role == Role.OURS or not pairs:
        return None
    ratios = [theirs / ours for theirs, ours in pairs]
    return Spread.of([1 / ratio for ratio in ratios] if side.role == Role.FLOOR else ratios)


def _agreement(side: Side, row: Row, folder: Path) -> tuple[bool | None, str]:
    ours = next(other for other in row.sides if other.role == Role.OURS)
    files = check_file(folder, ours.name), check_file(folder, side.name)
    if row.agreement is None or side.role != Role.PEER or not all(path.exists() for path in files):
        return None, ""
    verdict = row.agreement(np.load(files[0]), np.load(files[1]))
    return verdict.same, verdict.said
