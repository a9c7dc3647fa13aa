"""Spans of a run that we exported, joined to the dataset that it was made on: the same lists, the same scores."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from memgauge.errors import MalformedDataError
from memgauge.exchange.otlp.drafts import content_of, score_of, spelled
from memgauge.exchange.otlp.payload import PayloadReader, SeenFiles
from memgauge.exchange.otlp.spans import spans_of
from memgauge.exchange.trace import FileLocation, Joining, TracedMemory, TracedQuestion
from memgauge.records import Form, Lineage, Outcome
from memgauge.text.jsons import json_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from memgauge.exchange.otlp.spans import TracedSpan
    from memgauge.exchange.trace import JoinedDataset

_REMEDY: Final = "Export the run again with `memgauge runs export RUN --to otlp`, or import without a dataset."


def read_otlp(path: Path, target: JoinedDataset) -> Joining:
    """Read searches by the question that they name, else by their text.

    Raises:
        MalformedDataError: The records of a search are not as they were exported.
    """
    joining = Joining(target)
    left_out = Counter[str]()
    for request in PayloadReader(SeenFiles()).requests(path):
        for span in spans_of(request, left_out, left_out):
            if span.attributes.get("gen_ai.operation.name") == "search_memory":
                _join(joining, span, path)
    joining.dropped.update(left_out)
    return joining


def _join(joining: Joining, span: TracedSpan, path: Path) -> None:
    attributes = span.attributes
    joining.saw(attributes)
    place = FileLocation(path, field=f"{span.trace}/{span.span}")
    name = spelled(attributes.get("memgauge.question"))
    text = attributes.get("gen_ai.memory.query.text")
    question = joining.find(place, name, text if isinstance(text, str) else "")
    if question is None:
        return
    error = attributes.get("error.type")
    if span.failed or error:
        outcome = Outcome.TIMEOUT if error == "timeout" else Outcome.ERROR
        joining.answers[question.id] = TracedQuestion(question.id, outcome=outcome, reason=str(error or "error"))
        return
    try:
        records = json_of(attributes.get("gen_ai.memory.records", "[]"))
        joining.answer(question, [_memory(record) for record in records])
    except (TypeError, ValueError, AttributeError) as error:
        raise MalformedDataError(f"{place}: its records cannot be read: {error}.", _REMEDY) from error


def _memory(record: Mapping[str, Any]) -> TracedMemory:
    about = record.get("metadata") or {}
    return TracedMemory(
        spelled(record.get("id")),
        content_of(record.get("content")),
        tuple(map(str, about.get("sources", ()))),
        Form(about.get("form", Form.UNKNOWN)),
        Lineage(about.get("lineage", Lineage.ABSENT)),
        score_of(record.get("score")),
    )
