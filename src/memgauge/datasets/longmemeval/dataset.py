"""LongMemEval: 500 questions, each with a haystack of chat sessions of its own (Wu et al. 2025), streamed."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memgauge.datasets.entries import EntryStream
from memgauge.datasets.files import FileSpec, find_published
from memgauge.datasets.kind import DatasetKind
from memgauge.datasets.longmemeval.convert import entry_of, official_ids
from memgauge.datasets.longmemeval.schema import stream_records
from memgauge.datasets.tally import tally

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from memgauge.datasets.base import DatasetIdentity
    from memgauge.datasets.entries import Entry
    from memgauge.records import Gold

_BASE = "https://huggingface.co/datasets/xiaowu0162/longmemeval-cleaned/resolve/main"
_NOTE = "Of the published hashes only the ends are known (S, M), or nothing (oracle, which stays unpinned)."
LICENCE = "MIT"
VARIANTS: dict[str, str] = {
    "s": "about 50 sessions a question",
    "m": "about 500 sessions a question (2.7 GB)",
    "oracle": "only the sessions that hold the evidence",
}
_NAMES = {
    "s": "longmemeval_s_cleaned.json",
    "m": "longmemeval_m_cleaned.json",
    "oracle": "longmemeval_oracle.json",
}
_KNOWN = {"s": "d6f21ea9…a442", "m": "9d79e552…e495"}
"""Hashes as far as they have been published; that of ``oracle`` has not."""
FILES: dict[str, FileSpec] = {
    variant: FileSpec(name, _KNOWN.get(variant), f"{_BASE}/{name}", variant, _NOTE)
    for variant, name in _NAMES.items()
}


@dataclass(frozen=True)
class LongMemEval(EntryStream):
    """The opened benchmark; every iteration reads the file anew and holds one record."""

    identity: DatasetIdentity
    path: Path

    def entries(self, oddities: Counter[str]) -> Iterator[Entry]:  # noqa: ARG002 - it counts otherwise
        """Yield one conversation with one question a record, in the order of the file."""
        return (entry_of(self.path, n, record) for n, record in enumerate(stream_records(self.path)))

    def official_sessions(self) -> Iterator[tuple[str, Mapping[str, str]]]:
        """Yield, for every conversation, our session id by the benchmark's own, where that names one session.

        The benchmark's ids give evidence away (``answer_…``), so no system sees them; files of others use them.
        """
        return (official_ids(self.path, n, record) for n, record in enumerate(stream_records(self.path)))

    def describe(self) -> Mapping[str, object]:
        """Count everything in one reading of the file."""
        seen: list[tuple[str, Gold]] = []
        counts = tally(self._remembering(seen), self.identity)
        empty = [gold for _, gold in seen if not gold.evidence]
        return {
            **counts,
            "records": len(seen),
            "integer_answers": sum(isinstance(gold.raw_answer, int) for _, gold in seen),
            "rubric_answers": sum(gold.rubric for _, gold in seen),
            "without_evidence": len(empty),
            "abstention_without_evidence": sum(gold.abstain for gold in empty),
            "sessions_differ": sum(_differs(gold) for _, gold in seen),
        }

    def _remembering(self, seen: list[tuple[str, Gold]]) -> Iterator[Entry]:
        for case, golds in self.entries(Counter()):
            seen.append((case.conversation.id, golds[0]))
            yield case, golds


def _differs(gold: Gold) -> bool:
    """Whether the labelled sessions are not exactly those of the labelled turns."""
    return {turn.partition(":")[0] for turn in gold.anchors()} != set(gold.sessions)


KIND = DatasetKind(
    name="longmemeval",
    summary="500 questions of six types, each with its own haystack of chat sessions.",
    licence=LICENCE,
    homepage="https://github.com/xiaowu0162/LongMemEval",
    opener=lambda request: LongMemEval(*find_published("longmemeval", FILES, LICENCE, request)),
    files=tuple(FILES.values()),
    variants=VARIANTS,
    paths=True,
)
