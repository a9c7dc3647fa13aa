"""What a run is after it left as spans and came back, counted beside what it was."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

from memgauge.exchange.otlp.exporting import span_of, write_spans
from memgauge.exchange.otlp.importing import import_otlp
from memgauge.exchange.otlp.sighting import OtlpOptions
from memgauge.exchange.traffic.freezing import freeze_traffic
from memgauge.runs.record.store import load

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.runs.record.store import Run

_HIT: Final = ("rank", "memory", "text", "score", "version")


@dataclass(frozen=True)
class RoundTrip:
    """How much of a run is the same after it left and came back."""

    questions: int
    questions_equal: int
    """With the same conversation, outcome and number of hits."""
    rows: int
    rows_equal: int
    """Hits of the same question, rank, memory, text and score."""
    versions_equal: int
    """Hits whose memory has the same version as well."""
    spans_lost: int
    """Spans that were written and not read."""


def round_trip_figures(run: Run) -> RoundTrip:
    """Export *run* and import it again, in a folder of its own, and count what is the same."""
    with TemporaryDirectory() as scratch:
        path = Path(scratch) / "run.jsonl"
        span_count = write_spans(run, path, {})
        traffic = import_otlp([path], Path(scratch) / "traffic", OtlpOptions(texts=True))
        back = load(freeze_traffic(traffic, Path(scratch) / "runs", "again").run)
        questions_before, questions_after = (
            dict(_questions(run, renamed=True)),
            dict(_questions(back, renamed=False)),
        )
        hits_before, hits_after = dict(_hits(run, renamed=True)), dict(_hits(back, renamed=False))
        return RoundTrip(
            questions=len(questions_before),
            questions_equal=sum(questions_after.get(name) == row for name, row in questions_before.items()),
            rows=len(hits_before),
            rows_equal=sum(hits_after.get(place, ())[:-1] == row[:-1] for place, row in hits_before.items()),
            versions_equal=sum(hits_after.get(place) == row for place, row in hits_before.items()),
            spans_lost=span_count - (traffic.ledger.spans - traffic.ledger.duplicates),
        )


def _name(conversation: str, question: str, *, renamed: bool) -> str:
    return "/".join(span_of(conversation, question)) if renamed else question


def _questions(run: Run, *, renamed: bool) -> Iterator[tuple[str, tuple[Any, ...]]]:
    columns = (run.questions[name].tolist() for name in ("question", "conversation", "outcome", "returned"))
    for question, conversation, outcome, count in zip(*columns, strict=True):
        yield _name(conversation, question, renamed=renamed), (conversation, outcome, count)


def _hits(run: Run, *, renamed: bool) -> Iterator[tuple[tuple[str, int], tuple[Any, ...]]]:
    conversations = dict(
        zip(*(run.questions[name].tolist() for name in ("question", "conversation")), strict=True)
    )
    for question, hits in run.hits_of(list(conversations), run.manifest.limits.k).items():
        name = _name(conversations[question], question, renamed=renamed)
        for hit in hits:
            yield (name, hit["rank"]), tuple(hit[field] for field in _HIT)
