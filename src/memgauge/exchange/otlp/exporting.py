"""A run as spans of the convention, so that any backend shows it, and so that it can be imported again.

A run keeps no clock but how long every call took: times are invented, one call after the other, and say so.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import defaultdict, deque
from typing import TYPE_CHECKING, Any, Final

from memgauge.exchange.traffic.rows import TrafficKind
from memgauge.records import Form, Outcome
from memgauge.refusals import naming

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from memgauge.runs.record.store import Run

    Evaluations = Mapping[str, Mapping[str, float | None]]
    """By question: the values of measures by their names."""

START_NS: Final = 946_684_800_000_000_000
"""When the first call of every exported run began: the year 2000, which nobody takes for a time of the day."""
_NAMED: Final = re.compile(r"([0-9a-f]{32})/([0-9a-f]{16})").fullmatch
_REMOVALS: Final = {
    str(TrafficKind.DELETE): "delete_memory",
    str(TrafficKind.WIPE): "delete_memory",
    str(TrafficKind.DROP_STORE): "delete_memory_store",
}
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode


def span_of(conversation: str, question: str) -> tuple[str, str]:
    """Name the trace and the span of a search; those of an imported trace keep their names."""
    if match := _NAMED(question):
        return match[1], match[2]
    return _hex(32, "trace", conversation), _hex(16, "search", conversation, question)


def write_spans(run: Run, path: Path, evaluations: Evaluations) -> int:
    """Write every conversation of *run* as one request a line; return how many spans there are.

    Raises:
        OSError: There is no room.
    """
    questions_by_conversation: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in run.asked():
        questions_by_conversation[row["conversation"]].append(row)
    number = 0
    path.parent.mkdir(parents=True, exist_ok=True)
    with naming(path), path.open("w", encoding="utf-8", errors="replace") as file:
        for conversation, questions in questions_by_conversation.items():
            spans = list(_ConversationSpans(run, conversation).spans(questions, evaluations))
            file.write(_encode(_request(run, spans)) + "\n")
            number += len(spans)
    return number


class _ConversationSpans:
    """The spans of one conversation, one after the other."""

    def __init__(self, run: Run, conversation: str) -> None:
        self._run, self._conversation = run, conversation
        self._traced = run.manifest.system.ref == "imported:otlp"
        self._now = START_NS
        self._root = _hex(16, "root", conversation)

    def spans(self, questions: Sequence[Mapping[str, Any]], evaluations: Evaluations) -> Iterator[dict[str, Any]]:
        """Yield what was written and what was asked, then the run that holds them.

        A run of the harness asks when everything is written; one of a trace, when it was asked.
        """
        hits = self._run.hits_of([row["question"] for row in questions], self._run.manifest.limits.k)
        writes = deque(self._writes())
        for row in questions:
            while writes and writes[0][0] <= (row["asked_at"] or ""):
                yield self._write(len(writes), *writes.popleft()[1:])
            yield self._search(row, hits[row["question"]], evaluations.get(row["question"], {}))
        while writes:
            yield self._write(len(writes), *writes.popleft()[1:])
        agent = {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.agent.name": self._run.label,
            "gen_ai.conversation.id": self._conversation,
            "user.id": self._conversation,
        }
        trace = _hex(32, "trace", self._conversation)
        yield _span(trace, self._root, "", "invoke_agent", (START_NS, self._now), agent)

    def _writes(self) -> Iterator[tuple[str, Mapping[str, Any], Sequence[Mapping[str, Any]]]]:
        """Yield when every write was, what it was, and the versions that it made; what nobody made comes last."""
        writes = [row for row in self._run.writes_in([self._conversation]) if row["kind"] == "write"]
        versions_by_write, unwritten = _made(writes, self._run.written_versions([self._conversation]))
        when = ""
        for number, write in enumerate(writes):
            if self._traced:
                when = max(when, *(version["stored_at"] or "" for version in versions_by_write[number]), "")
            yield when, write, versions_by_write[number]
        if unwritten:
            yield when, {"outcome": "ok", "reason": "", "ms": None, "changed": []}, unwritten

    def _write(
        self, number: int, write: Mapping[str, Any], versions: Sequence[Mapping[str, Any]]
    ) -> dict[str, Any]:
        removal = _REMOVALS.get(write["reason"] or "")
        operation = removal or "upsert_memory"
        records = [_record(version) for version in versions]
        attributes: dict[str, Any] = {
            "gen_ai.operation.name": operation,
            "gen_ai.memory.store.id": self._store(versions),
            "user.id": self._conversation,
        }
        if removal and write["reason"] == TrafficKind.DELETE:
            records = [{"id": memory} for memory in write["changed"] or ()]
        if records:
            attributes |= {"gen_ai.memory.records": _encode(records), "gen_ai.memory.record.count": len(records)}
        outcome, reason = Outcome(write["outcome"]), "" if removal else write["reason"] or ""
        name = _hex(16, "write", self._conversation, str(number))
        trace = _hex(32, "trace", self._conversation)
        return _span(
            trace, name, self._root, operation, self._takes(write["ms"]), attributes | _failed(outcome, reason)
        )

    def _search(
        self, row: Mapping[str, Any], hits: Sequence[Mapping[str, Any]], values: Mapping[str, float | None]
    ) -> dict[str, Any]:
        outcome = Outcome(row["outcome"])
        attributes: dict[str, Any] = {
            "gen_ai.operation.name": "search_memory",
            "gen_ai.memory.store.id": self._store(hits),
            "gen_ai.request.top_k": self._run.manifest.limits.k,
            "user.id": self._conversation,
            "memgauge.question": row["question"],
        }
        if outcome.valid:
            records = [_record(hit) | ({} if hit["score"] is None else {"score": hit["score"]}) for hit in hits]
            attributes |= {"gen_ai.memory.records": _encode(records), "gen_ai.memory.record.count": len(records)}
        trace, name = span_of(self._conversation, row["question"])
        parent = self._root if trace == _hex(32, "trace", self._conversation) else ""
        times = self._takes(row["ms"])
        attributes |= _failed(outcome, row["reason"] or "")
        span = _span(trace, name, parent, "search_memory", times, attributes)
        return span | {"events": [_evaluated(times[1], *evaluation) for evaluation in values.items()]}

    def _store(self, records: Sequence[Mapping[str, Any]]) -> str:
        """Name the store: that of the trace, or the conversation, for each has a store of its own in a run."""
        return (records[0]["channel"] if records else "") if self._traced else self._conversation

    def _takes(self, ms: float | None) -> tuple[int, int]:
        """Return when the next call begins and ends."""
        began = self._now
        self._now = began + (round(ms * 1e6) if ms is not None and ms == ms else 0) + 1  # noqa: PLR0124 - NaN
        return began, self._now


def _made(
    writes: Sequence[Mapping[str, Any]], versions: Sequence[Mapping[str, Any]]
) -> tuple[dict[int, list[Mapping[str, Any]]], list[Mapping[str, Any]]]:
    """Say which write made which versions: the one that says so, else the one of their last source; and the rest.

    A later version never comes of an earlier write.
    """
    changing: defaultdict[str, list[int]] = defaultdict(list)
    writing: dict[str, int] = {}
    for number, write in enumerate(writes):
        for memory in () if write["reason"] in _REMOVALS else write["changed"] or ():
            changing[memory].append(number)
        writing |= dict.fromkeys(write["turns"] or (), number)
    versions_by_write: defaultdict[int, list[Mapping[str, Any]]] = defaultdict(list)
    unwritten: list[Mapping[str, Any]] = []
    latest_write: defaultdict[str, int] = defaultdict(int)
    for version in versions:
        memory, nth = version["memory"], version["version"] - 1
        changes = changing[memory]
        source_writes = [writing[turn] for turn in version["sources"] if turn in writing]
        number = (
            changes[min(max(nth, 0), len(changes) - 1)] if changes else max(source_writes, default=len(writes))
        )
        number = latest_write[memory] = max(number, latest_write[memory])
        if version["version"] == 0:  # its write was never seen
            continue
        if number == len(writes):
            unwritten.append(version)
        else:
            versions_by_write[number].append(version)
    return versions_by_write, unwritten


def _record(row: Mapping[str, Any]) -> dict[str, Any]:
    metadata = {"form": str(Form(row["form"])), "sources": list(row["sources"]), "lineage": row["lineage"]}
    content = {} if row["text"] is None else {"content": row["text"]}
    return {"id": row["memory"], **content, "metadata": metadata}


def _failed(outcome: Outcome, reason: str) -> dict[str, Any]:
    if outcome.valid or outcome is Outcome.EXCLUDED:
        return {}
    return {"error.type": "timeout" if outcome is Outcome.TIMEOUT else reason.partition(":")[0] or str(outcome)}


def _evaluated(at_ns: int, name: str, value: float | None) -> dict[str, Any]:
    score = {} if value is None else {"gen_ai.evaluation.score.value": float(value)}
    attributes = {"gen_ai.evaluation.name": name, **score}
    return {
        "timeUnixNano": str(at_ns),
        "name": "gen_ai.evaluation.result",
        "attributes": [_attribute(*item) for item in attributes.items()],
    }


def _request(run: Run, spans: list[dict[str, Any]]) -> dict[str, Any]:
    whose = {"service.name": run.label, "memgauge.run": run.manifest.id, "memgauge.clock": "invented"}
    scope = {"scope": {"name": "memgauge"}, "spans": spans}
    resource = {"attributes": [_attribute(*item) for item in whose.items()]}
    return {"resourceSpans": [{"resource": resource, "scopeSpans": [scope]}]}


def _span(
    trace: str, name: str, parent: str, operation: str, times: tuple[int, int], attributes: Mapping[str, Any]
) -> dict[str, Any]:
    span = {
        "traceId": trace,
        "spanId": name,
        "name": operation,
        "kind": 3 if parent else 1,
        "startTimeUnixNano": str(times[0]),
        "endTimeUnixNano": str(times[1]),
        "attributes": [_attribute(*item) for item in attributes.items() if item[1] != ""],
        "status": {"code": 2} if "error.type" in attributes else {},
    }
    return span | ({"parentSpanId": parent} if parent else {})


def _attribute(key: str, value: Any) -> dict[str, Any]:
    kinds = {str: "stringValue", int: "intValue", float: "doubleValue"}
    return {"key": key, "value": {kinds[type(value)]: str(value) if isinstance(value, int) else value}}


def _hex(digits: int, *parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:digits]
