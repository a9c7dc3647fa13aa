"""Every knob of the shift study, and the presets."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from memgauge.errors import ConfigError
from memgauge.results import result

if TYPE_CHECKING:
    from collections.abc import Mapping


class QuestionPlacement(StrEnum):
    """Where a question is asked."""

    AFTER_EVIDENCE = "after_evidence"
    """Right after its last evidence turn: the paper's reading, which lets the position tell the answer's age."""
    SESSION_END = "session_end"
    """At the end of the session of its last evidence turn."""
    AS_ASKED = "as_asked"
    """At the end of the session after which the dataset asks it, or of all."""


class DistractorSource(StrEnum):
    """Where distractor turns come from."""

    SAME_CONVERSATION = "same_conversation"
    """Any other session of the conversation, the future included."""
    PAST_SESSIONS = "past_sessions"
    OTHER_CONVERSATIONS = "other_conversations"


class BurstSampling(StrEnum):
    """How the random source of a burst is seeded."""

    FIXED_BURST = "fixed_burst"
    """Anew with the same seed at every burst, so that nearly the same turns come each time (the paper)."""
    FRESH = "fresh"
    """From seed, conversation, session and burst."""


class DistractorLifetime(StrEnum):
    """How long distractors stay."""

    PERSIST = "persist"
    ISOLATED = "isolated"
    """Only the bursts of the running session are in memory."""


class Filing(StrEnum):
    """Where a policy with sessions files distractors."""

    EXEMPT = "exempt"
    """In no session: the paper, and the reason why its session policy looks robust."""
    CURRENT = "current"
    PSEUDO_SESSION = "pseudo_session"
    """Each burst is a session of its own."""


class TermFit(StrEnum):
    """Which turns the term statistics have seen."""

    ALL = "all"
    """The whole stream, future included: the paper."""
    PREFIX = "prefix"


class Summaries(StrEnum):
    """What a session is summarised by."""

    DATASET = "dataset"
    """The dataset's own summaries, whole even for the running session."""
    EXTRACTIVE = "extractive"
    """The first turns seen so far."""
    SUPPLIED = "supplied"
    """Texts that somebody gives."""


@result
@dataclass(frozen=True)
class ShiftSpec:
    """One reading of the protocol."""

    place: QuestionPlacement = QuestionPlacement.AFTER_EVIDENCE
    bursts: tuple[int, ...] = (0, 50, 100, 150)
    """Turns of an interruption (m), ascending; nested, so that a longer burst begins with the shorter one."""
    interrupted: int = 3
    """How many of the first questions after a boundary are preceded by a burst (N)."""
    source: DistractorSource = DistractorSource.SAME_CONVERSATION
    sampling: BurstSampling = BurstSampling.FIXED_BURST
    memory: DistractorLifetime = DistractorLifetime.PERSIST
    filing: Filing = Filing.EXEMPT
    fit: TermFit = TermFit.ALL
    summaries: Summaries = Summaries.DATASET
    dedupe: bool = False
    """Whether copies of one turn stand for it once among the hits (a copy of gold then counts)."""
    budget: int | None = None
    """The newest so many items every policy may search; ``None`` is all."""
    categories: tuple[str, ...] = ()
    """Only questions of these categories; empty is all."""
    k: int = 5
    horizon: int = 5
    """Questions after a boundary that Recovery@T pools (T)."""
    seed: int = 42

    def __post_init__(self) -> None:
        if self.horizon < 1:
            raise ConfigError(f"Recovery@{self.horizon} looks at no question.", "T must be at least 1.")
        if any(m < 0 for m in self.bursts) or not self.bursts:
            raise ConfigError(
                f"A burst of {min(self.bursts, default=0)} turns makes no sense.", "Every m must be 0 or more."
            )
        if 0 not in self.bursts:
            raise ConfigError("The clean stream is missing, which everything is compared with.", "Add -m 0.")
        if list(self.bursts) != sorted(set(self.bursts)):
            raise ConfigError("Bursts must be named once each, in ascending order.", "Write 0,50,100.")
        if self.k < 1 or self.interrupted < 0 or (self.budget is not None and self.budget < 1):
            raise ConfigError("k and the budget must be at least 1, and interrupted questions at least 0.")


def as_text(value: object) -> str:
    """Write the value of a knob as a run records it."""
    return "+".join(value) if isinstance(value, tuple) else str(value)


PRESETS: Mapping[str, ShiftSpec] = {
    "paper": ShiftSpec(),
    "clean": ShiftSpec(
        source=DistractorSource.OTHER_CONVERSATIONS,
        sampling=BurstSampling.FRESH,
        filing=Filing.PSEUDO_SESSION,
        fit=TermFit.PREFIX,
        summaries=Summaries.EXTRACTIVE,
    ),
    "halumem": ShiftSpec(
        place=QuestionPlacement.AS_ASKED, bursts=(0, 50), summaries=Summaries.EXTRACTIVE, horizon=3
    ),
}
"""``paper`` is the reading that comes closest to the published numbers; ``clean`` is it without its flaws;
``halumem`` is the paper's second dataset, of which it says no more than m, T and how evidence is matched."""
DATASETS: Mapping[str, str] = {
    "paper": "locomo:captions=false",
    "clean": "locomo:captions=false",
    "halumem": "halumem:long,units=points",
}
"""What each preset plays when nothing else is named; the paper retrieves single turns, text only."""
