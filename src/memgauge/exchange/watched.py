"""What `memgauge.watch` wrote becomes sealed traffic; what was lost on the way is counted."""

from __future__ import annotations

import hashlib
import re
import zlib
from bisect import bisect_right
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from memgauge.datasets.files import sha256_of
from memgauge.errors import DataError, MalformedDataError
from memgauge.exchange.traffic.freezing import freeze_traffic
from memgauge.exchange.traffic.identity import TrafficIdentity, TrafficLedger, TrafficSource
from memgauge.exchange.traffic.reading import Traffic
from memgauge.exchange.traffic.rows import (
    ScopeFrom,
    TrafficKind,
    TrafficOperation,
    TrafficRecord,
    outcome_of_failure,
)
from memgauge.exchange.traffic.writer import TrafficWriter
from memgauge.records import Outcome
from memgauge.text.jsons import object_of
from memgauge.watch.rowlog import FORMAT, SUFFIX

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from memgauge.exchange.traffic.freezing import FrozenTraffic

_CHECKED: Final = re.compile(rb'(.*),"crc":"([0-9a-f]{8})"\}\n?', re.DOTALL).fullmatch
_LONGEST: Final = 64 << 20
_COUNTS: Final = ("asked", "returned", "context_tokens")
_TEXTS: Final = ("query", "query_hash")
_NAMES: Final = ("scope", "session", "agent", "store", "reason", "trace", "span", "dialect")


@dataclass
class _Sequence:
    """The rows of one log, whose numbers have no gaps where none was lost."""

    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    """Stretches of numbers that were read, of each its first one and the one behind its last, ascending."""

    def take(self, number: int) -> bool:
        """Note a row; whether it is there for the first time, wherever its file was read."""
        place = bisect_right(self.starts, number)
        if place and number < self.ends[place - 1]:
            return False
        ends_one = place > 0 and self.ends[place - 1] == number
        begins_one = place < len(self.starts) and self.starts[place] == number + 1
        if ends_one and begins_one:
            del self.starts[place]
            del self.ends[place - 1]
        elif ends_one:
            self.ends[place - 1] += 1
        elif begins_one:
            self.starts[place] = number
        else:
            self.starts.insert(place, number)
            self.ends.insert(place, number + 1)
        return True

    @property
    def gaps(self) -> int:
        """Count the stretches that are missing before the last row."""
        return len(self.starts) - (self.starts[:1] == [0])

    @property
    def lost(self) -> int:
        """Count the rows that are missing in them."""
        return max(self.ends, default=0) - sum(self.ends) + sum(self.starts)


@dataclass
class _Reading:
    """What was read of a folder."""

    lines: int = 0
    texts: bool = False
    left_out: Counter[str] = field(default_factory=Counter)
    sources: list[TrafficSource] = field(default_factory=list)
    parts: set[tuple[str, int]] = field(default_factory=set)
    versions: set[str] = field(default_factory=set)
    salts: set[str] = field(default_factory=set)
    logs: defaultdict[str, _Sequence] = field(default_factory=lambda: defaultdict(_Sequence))
    dialects: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))


def arrive_watched(source: Path, folder: Path, out: Path, label: str) -> tuple[Traffic, FrozenTraffic]:
    """Import *source* as traffic below *folder* and a run below *out*; the same files are the same traffic.

    Raises:
        DataError: There is no such folder, or no file of a recording in it.
    """
    digest = hashlib.sha256("\n".join(sorted(map(sha256_of, _files(source)))).encode()).hexdigest()
    slug = re.sub(r"[^a-z0-9]+", "-", label.lower()).strip("-")[:40] or "watch"
    place = folder / f"{slug}-{digest[:8]}"
    traffic = Traffic.read(place) if place.is_dir() else import_watched(source, place)
    return traffic, freeze_traffic(traffic, out, label)


def import_watched(source: Path, folder: Path) -> Traffic:
    """Read the folder *source* that a host recorded in, which may go on meanwhile, into the traffic at *folder*.

    Raises:
        DataError: There is no such folder, or no file of a recording in it.
        RunError: Something lies at *folder*, or there is no room.
    """
    files, reading = _files(source), _Reading()
    with TrafficWriter(folder) as writer:
        for path in files:
            for row in _rows(path, reading):
                _take(row, writer, reading)
        if not reading.parts:
            raise MalformedDataError(
                f"{source}: no file says what it is.", "Bring the files again from where they were recorded."
            )
        writer.close(_identity(reading), _ledger(reading, writer.operations))
    return Traffic.read(folder)


def _files(source: Path) -> list[Path]:
    if files := sorted(source.glob(f"*{SUFFIX}")):
        return files
    raise DataError(f"{source}: no file *{SUFFIX}.", "Name the folder that `memgauge.watch` records in.")


