"""Labelled failures as traces: what was written, removed and asked, in the fewest lines that tell the failure.

The lines are those that `memgauge study golden capture` reads, which scrubs them, makes them smaller still, and
proves that the build fails and a correct memory passes. Slots have no names in production: what failed is called
by a word of its question.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from memgauge.studies.production.faults import GRACES, LAST, ReturnFaults
from memgauge.studies.production.seen import SeenChanges
from memgauge.studies.production.telling import naming_word, other_part, telling_part

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from memgauge.exchange.traffic.reading import Traffic
    from memgauge.studies.production.arrays import TrafficArrays

    Integers = NDArray[np.int64]
    TraceRow = dict[str, Any]

_TOPIC: Final = "topic"
"""What failed is called where its question has no word for it, which is then added."""
_MEANWHILE: Final = ("maintenance", "restart", "reingest")
"""What no trace shows and may bring back what was removed; the case that is made keeps what matters."""
_NOBODY: Final = "somebody"


class FailureKind(StrEnum):
    """What was wrong with a list."""

    LEAKED = "leaked"
    DELETED = "deleted"
    STALE = "stale"
    WRONG = "wrong"
    """Somebody said that what was asked for is not there; what is there is no answer."""


@dataclass(frozen=True)
class CapturedFailure:
    """One failure as a trace."""

    question: str
    row: int
    kind: FailureKind
    lines: tuple[TraceRow, ...]


class FailureCapture:
    """Finds what was wrong with a search, and tells it in the words that were recorded."""

    def __init__(self, traffic: Traffic, arrays: TrafficArrays) -> None:
        """Look for faults in *traffic*, behind the longest grace."""
        self._traffic, self._arrays = traffic, arrays
        self._changes, self._hits, self._written = SeenChanges(arrays), arrays.hits, arrays.written
        faults, grace = ReturnFaults(self._changes, self._hits), GRACES[LAST]
        self._masks = {
            FailureKind.LEAKED: faults.leaked,
            FailureKind.DELETED: faults.deleted(grace),
            FailureKind.STALE: faults.stale(grace),
        }

    def of(self, question: str, row: int) -> CapturedFailure | str:
        """Tell the failure of the search in *row*; a text says why that cannot be done."""
        places = np.flatnonzero(self._hits.operation == row)
        if not len(places):
            return "nothing came back, so that there is nothing to forbid"
        kind, place = next(
            ((kind, int(at)) for kind, mask in self._masks.items() for at in places[mask[places]]),
            (FailureKind.WRONG, int(places[0])),
        )
        text = self._text(int(self._hits.operation[place]), int(self._hits.rank[place]))
        query = self._asked(row)
        if not text or not query["text"]:
            return "its texts were not recorded"
        tell = {
            FailureKind.LEAKED: self._leak,
            FailureKind.DELETED: self._deletion,
            FailureKind.STALE: self._replacement,
            FailureKind.WRONG: self._wrong,
        }[kind]
        lines = tell(place, text, query)
        return CapturedFailure(question, row, kind, tuple(lines)) if lines else "its writes were not recorded"

    def _replacement(self, place: int, text: str, query: TraceRow) -> list[TraceRow]:
        writes = self._writes(place)
        older = writes[self._written.text[writes] == self._hits.text[place]]
        newer = self._written_text(writes[-1:])
        if not len(older) or not newer:
            return []
        was, now = other_part(text, newer)
        statement = self._said(older[-1], text, query["about"], was)
        return [
            statement,
            self._said(writes[-1], newer, query["about"], now),
            query | {"returned": [text], "expected": [now]},
        ]

    def _deletion(self, place: int, text: str, query: TraceRow) -> list[TraceRow]:
        value = telling_part(text, query["text"])
        removed_at, alone = self._removal(place)
        statement = {
            "op": "say",
            "text": text,
            "sets": {query["about"]: value},
            "user": query["user"],
            "at": _moment(removed_at - 2),
        }
        earlier_query = query | {"at": _moment(removed_at - 1), "returned": [text], "expected": [value]}
        erasure = {"op": "erase", "user": query["user"], "at": _moment(removed_at)} | (
            {"slot": query["about"]} if alone else {}
        )
        meanwhile = [{"op": op, "user": query["user"], "at": erasure["at"]} for op in _MEANWHILE]
        return [statement, earlier_query, erasure, *meanwhile, query | {"returned": [text]}]

    def _leak(self, place: int, text: str, query: TraceRow) -> list[TraceRow]:
        writes = self._writes(place)
        if not len(writes):
            places = np.flatnonzero(self._written.text == self._hits.text[place])
            writes = self._until(places, int(self._hits.operation[place]))
        if not len(writes):
            return []
        value = telling_part(text, query["text"])
        statement = self._said(writes[-1], text, query["about"], value)
        own_query = query | {"user": statement["user"], "returned": [text], "expected": [value]}
        return [statement, own_query, query | {"returned": [text]}]

    def _wrong(self, place: int, text: str, query: TraceRow) -> list[TraceRow]:
        value = telling_part(text, query["text"])
        writes = self._writes(place)
        at = _moment(int(self._arrays.ended[self._written.operation[writes[-1]]])) if len(writes) else query["at"]
        subject = naming_word(text.replace(value, ""), query["text"]) or "other"
        statement = {"op": "say", "text": text, "sets": {subject: value}, "user": query["user"], "at": at}
        own_query = query | {"text": f"What was said of {subject}?", "about": subject}
        return [statement, own_query | {"returned": [text], "expected": [value]}, query | {"returned": [text]}]

    def _writes(self, place: int) -> Integers:
        """Return the places of the writes of a hit's memory before it was returned, in their order."""
        places = np.flatnonzero(self._written.memory == self._hits.memory[place])
        return self._until(places, int(self._hits.operation[place]))

    def _until(self, places: Integers, row: int) -> Integers:
        ends = self._arrays.ended[self._written.operation[places]]
        order = np.argsort(ends, kind="stable")
        within: Integers = places[order][ends[order] <= self._arrays.began[row]]
        return within

    def _removal(self, place: int) -> tuple[int, bool]:
        """Return when a hit's memory was removed, and whether by its name alone and not with everything else."""
        arrays, row = self._arrays, int(self._hits.operation[place])
        at, memory = np.array([row]), self._hits.memory[place]
        earlier = np.flatnonzero(arrays.ended <= arrays.began[row])
        deletes = arrays.removed.operation[arrays.removed.memory == memory]
        by_name = int(arrays.ended[np.intersect1d(deletes, earlier)].max(initial=-1))
        removed_at = int(self._changes.removed(self._hits.memory[place : place + 1], at, arrays.began[at])[0])
        return removed_at, by_name >= removed_at

    def _said(self, place: Any, text: str, slot: str, value: str) -> TraceRow:
        row = int(self._written.operation[place])
        operation = self._traffic.operations("scope", "ended_ns", rows=(row, row + 1))
        whose = {"user": str(operation["scope"][0]) or _NOBODY, "at": _moment(int(operation["ended_ns"][0]))}
        return {"op": "say", "text": text, "sets": {slot: value}} | whose

    def _asked(self, row: int) -> TraceRow:
        operation = self._traffic.operations("scope", "began_ns", "query", rows=(row, row + 1))
        whose = {"user": str(operation["scope"][0]) or _NOBODY, "at": _moment(int(operation["began_ns"][0]))}
        query = operation["query"][0] or ""
        slot = naming_word(query)
        words = query if slot or not query else f"{query} ({_TOPIC})"
        return {"op": "ask", "text": words, "about": slot or _TOPIC} | whose

    def _written_text(self, places: Integers) -> str | None:
        (place,) = places.tolist()
        return self._text(int(self._written.operation[place]), int(self._written.rank[place]))

    def _text(self, row: int, rank: int) -> str | None:
        records = self._traffic.records("rank", "text", rows=(row, row + 1))
        return next((text for at, text in zip(records["rank"], records["text"], strict=True) if at == rank), None)


def _moment(ns: int) -> str:
    """Write a time as traces have it, to the second: what they keep of it is a distance of minutes."""
    return datetime.fromtimestamp(ns // 10**9, UTC).isoformat()
