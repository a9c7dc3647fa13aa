"""From a span to what is kept of it: an operation by its dialect, its outcome, its records as pseudonyms."""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from memgauge.exchange.otlp import dialects
from memgauge.exchange.otlp.answers import answer_of, model_of, words_of
from memgauge.exchange.otlp.dialects import DIALECTS, shape_of
from memgauge.exchange.otlp.drafts import is_code, name_of
from memgauge.exchange.otlp.evaluations import span_evaluations
from memgauge.exchange.otlp.facts import USER, facts_of, service_of, tenant_of
from memgauge.exchange.otlp.sightings import SightedSpan
from memgauge.exchange.traffic.rows import TrafficKind, outcome_of_failure
from memgauge.records import Outcome
from memgauge.text.pseudonyms import Pseudonyms
from memgauge.text.tokens import count_tokens

if TYPE_CHECKING:
    from collections import Counter

    from memgauge.exchange.otlp.drafts import DraftOperation, DraftRecord
    from memgauge.exchange.otlp.payload import SeenFiles
    from memgauge.exchange.otlp.spans import SpanResource, TracedSpan

_SAMPLED: Final = re.compile(r"(?:^|,)ot=[^,]*\bth:([0-9a-f]{1,14})").search
_PARENT: Final = "memory.parent.trace_id", "memory.parent.span_id"
_RESPONSE: Final = "gen_ai.response.id"
_MOST_NAMES: Final = 1000
_MOST_SHAPES: Final = 10_000
_UNNAMED: Final = "(a span without a name)"
_SENTENCE: Final = "(a span whose name is a sentence)"
_WORDY: Final = "an error whose type is a sentence, left out"
_NO_REMARK: Final = "", ""


@dataclass(frozen=True, slots=True)
class OtlpOptions:
    """How spans are read."""

    pseudonyms: Pseudonyms = field(default_factory=Pseudonyms)
    texts: bool = False
    """Whether queries and contents are kept beside their hashes."""
    scope_from: tuple[str, ...] = USER
    """Attributes that name the user, the first one first."""
    dialects: tuple[str, ...] = ()
    """Only these; all without any."""
    answers: bool = True
    """Whether any file may hold an answer that records are compared with."""

    @property
    def salt(self) -> int:
        """Return what words are made numbers with, which leave the disk with the spans."""
        return zlib.crc32(self.pseudonyms.name("words", "salt").encode())


class Sighter:
    """Reads spans in all dialects, and notes who wrote them."""

    def __init__(self, options: OtlpOptions, seen_files: SeenFiles) -> None:
        self._options, self._seen = options, seen_files
        self._readers = [(name, DIALECTS.get(name)) for name in (options.dialects or tuple(DIALECTS.names()))]
        self._ours = all(reader.__module__.startswith(dialects.__name__) for _, reader in self._readers)
        self._strange: dict[tuple[object, ...], str] = {}
        """Shapes that no dialect knows, with the name of those that look like memory."""
        self._last: tuple[SpanResource | None, str, str, str] = None, "", "", ""
        self._salt = options.salt

    def sight(self, span: TracedSpan) -> SightedSpan:
        """Reduce a span to what is kept of it."""
        dialect, drafts = self._read(span)
        operations: tuple[dict[str, Any], ...] = ()
        notes: tuple[str, ...] = ()
        remark = _NO_REMARK
        if isinstance(drafts, tuple):
            operation_notes = [_operation(draft, span, self._options, self._salt) for draft in drafts]
            operations, notes = (
                tuple(row for row, _ in operation_notes),
                tuple(note for _, draft_notes in operation_notes for note in draft_notes),
            )
        elif drafts:
            remark = ("noted", drafts) if dialect else ("unknown", drafts)
        if span.sampling and (match := _SAMPLED(span.sampling)):
            self._seen.thresholds[match[1]] += 1
        home, parent = _parent(span)
        tenant, resource_user, service = self._resource(span.resource)
        answer, model = "" if operations else answer_of(span), model_of(span)
        answers = not operations and bool(answer or model)
        evaluations = span_evaluations(span, self._seen.left_out, texts=self._options.texts) if span.events else ()
        return SightedSpan(
            home=home,
            trace=span.trace,
            span=span.span,
            parent=parent,
            richness=_richness(span),
            tenant=tenant,
            resource_user=resource_user,
            facts=facts_of(span.attributes, self._options.pseudonyms, self._options.scope_from),
            operations=operations,
            dialect=dialect,
            dropped=bool(operations) and span.dropped > 0,
            remark=remark,
            notes=notes,
            service=service,
            model=model,
            answered=(span.ended_ns, words_of(answer, self._salt) if answer else b"") if answers else (0, b""),
            response=name_of(span.attributes, _RESPONSE) if _RESPONSE in span.attributes else "",
            evaluations=tuple(map(tuple, evaluations)),
        )

    def _read(self, span: TracedSpan) -> tuple[str, tuple[DraftOperation, ...] | str]:
        """Let the dialect that knows a span read it; without one, return its name where it looks like memory."""
        shape = shape_of(span) if self._ours else None
        if shape is not None and (name := self._strange.get(shape)) is not None:
            return "", name
        for dialect, reader in self._readers:
            if (drafts := reader(span)) is not None:
                return dialect, drafts
        name = self._unknown(span) if _like_memory(span) else ""
        if shape is not None and len(self._strange) < _MOST_SHAPES:
            self._strange[shape] = name
        return "", name

    def _unknown(self, span: TracedSpan) -> str:
        """Name a span that is of no dialect; under pseudonyms, only by what names an operation."""
        name = span.name or _UNNAMED
        return name if is_code(name) or not self._options.pseudonyms.keyed else _SENTENCE

    def _resource(self, resource: SpanResource) -> tuple[str, str, str]:
        """Return tenant, user and service of a resource, and note it; the spans of a request share one."""
        if self._last[0] is not resource:
            for name, names_seen in (
                (service_of(resource), self._seen.services),
                (resource.library, self._seen.libraries),
                (resource.schema, self._seen.schemas),
            ):
                if name and len(names_seen) < _MOST_NAMES:
                    names_seen.add(name)
            names = self._options.pseudonyms
            user = names.name("user", name_of(resource.attributes, *self._options.scope_from))
            self._last = resource, tenant_of(resource, names), user, service_of(resource)
        return self._last[1:]


