"""A store as a file: memories with their lineage, one JSON object a line, behind a header.

This is how the descendants of a dataset, the output of a parser, or the store of a foreign memory is fixed,
hashed and used again (MTEL-Mem's fixture). The header holds ``store`` (its kind), ``dataset`` and ``sha256`` (of
the data) and whatever made it; every other line ``id, conversation, text, form, sources``, and if known
``event_at``. Sources are turns, or other memories of the same conversation, which are followed to their turns.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from memgauge.errors import ConfigError, DataNotFoundError, MalformedDataError
from memgauge.misfits import first_misfit
from memgauge.records import Form, Memory
from memgauge.registry import parse_ref
from memgauge.text.shell import typed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

FORMAT = 1


@dataclass(frozen=True, eq=False)
class Store:
    """The memories of a store file."""

    header: Mapping[str, Any]
    memories: Mapping[str, tuple[Memory, ...]]
    """By conversation, in the order of the file; sources are turns."""
    sha256: str
    """Of the file."""


Row = TypeVar("Row", bound=BaseModel)


class _Header(BaseModel):
    model_config = ConfigDict(extra="allow")

    format: int
    store: str
    dataset: str = ""
    sha256: str = ""


class _MemoryLine(BaseModel):
    model_config = ConfigDict(extra="forbid")

    id: str = Field(min_length=1)
    conversation: str = Field(min_length=1)
    text: str = Field(pattern=r"\S")
    form: Form
    sources: list[str]
    event_at: str | None = None

    @field_validator("event_at")
    @classmethod
    def _is_time(cls, value: str | None) -> str | None:
        if value is not None:
            datetime.fromisoformat(value)
        return value


def spell_store(header: Mapping[str, Any], memories: Mapping[str, Iterable[Memory]]) -> str:
    """Write a store as the text of its file; the same store gives the same bytes."""
    lines = [json.dumps({"format": FORMAT, **header}, ensure_ascii=False)]
    for conversation, each in memories.items():
        for memory in each:
            row = {
                "id": memory.id,
                "conversation": conversation,
                "text": memory.text,
                "form": str(memory.form),
                "sources": list(memory.sources),
                "event_at": None if memory.event_at is None else memory.event_at.isoformat(),
            }
            lines.append(json.dumps(row, ensure_ascii=False))
    return "\n".join(lines) + "\n"


def read_store(path: Path) -> Store:
    """Read a store file.

    Raises:
        DataNotFoundError: There is none.
        MalformedDataError: A line is not as it should be, an id occurs twice, sources go round in a circle, or
            there is no memory; file, line and field are named.
    """
    try:
        content = path.read_bytes()
        lines = content.decode("utf-8").split("\n")  # other marks of a line's end may stand in a text
    except OSError as error:
        raise DataNotFoundError(f"Cannot read {path}: {error.strerror}.", "Name a store file.") from error
    except UnicodeDecodeError as error:
        raise MalformedDataError(
            f"{path}: not UTF-8 at byte {error.start}.", "Write the file as UTF-8."
        ) from error
    numbered = [(n, text) for n, text in enumerate(lines, 1) if text.strip()]
    if not numbered:
        raise MalformedDataError(f"{path}: the file is empty.", "Write it with `memgauge study targets stores`.")
    header = _checked(path, _Header, *numbered[0])
    if header.format != FORMAT:
        raise MalformedDataError(f"{path}:1: format {header.format} is not {FORMAT}.", "Write the file anew.")
    parsed = [(n, _checked(path, _MemoryLine, n, text)) for n, text in numbered[1:]]
    if not parsed:
        raise MalformedDataError(f"{path}: the store is empty.", "A store holds at least one memory.")
    return Store(header.model_dump(), _by_conversation(path, parsed), hashlib.sha256(content).hexdigest())


def require_store_of(system: str, dataset: str, sha256: str) -> None:
    """Refuse a store file, where *system* names one, that says it was made of other data than *sha256*.

    Raises:
        ConfigError: It was: its memories descend from turns that are not there.
    """
    store = parse_ref(system).params.get("store")
    if not isinstance(store, str) or not store.endswith(".jsonl") or not Path(store).is_file():
        return
    header = read_store(Path(store)).header
    if header["sha256"] and header["sha256"] != sha256:
        raise ConfigError(
            f"{store} was made of {header['dataset'] or 'other data'} (sha256 {header['sha256'][:12]}), not of "
            f"{dataset} (sha256 {sha256[:12]}).",
            f"Make one: memgauge study targets stores -d {typed(dataset)}",
        )


def _checked(path: Path, kind: type[Row], number: int, text: str) -> Row:
    try:
        return kind.model_validate_json(text)
    except ValidationError as error:
        misfit = first_misfit(error, "the line itself")
        raise MalformedDataError(
            f"{path}:{number}: {misfit}.", "Mend that line, or write the store again."
        ) from error


def _by_conversation(path: Path, parsed: Iterable[tuple[int, _MemoryLine]]) -> dict[str, tuple[Memory, ...]]:
    lines: defaultdict[str, dict[str, tuple[int, _MemoryLine]]] = defaultdict(dict)
    for number, line in parsed:
        own = lines[line.conversation]
        if line.id in own:
            raise MalformedDataError(
                f"{path}:{number}: id: {line.id!r} stands in line {own[line.id][0]} already.",
                "Give it another id.",
            )
        own[line.id] = number, line
    return {conversation: _memories(path, own) for conversation, own in lines.items()}


def _memories(path: Path, own: Mapping[str, tuple[int, _MemoryLine]]) -> tuple[Memory, ...]:
    try:
        turns = follow({name: line.sources for name, (_, line) in own.items()})
    except CircleError as circle:
        number = own[circle.names[0]][0]
        raise MalformedDataError(
            f"{path}:{number}: sources: {circle} is a circle.", "A memory cannot descend from itself."
        ) from circle
    return tuple(_memory(line, turns[line.id]) for _, line in own.values())


def _memory(line: _MemoryLine, turns: tuple[str, ...]) -> Memory:
    at = None if line.event_at is None else datetime.fromisoformat(line.event_at)
    return Memory(line.id, line.text, line.form, turns, event_at=at)


class CircleError(ValueError):
    """Memories that descend from each other."""

    def __init__(self, names: Sequence[str]) -> None:
        """Name them, in the order in which they cite each other."""
        super().__init__(" -> ".join((*names, names[0])))
        self.names = tuple(names)


def follow(sources: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """Replace sources that are memories by the turns that these descend from, in order, each once.

    What no memory is called is a turn; and a memory that names itself names a turn of that name.

    Raises:
        CircleError: Memories descend from each other.
    """
    done: dict[str, tuple[str, ...]] = {}
    for start in sources:
        open_ = [start]
        while open_:
            name = open_[-1]
            waiting = [each for each in sources[name] if each in sources and each not in done and each != name]
            if not waiting:
                turns = (turn for each in sources[name] for turn in (done.get(each, (each,))))
                done[name] = tuple(dict.fromkeys(turns))
                open_.pop()
            elif waiting[0] in open_:
                raise CircleError(open_[open_.index(waiting[0]) :])
            else:
                open_.append(waiting[0])
    return done
