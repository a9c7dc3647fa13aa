"""Spans on their way through the disk: reduced to what is needed, under pseudonyms, parted by trace.

All spans of a trace come to lie in one part, whatever file and line they came from, so that parents may come after
their children and a part is all that memory has to hold.
"""

from __future__ import annotations

import json
import zlib
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self

from memgauge.exchange.otlp.facts import SpanFacts
from memgauge.text.jsons import json_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_PARTS: Final = 128
_PORTION: Final = 1 << 16
"""Characters of a part that wait to be written."""
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False).encode


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


class SpanParts:
    """Takes spans in any order, and gives them back trace by trace."""

    def __init__(self, folder: Path) -> None:
        self._stack = ExitStack()
        self._paths = [folder / f"{number}.jsonl" for number in range(_PARTS)]
        self._files = [self._stack.enter_context(path.open("wb")) for path in self._paths]
        self._waiting: list[list[str]] = [[] for _ in range(_PARTS)]
        self._sizes = [0] * _PARTS
        self.duplicates = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def add(self, span: SightedSpan) -> None:
        """Put a span where the others of its trace are."""
        part = zlib.crc32(span.home.encode()) % _PARTS
        line = _encode(span)
        self._waiting[part].append(line)
        self._sizes[part] += len(line)
        if self._sizes[part] > _PORTION:
            self._flush(part)

    def traces(self) -> Iterator[list[SightedSpan]]:
        """Yield the spans of every trace, of copies the richest, in an order that no order of coming changes."""
        for part, path in enumerate(self._paths):
            self._flush(part)
            self._files[part].close()
            for _, spans in sorted(self._part(path).items()):
                yield [_sighted(row) for _, row in sorted(spans.items())]
            path.unlink()

    def _part(self, path: Path) -> dict[str, dict[tuple[str, str], list[Any]]]:
        traces: dict[str, dict[tuple[str, str], list[Any]]] = {}
        with path.open("rb") as lines:
            for line in lines:
                row = json_of(line)
                spans = traces.setdefault(row[0], {})
                key = row[1], row[2]
                if (other := spans.get(key)) is not None:
                    self.duplicates += 1
                    if (row[4], _encode(row)) <= (other[4], _encode(other)):
                        continue
                spans[key] = row
        return traces

    def _flush(self, part: int) -> None:
        if lines := self._waiting[part]:
            self._files[part].write(("\n".join(lines) + "\n").encode("utf-8", "replace"))
            lines.clear()
            self._sizes[part] = 0


def _sighted(row: list[Any]) -> SightedSpan:
    row[7] = SpanFacts(*row[7])
    return SightedSpan(*row)
