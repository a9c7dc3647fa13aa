"""Records of a log: evaluations that did not travel with the span they are about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from memgauge.exchange.otlp.evaluations import EVENT, NAMELESS, SpanEvaluation, evaluation_of
from memgauge.exchange.otlp.sightings import PARTS, PartFiles, part_of, portions
from memgauge.exchange.otlp.spans import WRONG, attributes_of, emitted

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from memgauge.exchange.otlp.sightings import SightedSpan

_UNREADABLE: Final = "a record of a log that cannot be read"
_LOOSE: Final = PARTS
"""The part of what names no trace."""


class LoggedEvaluation(NamedTuple):
    """One word of a judge, and what it says about which span it means."""

    trace: str
    span: str
    response: str
    """What a model's reply is named by; it tells where no span does."""
    moment: str
    evaluation: SpanEvaluation


def logged_evaluations(
    request: Mapping[str, Any], left_out: Counter[str], noted: Counter[str], *, texts: bool
) -> Iterator[LoggedEvaluation]:
    """Yield the evaluations among the records of a log; other records are nobody's affair."""
    for resource, raws in emitted(request, ("resourceLogs", "scopeLogs", "logRecords"), left_out, noted):
        for log_record in raws:
            try:
                attributes = attributes_of(log_record.get("attributes") or (), noted)
                if EVENT not in {log_record.get("eventName"), attributes.get("event.name")}:
                    continue
                evaluation = evaluation_of(attributes, resource, texts=texts)
                trace, span = ((log_record.get(name) or "").lower() for name in ("traceId", "spanId"))
            except WRONG:
                left_out[_UNREADABLE] += 1
                continue
            if evaluation is None:
                left_out[NAMELESS] += 1
                continue
            has_span = bool(trace.strip("0") and span.strip("0"))
            response = attributes.get("gen_ai.response.id")
            yield LoggedEvaluation(
                trace if has_span else "",
                span if has_span else "",
                response if isinstance(response, str) else "",
                str(log_record.get("timeUnixNano") or ""),
                evaluation,
            )


class EvaluationSpill(PartFiles):
    """Puts evaluations where the spans of their trace are, or with those that name none."""

    def __init__(self, folder: Path, writer: int) -> None:
        """Write into *folder*, beside other writers."""
        super().__init__(folder, writer, "evaluations")

    def add(self, logged: LoggedEvaluation) -> None:
        """Put one where it will be looked for."""
        part = part_of(logged.trace) if logged.trace else _LOOSE
        self.write(part, [(*logged[:4], tuple(logged.evaluation))])


class EvaluationParts:
    """Gives evaluations back span by span, each once; memory holds one part, and those that name no trace."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.repeated = 0
        self._by_response = self._read(_LOOSE)
        self._part, self._by_span = -1, dict[str, list[SpanEvaluation]]()
        self._ahead = set(range(PARTS))
        self._some = any(folder.glob("*.evaluations"))
        self._left = 0

    def about(self, span: SightedSpan) -> list[SpanEvaluation]:
        """Return what was said of a span, or of the reply that it brought; spans come part by part."""
        if not self._some:
            return []
        part = part_of(span.home)
        if part != self._part:
            self._turn_to(part)
        return self._by_span.pop(f"{span.trace}/{span.span}", []) + self._by_response.pop(span.response, [])

    def orphans(self) -> int:
        """Count those whose span never came."""
        for part in sorted(self._ahead):
            self._turn_to(part)
        return self._left + sum(map(len, (*self._by_span.values(), *self._by_response.values())))

    def _turn_to(self, part: int) -> None:
        self._left += sum(map(len, self._by_span.values()))
        self._part, self._by_span = part, self._read(part)
        self._ahead.discard(part)

    def _read(self, part: int) -> dict[str, list[SpanEvaluation]]:
        """Read a part by what it names, each word once, in an order that no order of coming changes."""
        paths = sorted(self._folder.glob(f"{part}-*.evaluations"))
        rows = [row for path in paths for rows in portions(path) for row in rows]
        distinct_rows = sorted(set(rows), key=repr)
        self.repeated += len(rows) - len(distinct_rows)
        evaluations_by_name: dict[str, list[SpanEvaluation]] = {}
        for trace, span, response, _, evaluation in distinct_rows:
            evaluations_by_name.setdefault(f"{trace}/{span}" if trace else response, []).append(
                SpanEvaluation(*evaluation)
            )
        return evaluations_by_name
