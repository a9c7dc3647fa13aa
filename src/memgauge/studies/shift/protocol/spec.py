"""Every knob of the shift study, and the presets."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Self

from memgauge.errors import ConfigError
from memgauge.results import result

if TYPE_CHECKING:
    from collections.abc import Mapping


class KnobChoice(StrEnum):
    """A setting of a knob, and the sentence that says what it means."""

    meaning: str

    def __new__(cls, value: str, meaning: str = "") -> Self:
        """Make one; the sentence is no part of what it equals."""
        made = str.__new__(cls, value)
        made._value_, made.meaning = value, meaning
        return made


class QuestionPlacement(KnobChoice):
    """Where a question is asked."""

    # The paper's reading, which lets the position tell the answer's age.
    AFTER_EVIDENCE = "after_evidence", "A question is asked right after its last evidence turn."
    SESSION_END = "session_end", "A question is asked at the end of the session of its last evidence turn."
    AS_ASKED = "as_asked", "A question is asked at the end of the session after which the dataset asks it."


class DistractorSource(KnobChoice):
    """Where distractor turns come from."""

    SAME_CONVERSATION = (
        "same_conversation",
        "Distractors come from any other session of the conversation, later ones included.",
    )
    PAST_SESSIONS = "past_sessions", "Distractors come from earlier sessions of the conversation."
    OTHER_CONVERSATIONS = "other_conversations", "Distractors come from other conversations."


class BurstSampling(KnobChoice):
    """How the random source of a burst is seeded."""

    FIXED_BURST = (
        "fixed_burst",
        "Every burst is drawn with the same seed, so nearly the same turns come each time.",
    )
    FRESH = "fresh", "Every burst is drawn anew."


class DistractorLifetime(KnobChoice):
    """How long distractors stay."""

    PERSIST = "persist", "Distractors stay in memory."
    ISOLATED = "isolated", "Only the bursts of the running session are in memory."


class Filing(KnobChoice):
    """Where a policy with sessions files distractors."""

    # The paper, and the reason why its session policy looks robust.
    EXEMPT = "exempt", "A policy with sessions files distractors under none."
    CURRENT = "current", "A policy with sessions files distractors under the running one, like every turn."
    PSEUDO_SESSION = "pseudo_session", "A policy with sessions files each burst as a session of its own."


class TermFit(KnobChoice):
    """Which turns the term statistics have seen."""

    ALL = "all", "Term statistics know the whole stream, the future included."
    PREFIX = "prefix", "Term statistics know only what has been said."


class Summaries(KnobChoice):
    """What a session is summarised by."""

    DATASET = (
        "dataset",
        "Sessions are summarised by the dataset's own summaries, whole even while they run.",
    )
    EXTRACTIVE = "extractive", "Sessions are summarised by their first turns so far."
    SUPPLIED = "supplied", "Sessions are summarised by texts that were supplied."


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
