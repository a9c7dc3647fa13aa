"""What somebody's judge said of spans, by the event of the convention: beside what was recorded, never gold."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from memgauge.errors import MalformedDataError
from memgauge.exchange.otlp.drafts import name_of, score_of, text_of
from memgauge.exchange.otlp.facts import service_of
from memgauge.refusals import naming
from memgauge.text.jsons import json_lines

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from memgauge.exchange.otlp.spans import Attributes, SpanResource, TracedSpan

EVENT: Final = "gen_ai.evaluation.result"
FILE: Final = "evaluations.jsonl"
"""The file beside the tables of traffic."""
NAMELESS: Final = "an evaluation without a name"
JOINED: Final = "an evaluation by somebody's judge, kept beside"
ORPHANED: Final = "an evaluation whose span was never seen"
REPEATED: Final = "an evaluation that came twice"


class SpanEvaluation(NamedTuple):
    """One word of a judge."""

    judge: str
    """Who wrote it: the library, else the service; the convention has no other name for a judge."""
    name: str
    value: float | None
    label: str
    explanation: str | None
    """``None`` without the consent to keep texts."""
    error: str


class JudgedSpan(NamedTuple):
    """One word of a judge, and which span it is about."""

    span: str
    """Its trace and span: the name of a question, where it is a search."""
    evaluation: SpanEvaluation


def evaluation_of(attributes: Attributes, resource: SpanResource, *, texts: bool) -> SpanEvaluation | None:
    """Read the attributes of an event; ``None`` where nothing says what was evaluated."""
    name = name_of(attributes, "gen_ai.evaluation.name")
    if not name:
        return None
    return SpanEvaluation(
        judge=resource.library or service_of(resource) or "unknown",
        name=name,
        value=score_of(attributes.get("gen_ai.evaluation.score.value")),
        label=name_of(attributes, "gen_ai.evaluation.score.label"),
        explanation=text_of(attributes, "gen_ai.evaluation.explanation") if texts else None,
        error=name_of(attributes, "error.type"),
    )


def span_evaluations(span: TracedSpan, left_out: Counter[str], *, texts: bool) -> tuple[SpanEvaluation, ...]:
    """Read the evaluations among the events of a span."""
    evaluations = [
        evaluation_of(event.attributes, span.resource, texts=texts) for event in span.events if event.name == EVENT
    ]
    left_out[NAMELESS] += evaluations.count(None)
    return tuple(evaluation for evaluation in evaluations if evaluation is not None)


def write_evaluations(path: Path, judged_spans: Iterable[JudgedSpan]) -> int:
    """Write a line for each word of a judge; no file where there is none. Return how many there are.

    Raises:
        OSError: There is no room.
    """
    number = 0
    with naming(path), path.open("w", encoding="utf-8", errors="replace") as file:
        for span, evaluation in judged_spans:
            number += 1
            file.write(json.dumps({"of": span} | evaluation._asdict(), ensure_ascii=False) + "\n")
    if not number:
        path.unlink()
    return number


def read_evaluations(path: Path) -> Iterator[JudgedSpan]:
    """Read what was written; nothing where there is no file.

    Raises:
        MalformedDataError: A line is no such word; its place is named.
    """
    remedy = "Import the spans again into another folder."
    for number, line in json_lines(path, remedy) if path.is_file() else ():
        row: dict[str, Any] = dict(line) if isinstance(line, dict) else {}
        span = row.pop("of", None)
        is_evaluation = isinstance(span, str) and set(row) == set(SpanEvaluation._fields)
        if (
            not is_evaluation
            or not isinstance(row["name"], str)
            or not isinstance(row["value"], float | int | None)
        ):
            raise MalformedDataError(f"{path}:{number}: this is no evaluation.", remedy)
        yield JudgedSpan(str(span), SpanEvaluation(**row))
