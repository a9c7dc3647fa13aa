"""What a dialect makes of a span: an operation whose names and texts are still those of the emitter."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from memgauge.exchange.traffic.rows import TrafficKind
from memgauge.text.jsons import json_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from memgauge.exchange.otlp.spans import Attributes, TracedSpan


class DraftRecord(NamedTuple):
    """One record as an emitter spells it."""

    id: str = ""
    content: str | None = None
    score: float | None = None


@dataclass(frozen=True, slots=True)
class DraftOperation:
    """One operation as an emitter spells it."""

    kind: TrafficKind
    store: str = ""
    query: str | None = None
    asked: int | None = None
    count: int | None = None
    """Records as the emitter counts them."""
    records: tuple[DraftRecord, ...] | None = None
    """``None`` where they were not captured."""
    notes: tuple[str, ...] = ()
    """What a reader of the ledger should know."""
    unparsable: int = 0


@dataclass(frozen=True, slots=True)
class ReadRecords:
    """A list of records, as far as it could be read."""

    records: tuple[DraftRecord, ...] | None = None
    unparsable: int = 0
    notes: tuple[str, ...] = field(default=())


_MOST: Final = 1 << 63
"""What no count of 64 bits reaches."""
NO_RECORDS: Final = ReadRecords()
WITHOUT_CONTENT: Final = "a record without content"
WITHOUT_NUMBER: Final = "a score that is no finite number, left out"
_CODE: Final = re.compile(r"[\w.:/<>-]{1,120}").fullmatch


def records_of(value: Any) -> ReadRecords:
    """Read records that are a list, or a text of JSON that is one; what is neither is unknown, and counted."""
    if value is None:
        return NO_RECORDS
    if isinstance(value, str):
        try:
            value = json_of(value)
        except ValueError:
            return ReadRecords(unparsable=1)
    try:
        records = tuple(map(_record, value)) if isinstance(value, list) else None
    except AttributeError:  # one is no object
        records = None
    if records is None:
        return ReadRecords(unparsable=1)
    unread_scores = sum(
        record.score is None and raw.get("score") is not None for raw, record in zip(value, records, strict=True)
    )
    without_content = sum(record.content is None for record in records)
    return ReadRecords(records, notes=(WITHOUT_CONTENT,) * without_content + (WITHOUT_NUMBER,) * unread_scores)


def is_code(text: str) -> bool:
    """Whether a text is what a program calls something, and no sentence, in which somebody may be named."""
    return _CODE(text) is not None


def _record(value: Mapping[str, Any]) -> DraftRecord:
    name, content, score = value.get("id"), value.get("content"), value.get("score")
    return DraftRecord(
        name if type(name) is str else spelled(name),  # as nearly all are
        content if type(content) is str else content_of(content),
        None if score is None else score_of(score),
    )


def spelled(value: Any) -> str:
    """Spell an identifier, which is a text or a number; anything else is none."""
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else ""


def content_of(value: Any) -> str | None:
    """Return what a record says: a text as it is, anything else as canonical JSON."""
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def score_of(value: Any) -> float | None:
    """Return a score that is a finite number; anything else is none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def count_of(attributes: Attributes, *names: str) -> int | None:
    """Return the first of some attributes that is a count."""
    for name in names:
        value = attributes.get(name)
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _MOST:
            return value
    return None


def text_of(attributes: Attributes, *names: str) -> str | None:
    """Return the first of some attributes that is a text."""
    for name in names:
        if isinstance(value := attributes.get(name), str):
            return value
    return None


def name_of(attributes: Attributes, *names: str) -> str:
    """Return the first of some attributes that names something, as a text."""
    for name in names:
        value = attributes.get(name)
        if value is not None and (text := spelled(value)):
            return text
    return ""


def deletion(ids: Iterable[str]) -> tuple[TrafficKind, tuple[DraftRecord, ...]]:
    """Tell a deletion of records from that of everything, which names none."""
    records = tuple(DraftRecord(name) for name in ids if name)
    return (TrafficKind.DELETE, records) if records else (TrafficKind.WIPE, ())


def events_named(span: TracedSpan, *names: str) -> list[Attributes]:
    """Return the attributes of all events of some names, in their order."""
    return [event.attributes for event in span.events if event.name in names]
