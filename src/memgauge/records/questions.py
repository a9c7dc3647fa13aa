"""What is asked, and, kept apart, what would be right.

A :class:`Question` may travel with a run; a :class:`Gold` never leaves the dataset and the scoring that reads it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from memgauge.records.turns import Conversation


@dataclass(frozen=True, slots=True)
class Question:
    """A question about one conversation; a memory system is given its text only."""

    id: str
    """Unique within the dataset."""
    conversation: str
    text: str
    category: str
    asked_at: datetime | None = None
    after_session: str | None = None
    """The session after which it is asked; ``None`` means at the end."""


@dataclass(frozen=True, slots=True)
class Case:
    """One conversation and the questions about it: the unit of work of a run."""

    conversation: Conversation
    questions: tuple[Question, ...]


class EvidencePolicy(StrEnum):
    """How evidence entries are read."""

    STRICT = "strict"
    """Only entries that are exactly the id of a turn."""
    REPAIR = "repair"
    """Malformed entries too, where a documented rule finds existing turns in them."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """One evidence entry of a dataset, as written and as understood."""

    raw: str
    exact: bool
    """Whether the raw entry names existing turns without any repair: by an id, or by a text that they equal."""
    turns: tuple[str, ...]
    """The existing turns found in it; empty when it points nowhere."""


@dataclass(frozen=True, slots=True)
class Erratum:
    """A published doubt about the label of one question."""

    kind: str
    note: str
    corrupts_answer: bool
    """Whether the gold answer itself is held to be wrong (and not only its citation)."""
    counts: bool = True
    """Whether a contract may leave the question out for it; ``False`` where its readers contradict each other."""


@dataclass(frozen=True, slots=True)
class Gold:
    """What would be right for one question."""

    question: str
    evidence: tuple[Evidence, ...] = ()
    answers: tuple[str, ...] = ()
    """Accepted answers, as text; empty where the dataset gives none."""
    raw_answer: str | int | float | None = None
    """The dataset's own value, before it was made text."""
    trap: str | None = None
    """An answer that would be wrong on purpose (LoCoMo's ``adversarial_answer``)."""
    rubric: bool = False
    """Whether the answer describes a good reply instead of stating the fact."""
    points: tuple[str, ...] = ()
    """What a judge looks for in a reply, point by point, where the dataset says so; of an order, its events."""
    abstain: bool = False
    """Whether the right reply is that the conversation does not say."""
    sessions: tuple[str, ...] = ()
    """Sessions that hold the evidence, where the dataset labels sessions."""
    stale: tuple[str, ...] | None = None
    """Turns that state what was, or will be, right at another time; ``None`` where the dataset does not say."""
    decoys: tuple[str, ...] = ()
    """Turns that look like evidence and are none."""
    erratum: Erratum | None = None

    def anchors(self, policy: EvidencePolicy = EvidencePolicy.STRICT) -> tuple[str, ...]:
        """Return the distinct evidence turns under *policy*, in the order of the entries."""
        if policy is EvidencePolicy.STRICT:
            turns = [turn for entry in self.evidence if entry.exact for turn in entry.turns]
        else:
            turns = [turn for entry in self.evidence for turn in entry.turns]
        return tuple(dict.fromkeys(turns))

    def why_no_anchors(self, policy: EvidencePolicy = EvidencePolicy.STRICT) -> str | None:
        """Say why there is nothing to find, or ``None`` when there is."""
        if self.anchors(policy):
            return None
        return "no evidence resolves" if self.evidence else "no evidence"