def _rows(path: Path, reading: _Reading) -> Iterator[dict[str, Any]]:
    """Yield the rows of a file whose lines are as they were written."""
    digest, size = hashlib.sha256(), 0
    try:
        with path.open("rb") as file:
            log = None
            while line := file.readline(_LONGEST):
                digest.update(line)
                size += len(line)
                if line == b"\n":
                    continue  # ends what was begun on a full disk
                reading.lines += 1
                row = _checked(line, reading)
                if log is None:
                    log = "" if row is None else _head(row, reading)
                elif row is not None and not log:
                    reading.left_out["a row of a file that cannot be read, or was read under another name"] += 1
                elif row is not None and reading.logs[log].take(row["seq"]):
                    yield row
                elif row is not None:
                    reading.left_out["a row that is there twice"] += 1
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror}.", "Bring it again.") from error
    reading.sources.append(TrafficSource(name=path.name, sha256=digest.hexdigest(), bytes=size))


def _checked(line: bytes, reading: _Reading) -> dict[str, Any] | None:
    """Read a line; one without its checksum was torn when the process was killed or the disk was full."""
    match = _CHECKED(line)
    if match is None or not line.endswith(b"\n"):
        reading.left_out["a torn line"] += 1
        return None
    body = match[1] + b"}"
    row = object_of(body)
    number = None if row is None else row.get("seq", row.get("first"))
    if row is None or zlib.crc32(body) != int(match[2], 16) or type(number) is not int:
        reading.left_out["an altered line"] += 1
        return None
    return row


def _head(row: dict[str, Any], reading: _Reading) -> str:
    """Return the log that a file is of; empty if it is none that can be read, or was read before."""
    log, part = row.get("log"), row.get("part")
    if row.get("watch") != FORMAT or not isinstance(log, str) or not isinstance(part, int):
        reading.left_out["a file of another format"] += 1
        return ""
    if (log, part) in reading.parts:
        reading.left_out["a file that is there twice"] += 1
        return ""
    reading.parts.add((log, part))
    reading.versions.add(str(row.get("version")))
    reading.salts.add(str(row.get("salt")))
    return log


def _take(row: dict[str, Any], writer: TrafficWriter, reading: _Reading) -> None:
    try:
        operation, records = _operation(row), [_record(record) for record in row.get("records", ())]
    except (KeyError, TypeError, ValueError):
        reading.left_out["a row of another form"] += 1
        return
    writer.add(operation, records)
    reading.dialects[operation.dialect][operation.operation] += 1
    reading.texts = (
        reading.texts or operation.query is not None or any(record.text is not None for record in records)
    )


def _operation(row: dict[str, Any]) -> TrafficOperation:
    names = {name: _typed(row.get(name, ""), str) for name in _NAMES}
    outcome = Outcome(row.get("outcome", Outcome.OK))
    return TrafficOperation(
        operation=TrafficKind(row["operation"]),
        began_ns=_typed(row["began_ns"], int),
        ended_ns=_typed(row["ended_ns"], int),
        scope_from=ScopeFrom.SPAN if names["scope"] else ScopeFrom.NONE,
        outcome=outcome_of_failure(names["reason"]) if outcome is Outcome.ERROR else outcome,
        captured=_typed(row.get("captured", True), bool),
        **names,
        **{name: _typed(row[name], int) for name in _COUNTS if name in row},
        **{name: _typed(row[name], str) for name in _TEXTS if name in row},
    )


def _record(values: list[Any]) -> TrafficRecord:
    memory, digest, characters, text, score = values
    return TrafficRecord(
        memory=_typed(memory, str),
        hash=None if digest is None else _typed(digest, str),
        characters=None if characters is None else _typed(characters, int),
        text=None if text is None else _typed(text, str),
        score=None if score is None else float(score),
    )


def _typed(value: Any, kind: type) -> Any:
    if type(value) is not kind or (isinstance(value, int) and not 0 <= value < 1 << 63):
        raise TypeError(kind.__name__)
    return value


def _identity(reading: _Reading) -> TrafficIdentity:
    return TrafficIdentity(
        recorder="watch",
        sources=tuple(reading.sources),
        dialects={name: dict(sorted(kinds.items())) for name, kinds in sorted(reading.dialects.items())},
        libraries=tuple(f"memgauge.watch {version}" for version in sorted(reading.versions)),
        sampling="none: every call that passed the wrapper",
        pseudonyms="keyed",
        texts=reading.texts,
    )


def _ledger(reading: _Reading, operations: int) -> TrafficLedger:
    notes = {
        "files": len(reading.sources),
        "processes": len(reading.logs),
        "gaps in the numbers of rows": sum(log.gaps for log in reading.logs.values()),
        "rows lost in gaps": sum(log.lost for log in reading.logs.values()),
        "salts, of which none knows the names of another": len(reading.salts) if len(reading.salts) > 1 else 0,
    }
    return TrafficLedger(
        rows=reading.lines,
        joined=operations,
        noted={name: count for name, count in notes.items() if count},
        left_out=dict(sorted(reading.left_out.items())),
    )
