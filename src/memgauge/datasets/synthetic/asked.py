"""A question together with its truth, before it has a number."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from memgauge.records import Evidence, Gold, Question

if TYPE_CHECKING:
    from datetime import datetime


class QuestionKind(StrEnum):
    """What a question asks for; the name of its category."""

    CURRENT = "current"
    AS_OF = "as-of"
    CHANGES = "changes"
    TRANSIENT = "transient"
    PREFERENCE = "preference"
    REFERENCE = "reference"
    HOP = "multi-hop"
    LIST = "list"
    COUNT = "count"
    SUM = "sum"
    DATE = "date"
    ORDER = "order"
    DURATION = "duration"
    IDENTIFIER = "identifier"
    CONSTRAINTS = "constraints"
    ATTRIBUTION = "attribution"
    NEVER = "never-said"
    OTHER = "said-of-others"
    HYPOTHETICAL = "only-imagined"
    EXPIRED = "expired"
    RETRACTED = "retracted"
    ERASED = "erased"
    OTHER_USER = "other-user"


ABSTAIN = frozenset(
    {
        QuestionKind.NEVER,
        QuestionKind.OTHER,
        QuestionKind.HYPOTHETICAL,
        QuestionKind.EXPIRED,
        QuestionKind.RETRACTED,
        QuestionKind.ERASED,
        QuestionKind.OTHER_USER,
    }
)
"""What must be left unanswered."""


@dataclass(frozen=True)
class QuestionDraft:
    """A question and what would be right."""

    kind: QuestionKind
    text: str
    evidence: tuple[str, ...] = ()
    """Turn ids."""
    answers: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()
    decoys: tuple[str, ...] = ()
    raw: int | None = None
    trap: str | None = None

    def question(self, key: str, conversation: str, asked_at: datetime) -> Question:
        """Make the part that may travel."""
        return Question(key, conversation, self.text, str(self.kind), asked_at)

    def gold(self, key: str) -> Gold:
        """Make the part that stays."""
        return Gold(
            question=key,
            evidence=tuple(Evidence(turn, exact=True, turns=(turn,)) for turn in self.evidence),
            answers=self.answers,
            raw_answer=self.answers[0] if self.raw is None and self.answers else self.raw,
            trap=self.trap,
            abstain=self.kind in ABSTAIN,
            sessions=tuple(dict.fromkeys(turn.partition(":")[0] for turn in self.evidence)),
            stale=self.stale,
            decoys=self.decoys,
        )