def _richness(span: TracedSpan) -> int:
    """Count what a span says."""
    facts = len(span.attributes) - span.dropped
    return facts + sum(1 + len(event.attributes) for event in span.events) if span.events else facts


def _parent(span: TracedSpan) -> tuple[str, str]:
    """Return the trace that a span belongs to, and its parent: those that it says it has, where it is a root."""
    if span.parent:
        return span.trace, span.parent
    cause, parent = (span.attributes.get(name) for name in _PARENT)
    return (
        cause.lower() if isinstance(cause, str) else span.trace,
        parent.lower() if isinstance(parent, str) else "",
    )


def sampling(thresholds: Counter[str]) -> str:
    """Say what trace states tell of sampling: the share of traces that was kept, by threshold."""
    return (
        ", ".join(
            f"th:{bound} ({1 - int(bound, 16) / 16 ** len(bound):.4g} of traces kept) on {count:,} spans"
            for bound, count in sorted(thresholds.items())
        )
        or "unknown"
    )


def _operation(
    draft: DraftOperation, span: TracedSpan, options: OtlpOptions, salt: int
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Spell an operation as the table has it, and what is to be noted of it."""
    names, records, notes = options.pseudonyms, draft.records, list(draft.notes)
    if span.dropped:
        records = None
    is_captured = records is not None or draft.count == 0
    if records is not None and draft.count is not None and draft.count != len(records):
        notes.append("fewer records than counted" if draft.count > len(records) else "more records than counted")
        is_captured = draft.count <= len(records)
    if records and _rising(records):
        notes.append("scores that rise with rank")
    outcome, reason = _outcome(draft, span, records)
    if reason and not options.texts and not is_code(reason):
        reason = "error"
        notes.append(_WORDY)
    contents = [record.content for record in records or ()]
    wipes = draft.kind in {TrafficKind.WIPE, TrafficKind.DROP_STORE}
    has_all_texts = is_captured and draft.kind is TrafficKind.SEARCH and None not in contents
    row = {
        "operation": draft.kind.value,
        "outcome": outcome.value,
        "fields": {
            "store": names.name("store", draft.store),
            "began_ns": span.began_ns,
            "ended_ns": span.ended_ns,
            "reason": reason,
            "captured": is_captured or wipes,
            "asked": draft.asked,
            "returned": draft.count if draft.count is not None or records is None or wipes else len(records),
            "query": draft.query if options.texts else None,
            "query_hash": None if draft.query is None else names.text_hash(draft.query),
            "context_tokens": sum(map(count_tokens, filter(None, contents))) if has_all_texts else None,
        },
        "records": [_record(record, options) for record in records or ()],
        "words": [None if text is None else words_of(text, salt) for text in contents]
        if draft.kind is TrafficKind.SEARCH and options.answers
        else [],
        "unparsable": draft.unparsable,
    }
    return row, tuple(notes)


def _like_memory(span: TracedSpan) -> bool:
    """Whether a span that no dialect knows looks as if it were about memory."""
    operation = span.attributes.get("gen_ai.operation.name")
    names = span.name.lower(), operation if isinstance(operation, str) else "", *span.attributes
    return "memory" in "\n".join(names)


def _record(
    record: DraftRecord, options: OtlpOptions
) -> tuple[str, str | None, int | None, str | None, float | None]:
    """Spell a record as the table has it."""
    names, text = options.pseudonyms, record.content
    if text is None:
        return names.memory(record.id, ""), None, None, None, record.score
    digest = names.text_hash(text)
    return names.memory(record.id, digest), digest, len(text), text if options.texts else None, record.score


def _outcome(
    draft: DraftOperation, span: TracedSpan, records: tuple[DraftRecord, ...] | None
) -> tuple[Outcome, str]:
    error = span.attributes.get("error.type")
    if span.failed or error:
        thrown = (name_of(event.attributes, "exception.type") for event in span.events)
        reason = str(error) if error else next(filter(None, thrown), "error")
        return outcome_of_failure(reason), reason
    is_empty = draft.kind is TrafficKind.SEARCH and (draft.count == 0 or records == ())
    return (Outcome.EMPTY if is_empty and not records else Outcome.OK), ""


def _rising(records: tuple[DraftRecord, ...]) -> bool:
    scores = [record.score for record in records if record.score is not None]
    return any(later > earlier for earlier, later in pairwise(scores))
