"""What a reader should check before believing a score on HaluMem."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from memgauge.datasets.halumem.convert import Points

if TYPE_CHECKING:
    from memgauge.datasets.halumem.schema import UserEntry


class Census:
    """Counts of what a file says, whichever unit its turns are read in."""

    def __init__(self) -> None:
        self._total: Counter[str] = Counter()
        self._sources: Counter[str] = Counter()
        self._types: Counter[str] = Counter()

    def add(self, user: UserEntry) -> None:
        """Count one user."""
        points = Points(user)
        total = self._total
        for number, session in enumerate(user.sessions):
            total["messages"] += len(session.dialogue)
            total["points"] += len(session.memory_points)
            total["updates"] += sum(point.is_update for point in session.memory_points)
            total["sessions_without_points"] += not session.memory_points
            total["sessions_without_questions"] += not session.questions
            total["sessions_lacking_points"] += session.lacks("memory_points")
            total["sessions_lacking_questions"] += session.lacks("questions")
            total["generated_sessions"] += session.is_generated_qa_session
            self._sources.update(point.memory_source for point in session.memory_points)
            self._types.update(point.memory_type for point in session.memory_points)
            for question in session.questions:
                total["questions_without_evidence"] += not question.evidence
                for evidence in question.evidence:
                    places = points.equal_to(evidence.memory_content, number)
                    total["evidence"] += 1
                    total["evidence_matched"] += bool(places)
                    total["evidence_matched_repeatedly"] += len(places) > 1

    def counts(self) -> dict[str, object]:
        """Return the counts as JSON-ready data; the rate is ``None`` where there is no evidence."""
        evidence, matched = self._total["evidence"], self._total["evidence_matched"]
        return {
            **{name: self._total[name] for name in _NAMES},
            "evidence_unmatched": evidence - matched,
            "evidence_unmatched_rate": (evidence - matched) / evidence if evidence else None,
            "points_by_source": dict(sorted(self._sources.items())),
            "points_by_type": dict(sorted(self._types.items())),
        }


_NAMES = (
    "messages",
    "points",
    "updates",
    "generated_sessions",
    "sessions_without_points",
    "sessions_without_questions",
    "sessions_lacking_points",
    "sessions_lacking_questions",
    "questions_without_evidence",
    "evidence",
    "evidence_matched",
    "evidence_matched_repeatedly",
)
