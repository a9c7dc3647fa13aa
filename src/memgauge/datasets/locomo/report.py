"""What a reader should check before believing a score on LoCoMo."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from memgauge.datasets.tally import tally

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from memgauge.datasets.base import DatasetIdentity
    from memgauge.datasets.locomo.schema import SampleEntry
    from memgauge.records import Case, Gold

Entries = tuple[tuple["Case", tuple["Gold", ...]], ...]


def report(entries: Entries, identity: DatasetIdentity, samples: Sequence[SampleEntry]) -> Mapping[str, object]:
    """Count *entries*, and list what is odd about them, as JSON-ready data."""
    asked = {case.conversation.id for case, _ in entries}
    golds = [gold for _, group in entries for gold in group]
    return {
        **tally(entries, identity),
        "captions": sum(_captions(sample) for sample in samples if sample.sample_id in asked),
        "malformed_evidence": list(_malformed(entries)),
        "without_evidence": [gold.question for gold in golds if not gold.evidence],
        "duplicate_questions": list(_duplicates(entries)),
        "errata": _errata(golds),
    }


def _captions(sample: SampleEntry) -> int:
    sessions = (part for part in sample.conversation.values() if not isinstance(part, str))
    return sum(bool(turn.blip_caption) for turns in sessions for turn in turns)


def _malformed(entries: Entries) -> Iterator[dict[str, object]]:
    for case, golds in entries:
        for question, gold in zip(case.questions, golds, strict=True):
            for evidence in gold.evidence:
                if not evidence.exact:
                    yield {
                        "question": question.id,
                        "category": question.category,
                        "raw": evidence.raw,
                        "repaired_to": list(evidence.turns),
                    }


def _duplicates(entries: Entries) -> Iterator[list[str]]:
    for case, _ in entries:
        asked: defaultdict[str, list[str]] = defaultdict(list)
        for question in case.questions:
            asked[question.text].append(question.id)
        yield from (ids for ids in asked.values() if len(ids) > 1)


def _errata(golds: Sequence[Gold]) -> dict[str, object]:
    doubts = [gold.erratum for gold in golds if gold.erratum]
    return {
        "total": len(doubts),
        "corrupts_answer": sum(doubt.corrupts_answer for doubt in doubts),
        "kinds": dict(sorted(Counter(doubt.kind for doubt in doubts).items())),
    }
