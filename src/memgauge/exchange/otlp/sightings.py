"""Spans on their way through the disk: reduced to what is needed, under pseudonyms, parted by trace.

All spans of a trace come to lie in one part, whatever file and line they came from, so that parents may come after
their children and a part is all that memory has to hold.
"""

from __future__ import annotations

import marshal
import zlib
from contextlib import ExitStack
from itertools import chain
from operator import itemgetter
from typing import TYPE_CHECKING, Any, BinaryIO, Final, NamedTuple, Self, TypeAlias

from memgauge.exchange.otlp.facts import SpanFacts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

PARTS: Final = 128
CONTRADICTING: Final = "a span with the id of another one, which it contradicts"
_PORTION: Final = 8
"""Spans of a part that wait to be written together."""


class SightedSpan(NamedTuple):
    """What is kept of a span."""

    home: str
    """The trace that its parent is in: its own, unless it says that another one caused it."""
    trace: str
    span: str
    parent: str
    richness: int
    """How many attributes it has: of two copies the richer one is kept."""
    tenant: str
    resource_user: str
    facts: SpanFacts
    operations: tuple[dict[str, Any], ...]
    """Each with its ``records``; empty for a span that is none."""
    dialect: str
    dropped: bool
    remark: tuple[str, str]
    """A column of the ledger and what to count there, for a span that is no operation but worth a word."""
    notes: tuple[str, ...]
    service: str = ""
    model: str = ""
    answered: tuple[int, bytes] = (0, b"")
    """When a model had answered, and its words as numbers where they were captured; 0 of a span of no model."""
    response: str = ""
    """What the convention names the reply by that a call of a model brought."""
    evaluations: tuple[tuple[Any, ...], ...] = ()
    """Rows of :class:`~memgauge.exchange.otlp.evaluations.SpanEvaluation` that are events of it."""


def part_of(trace: str) -> int:
    """Say in which part the spans of a trace lie."""
    return zlib.crc32(trace.encode("utf-8", "replace")) % PARTS


class PartFiles:
    """The files that one of several writers makes in a folder: one a part, opened when something goes there."""

    def __init__(self, folder: Path, writer: int, kind: str) -> None:
        self._folder, self._name, self._stack = folder, f"{writer}.{kind}", ExitStack()
        self._files: dict[int, BinaryIO] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def write(self, part: int, rows: list[tuple[Any, ...]]) -> None:
        """Put rows of plain values into a part, with how long they are before them."""
        if part not in self._files:
            path = self._folder / f"{part}-{self._name}"
            self._files[part] = self._stack.enter_context(path.open("wb"))
        data = marshal.dumps(rows)
        self._files[part].write(len(data).to_bytes(8) + data)


class SpanSpill(PartFiles):
    """Takes spans in any order, and puts each where the others of its trace are."""

    def __init__(self, folder: Path, writer: int) -> None:
        """Write into *folder*, beside other writers."""
        super().__init__(folder, writer, "spans")
        self._waiting: list[list[SightedSpan]] = [[] for _ in range(PARTS)]

    def __exit__(self, *error: object) -> None:
        for part in range(PARTS):
            self._flush(part)
        super().__exit__(*error)

    def add(self, span: SightedSpan) -> None:
        """Put a span where the others of its trace are."""
        part = part_of(span.home)
        self._waiting[part].append(span)
        if len(self._waiting[part]) >= _PORTION:
            self._flush(part)

    def _flush(self, part: int) -> None:
        if spans := self._waiting[part]:
            self.write(part, list(map(_plain, spans)))
            spans.clear()


class SpanParts:
    """Gives spans back trace by trace."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.duplicates = 0
        self.contradicting = 0
        """Spans that bear the id of another one and are no copy of it; the richest counts."""

    def traces(self) -> Iterator[list[SightedSpan]]:
        """Yield the spans of every trace, of copies the richest, in an order that no order of coming changes."""
        parts: dict[int, list[Path]] = {}
        for path in sorted(self._folder.glob("*.spans")):
            parts.setdefault(int(path.name.partition("-")[0]), []).append(path)
        for _, paths in sorted(parts.items()):
            for _, spans in sorted(self._part(paths).items(), key=itemgetter(0)):
                yield [_sighted(row) for _, row in sorted(spans.items(), key=itemgetter(0))]
            for path in paths:
                path.unlink()

    def _part(self, paths: Sequence[Path]) -> dict[str, dict[tuple[str, str], tuple[Any, ...]]]:
        traces: dict[str, dict[tuple[str, str], tuple[Any, ...]]] = {}
        poorer: list[tuple[str, tuple[str, str], _SpanClaim]] = []
        for row in chain.from_iterable(chain.from_iterable(map(portions, paths))):
            spans = traces.setdefault(row[0], {})
            key = row[1], row[2]
            if (twin := spans.get(key)) is not None:
                is_poorer = (row[4], repr(row)) <= (twin[4], repr(twin))
                poorer.append((row[0], key, _claimed(row if is_poorer else twin)))
                if is_poorer:
                    continue
            spans[key] = row
        strange = sum(_contradict(claim, _claimed(traces[trace][key])) for trace, key, claim in poorer)
        self.contradicting += strange
        self.duplicates += len(poorer) - strange
        return traces


_SpanClaim: TypeAlias = "tuple[tuple[Any, ...], ...]"


def _claimed(row: Sequence[Any]) -> _SpanClaim:
    """Return what no copy of a span says otherwise: what its operations are, when, whose, and what was asked."""
    span = _sighted(row)
    claims = (
        (each["operation"], each["fields"]["began_ns"], each["fields"]["query_hash"]) for each in span.operations
    )
    return tuple((*claim, span.facts.names[0] or span.resource_user) for claim in claims)


def _contradict(first: _SpanClaim, second: _SpanClaim) -> bool:
    """Whether two spans of one id differ in what both of them say; copies may lack some of it."""
    if len(first) != len(second):
        return bool(first and second)
    values = zip(chain.from_iterable(first), chain.from_iterable(second), strict=True)
    return any(mine and others and mine != others for mine, others in values)


def _plain(span: SightedSpan) -> tuple[Any, ...]:
    """Spell a span in tuples and dictionaries alone."""
    return (*span[:7], tuple(span[7]), *span[8:])


def _sighted(row: Sequence[Any]) -> SightedSpan:
    return SightedSpan._make((*row[:7], SpanFacts._make(row[7]), *row[8:]))


def portions(path: Path) -> Iterator[list[tuple[Any, ...]]]:
    """Read what we wrote a moment ago, which JSON would take longer for than all the rest."""
    with path.open("rb") as file:
        while size := file.read(8):
            yield marshal.loads(file.read(int.from_bytes(size)))  # noqa: S302 - nobody else can write to the folder
