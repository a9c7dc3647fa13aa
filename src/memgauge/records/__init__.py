"""The vocabulary: frozen values, no I/O, no policy."""

from memgauge.records.choices import Choices
from memgauge.records.contracts import (
    BOARD,
    Contract,
    Coverage,
    Credit,
    Failures,
    Items,
    Target,
    Ties,
    Unlabelled,
    Witness,
)
from memgauge.records.memories import (
    Change,
    Form,
    Hit,
    Lineage,
    Memory,
    Operation,
    Ranking,
    Receipt,
    Scope,
    ScoreKind,
)
from memgauge.records.outcomes import Denominator, Outcome, Verdict
from memgauge.records.points import Point
from memgauge.records.questions import Case, Erratum, Evidence, EvidencePolicy, Gold, Question
from memgauge.records.truth import Fact
from memgauge.records.turns import Conversation, Session, Turn

__all__ = [
    "BOARD",
    "Case",
    "Change",
    "Choices",
    "Contract",
    "Conversation",
    "Coverage",
    "Credit",
    "Denominator",
    "Erratum",
    "Evidence",
    "EvidencePolicy",
    "Fact",
    "Failures",
    "Form",
    "Gold",
    "Hit",
    "Items",
    "Lineage",
    "Memory",
    "Operation",
    "Outcome",
    "Point",
    "Question",
    "Ranking",
    "Receipt",
    "Scope",
    "ScoreKind",
    "Session",
    "Target",
    "Ties",
    "Turn",
    "Unlabelled",
    "Verdict",
    "Witness",
]
