"""The counts that every benchmark shares."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from memgauge.records import EvidencePolicy

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memgauge.datasets.base import DatasetIdentity
    from memgauge.records import Case, Gold


def tally(entries: Iterable[tuple[Case, tuple[Gold, ...]]], identity: DatasetIdentity) -> dict[str, object]:
    """Count conversations, questions and evidence in one pass, as JSON-ready data."""
    total: Counter[str] = Counter()
    categories: Counter[str] = Counter()
    for case, golds in entries:
        total["conversations"] += 1
        total["sessions"] += len(case.conversation.sessions)
        total["turns"] += sum(len(session.turns) for session in case.conversation.sessions)
        total["questions"] += len(case.questions)
        categories.update(question.category for question in case.questions)
        for gold in golds:
            total["with_evidence"] += bool(gold.evidence)
            total["scored_strict"] += bool(gold.anchors(EvidencePolicy.STRICT))
            total["scored_repair"] += bool(gold.anchors(EvidencePolicy.REPAIR))
            total["abstention"] += gold.abstain
        del case, golds  # a conversation may be large: the next one is read without it
    names = ("conversations", "sessions", "turns", "questions", "with_evidence", "scored_strict", "scored_repair")
    return {
        **{name: total[name] for name in (*names, "abstention")},
        "categories": dict(sorted(categories.items())),
        "sha256": identity.sha256,
        "pinned": identity.pinned,
        "licence": identity.licence,
        "source": identity.source,
    }
