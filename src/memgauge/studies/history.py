"""Histories: files of JSON lines that measurements are appended to, so that what changes over time is seen.

A line is a result with when it was and of what: ``{kind, version, at, of, value}``.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from fcntl import LOCK_EX, flock
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from memgauge.errors import MalformedDataError, RunError
from memgauge.results import ResultKind, kind_of
from memgauge.text.jsons import json_of, json_rows, object_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

T = TypeVar("T")
_LONGEST: Final = 1_000_000
"""Bytes of a first line; no record comes near."""
_REMEDY: Final = "Restore the file, which is only appended to, or begin another one."


@dataclass(frozen=True)
class RecordKind(ResultKind[T]):
    """One kind of line: a dataclass that says when it was measured in its field ``at``."""

    subject: str
    """The field that names what was measured."""


@dataclass(frozen=True)
class HistoryFormat(Generic[T]):
    """The file of one study: what kinds of line stand in it."""

    kinds: tuple[RecordKind[T], ...]

    def append(self, path: Path, records: Iterable[T]) -> None:
        """Append to a history; the file is made where there is none, and what is no such history is left alone.

        Raises:
            MalformedDataError: A line of the file is no record, at a named place.
            RunError: It cannot be written.
        """
        self.read(path)
        lines = "".join(
            json.dumps(self._written(record), ensure_ascii=False) + "\n" for record in records
        ).encode()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("a+b") as file:
                flock(file, LOCK_EX)  # whoever else appends waits: what breaks off now is nobody's work
                file.seek(0)
                written = file.read()
                if len(whole := _whole(written)) < len(written):
                    file.truncate(len(whole))
                file.write(b"\n" + lines if whole and not whole.endswith(b"\n") else lines)
        except OSError as error:
            raise RunError(f"Cannot write {path}: {error.strerror}.", "Choose another path.") from error

    def read(self, path: Path) -> tuple[T, ...]:
        """Read a history, oldest first; no file is an empty one, and a line that broke off was never written.

        Raises:
            MalformedDataError: A line is no record, or of another version; file and number are named.
        """
        if not path.is_file():
            return ()
        rows = json_rows(_whole(path.read_bytes()).split(b"\n"), path, _REMEDY)
        return tuple(self._record(line, f"{path}:{number}") for number, line in rows)

    def recognises(self, path: Path) -> bool:
        """Whether the first line of a file is one of such a history."""
        if path.suffix != ".jsonl" or not path.is_file():
            return False
        try:
            with path.open("rb") as file:
                first = object_of(file.readline(_LONGEST))
        except OSError:
            return False
        return kind_of(first) in {kind.name for kind in self.kinds}

    def _written(self, record: T) -> dict[str, Any]:
        target = f"{type(record).__module__}:{type(record).__qualname__}"
        kind = next(kind for kind in self.kinds if kind.target == target)
        value = asdict(record)  # type: ignore[call-overload] # a record is a dataclass
        at, of = value.pop("at"), value.pop(kind.subject)
        return {"kind": kind.name, "version": kind.version, "at": at, "of": of, "value": value}

    def _record(self, line: object, where: str) -> T:
        kind = next((kind for kind in self.kinds if kind.name == kind_of(line)), self.kinds[0])
        data = line if isinstance(line, dict) else {}
        if isinstance(data.get("value"), dict):
            data = {**data, "value": {**data["value"], "at": data.get("at"), kind.subject: data.get("of")}}
        try:
            return kind.read(data, "it")
        except MalformedDataError as error:
            what = f"{where}: this is no line of such a history: {error.what}"
            raise MalformedDataError(what, _REMEDY) from error


def _whole(lines: bytes) -> bytes:
    """Leave out a last line that has no end and is no JSON: whoever wrote it was killed, and told nobody of it."""
    last = lines.rpartition(b"\n")[2]
    try:
        if last.strip():
            json_of(last)
    except ValueError:
        return lines.removesuffix(last)
    return lines
