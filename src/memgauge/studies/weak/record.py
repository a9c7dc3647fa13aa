"""The record of a lane: every write, every memory, and every request with its reply, as one file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from memgauge.errors import DataNotFoundError
from memgauge.results import ResultKind, plain, result
from memgauge.runs.record.files import small, write_atomically
from memgauge.runs.record.machine import Machine
from memgauge.show.exports import data_text
from memgauge.text.jsons import json_of

if TYPE_CHECKING:
    from pathlib import Path

SUFFIX: Final = ".json"
PRODUCT, USER = "product", "user"
"""Kinds of lanes."""
_BEGINNING: Final = 80


@result
@dataclass(frozen=True)
class Exchange:
    """One request of a model, without the words of its prompt, and the reply to it."""

    during: str
    """The write, or the step, that it was made for."""
    key: str
    """Of the request, without the day and the ids that it held."""
    opening: str
    """Of its first two messages: a retry that says what was wrong begins as the first try did."""
    purpose: str
    shape: str
    """``text``, ``json``, ``schema`` or ``tool``: what the reply has to be."""
    schemas: dict[str, Any]
    """What a reply has to fit, by the name of the schema or the tool, without its descriptions."""
    cap: int
    """Tokens that the reply may have: as asked, and at most the server's."""
    status: int
    finish: str
    input_tokens: int | None
    """``None`` where the model was stopped before it could count."""
    output_tokens: int
    seconds: float
    text: str = ""
    uses: tuple[tuple[str, str], ...] = ()
    """Tools that the reply uses, with their arguments as they came."""
    fault: str = ""
    """What was wrong with the shape of the whole reply."""
    quoted: int = 0
    """Words of the prompt that the reply quotes; they are left out, and counted in their place."""
    why: str = ""
    """What was said in the place of a reply."""

    @property
    def shown(self) -> str:
        """Return the beginning of the reply."""
        line = " ".join((self.text or " ".join(arguments for _, arguments in self.uses)).split())
        return line if len(line) <= _BEGINNING else f"{line[:_BEGINNING]}…"


@result
@dataclass(frozen=True)
class RecordedWrite:
    """One write, or one settling at the end of a session, and what the harness counted it as."""

    name: str
    turns: tuple[str, ...]
    """None for a settling."""
    outcome: str
    reason: str
    seconds: float
    """Until the harness went on, whatever became of it."""
    changed: int
    """Memories that the receipt names."""


@result
@dataclass(frozen=True)
class RecordedMemory:
    """One memory as it was listed at the end, by the turns that it descends from."""

    sources: tuple[str, ...]
    channel: str


@result
@dataclass(frozen=True)
class RecordedStep:
    """One command of ours that asked the model, and what it said of itself."""

    name: str
    command: str
    code: int
    seconds: float
    counted: dict[str, Any]
    """Its own figures of calls, failures and outcomes."""
    problem: str = ""


@result
@dataclass(frozen=True)
class RecordedLane:
    """Everything that is known of one lane."""

    key: str
    kind: str
    ref: str
    """As a user writes it, with the name of the model in place of its address."""
    version: str
    changed: tuple[str, ...]
    """What was done to a product to run it here."""
    model: str
    server_cap: int
    limit_s: float
    """Seconds that the server gives a reply."""
    timeout_s: float
    """Seconds that the harness gives a call."""
    played: str
    """The day."""
    seconds: float
    load: float
    machine: Machine
    problem: str
    """Why it could not be played, in its own words."""
    writes: tuple[RecordedWrite, ...] = ()
    memories: tuple[RecordedMemory, ...] = ()
    steps: tuple[RecordedStep, ...] = ()
    exchanges: tuple[Exchange, ...] = ()


LANE: Final = ResultKind("weak lane", 1, RecordedLane, "memgauge study weak play")


def write_lane(lane: RecordedLane, folder: Path) -> None:
    """Write a lane to its file."""
    write_atomically(folder / f"{lane.key}{SUFFIX}", data_text(plain(LANE.of(lane))))


def read_lane(folder: Path, key: str) -> RecordedLane | None:
    """Read a lane; ``None`` where it was not played.

    Raises:
        MalformedDataError: Its file says something else.
    """
    path = folder / f"{key}{SUFFIX}"
    return LANE.read(json_of(small(path)), str(path)) if path.is_file() else None


def read_lanes(folder: Path, keys: tuple[str, ...]) -> tuple[RecordedLane, ...]:
    """Read all lanes that were played.

    Raises:
        DataNotFoundError: None was.
    """
    lanes = tuple(lane for key in keys if (lane := read_lane(folder, key)) is not None)
    if not lanes:
        raise DataNotFoundError(f"{folder} holds no recorded lane.", "Play one: memgauge study weak play.")
    return lanes
