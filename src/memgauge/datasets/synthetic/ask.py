"""A question together with its truth, before it has a number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memgauge.records import Evidence, Gold, Question

if TYPE_CHECKING:
    from datetime import datetime

SINGLE, MULTI, TEMPORAL = "single-session", "multi-session", "temporal"
UPDATE, ABSTENTION = "knowledge-update", "abstention"
CATEGORIES: tuple[str, ...] = (SINGLE, MULTI, TEMPORAL, UPDATE, ABSTENTION)


@dataclass(frozen=True)
class Draft:
    """A question and what would be right."""

    category: str
    text: str
    evidence: tuple[str, ...] = ()
    """Turn ids."""
    answers: tuple[str, ...] = ()
    raw: str | int | None = None
    trap: str | None = None

    def question(self, key: str, conversation: str, asked_at: datetime) -> Question:
        """Make the part that may travel."""
        return Question(key, conversation, self.text, self.category, asked_at)

    def gold(self, key: str) -> Gold:
        """Make the part that stays."""
        return Gold(
            question=key,
            evidence=tuple(Evidence(turn, exact=True, turns=(turn,)) for turn in self.evidence),
            answers=self.answers,
            raw_answer=self.answers[0] if self.raw is None and self.answers else self.raw,
            trap=self.trap,
            abstain=self.category == ABSTENTION,
            sessions=tuple(dict.fromkeys(turn.partition(":")[0] for turn in self.evidence)),
        )
