"""Compliance tests: a run beside one with one thing changed, and whether the change did what it must, or nothing.

Equality is claimed of each test alone, and a memory complies that passes all: such a claim needs no correction for
the number of tests (it is the intersection of what each shows), and none is made.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from memgauge.datasets.changed.kind import changed_ref
from memgauge.errors import ConfigError
from memgauge.registry import unknown_name
from memgauge.results import result

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class ExpectedEffect(StrEnum):
    """What a change must do."""

    EQUAL = "equal"
    """Nothing: the measure is the same within the margin."""
    NOTHING = "nothing"
    """Searches show nothing of what was withheld."""
    STEADY = "the same"
    """Searches return the same when they are repeated."""


class Complied(StrEnum):
    """How a test ended."""

    YES = "as it must be"
    NO = "differs"
    OPEN = "could not be told"
    """It failed, is not supported, or too little was seen to tell; the reason says which."""


@dataclass(frozen=True)
class ComplianceTest:
    """One change and what is expected of it: of the stream, or of the dataset."""

    name: str
    expected: ExpectedEffect
    about: str
    """What is changed."""
    catches: str
    stream: str = ""
    change: str = ""
    seeded: bool = False

    def stream_ref(self, seed: int) -> str:
        """Write the protocol that the changed run is streamed under."""
        named = self.stream or "clean"
        return f"{named}:seed={seed}" if self.stream and self.seeded and seed else named

    def dataset_ref(self, source: str, seed: int) -> str:
        """Write what opens *source* as it was changed."""
        return changed_ref(self.change, source, **({"seed": seed} if self.seeded and seed else {}))


_TESTS: Final = (
    ComplianceTest(
        "renamed-values", ExpectedEffect.EQUAL, "other names, places and figures in the same world",
        "answers that were learned by heart", change="renamed-values", seeded=True,
    ),
    ComplianceTest(
        "old-values", ExpectedEffect.NOTHING, "the same; the old ones were never said",
        "answers that were learned by heart", change="renamed-values", seeded=True,
    ),
    ComplianceTest(
        "question-order", ExpectedEffect.EQUAL, "questions in another order", "learning from questions",
        stream="question-order", seeded=True,
    ),
    ComplianceTest(
        "question-order-again", ExpectedEffect.STEADY, "the same, each search beside its own",
        "learning from questions",
        stream="question-order", seeded=True,
    ),
    ComplianceTest(
        "early-questions", ExpectedEffect.EQUAL, "every question also asked when little was said",
        "a cache of stale answers", change="questions-twice",
    ),
    ComplianceTest(
        "questions-twice", ExpectedEffect.STEADY, "every question asked once more",
        "churn", change="questions-twice",
    ),
    ComplianceTest(
        "withheld-scope", ExpectedEffect.NOTHING, "everything said in the names of other users",
        "leaks between scopes",
        stream="withheld-scope",
    ),
    ComplianceTest(
        "withheld-speaker", ExpectedEffect.NOTHING, "one speaker's turns said in the names of other users",
        "leaks between scopes", stream="withheld-speaker", seeded=True,
    ),
    ComplianceTest(
        "removed-evidence", ExpectedEffect.NOTHING, "the evidence never said", "answers from elsewhere",
        change="removed-evidence",
    ),
    ComplianceTest(
        "removed-bystanders", ExpectedEffect.EQUAL, "some turns never said that nobody asks for",
        "places learned by heart",
        change="removed-bystanders", seeded=True,
    ),
    ComplianceTest(
        "search-before-write", ExpectedEffect.NOTHING, "every question asked before anything was said",
        "answers that were there before", stream="search-before-write",
    ),
    ComplianceTest(
        "reset-then-search", ExpectedEffect.NOTHING, "everything said, and all forgotten by a reset",
        "what outlives a reset", stream="reset-then-search",
    ),
    ComplianceTest(
        "deletion-then-search", ExpectedEffect.NOTHING, "everything said, and every memory deleted",
        "deletion that is not done", stream="deletion-then-search",
    ),
    ComplianceTest(
        "erasure-then-search", ExpectedEffect.NOTHING, "everything said, and the scope erased",
        "erasure that is not done",
        stream="erasure-then-search",
    ),
    ComplianceTest(
        "shifted-clock", ExpectedEffect.EQUAL, "all times and years moved by one year",
        "a clock that stands still",
        change="shifted-clock",
    ),
    ComplianceTest(
        "renamed-ids", ExpectedEffect.EQUAL, "other ids of turns, sessions, conversations and questions",
        "labels read from ids", change="renamed-ids", seeded=True,
    ),
    ComplianceTest(
        "renamed-ids-again", ExpectedEffect.STEADY, "the same, each search beside its own",
        "labels read from ids, or equals ordered by them", change="renamed-ids", seeded=True,
    ),
)  # fmt: skip
TESTS: Final[Mapping[str, ComplianceTest]] = {test.name: test for test in _TESTS}
"""Every compliance test by name, in the order in which they are shown."""


def named_tests(names: Iterable[str]) -> tuple[ComplianceTest, ...]:
    """Return tests by name, in the order in which they are shown; all where none is named.

    Raises:
        UnknownNameError: There is no such test.
    """
    wanted = set(names)
    for name in sorted(wanted):
        if name not in TESTS:
            raise unknown_name("compliance test", name, TESTS)
    return tuple(test for name, test in TESTS.items() if not wanted or name in wanted)


@dataclass(frozen=True)
class Tolerance:
    """How far a change may show where it must not."""

    margin: float = 0.05
    """How much a mean may differ; where only a part is withheld, the share of questions that may show it."""
    churn: float = 0.05
    """The share of the first memories that may be others when a search is repeated."""

    def required(self) -> Tolerance:
        """Return it, checked.

        Raises:
            ConfigError: A share that is none, or a margin within which nothing could be equal.
        """
        if not (0 < self.margin < 1 and 0 <= self.churn < 1):
            raise ConfigError(
                f"A margin of {self.margin:g} and a churn of {self.churn:g} do not fit.",
                "Give a margin above 0 and a churn of 0 or more, both below 1.",
            )
        return self


@result
@dataclass(frozen=True)
class ComplianceVerdict:
    """How one test ended."""

    test: str
    expected: ExpectedEffect
    verdict: Complied
    original: float | None = None
    """The mean of the measure, or the share of questions that show what is later withheld."""
    changed: float | None = None
    """The same after the change; where searches are repeated, the share of what they no longer return."""
    low: float | None = None
    high: float | None = None
    """95 % interval over conversations: of the difference where both must be equal, else of what changed."""
    n: int = 0
    """Questions that both runs have."""
    conversations: int = 0
    reason: str = ""
    """Why it could not be told, or what is to be known of how it ended."""
    example: str = ""
    """A question by which the change shows."""


@result
@dataclass(frozen=True)
class Compliance:
    """How all tests of a system on a dataset ended."""

    system: str
    dataset: str
    sha256: str
    measure: str
    contract: str
    margin: float
    churn: float
    seed: int
    verdicts: tuple[ComplianceVerdict, ...]

    def ended(self, verdict: Complied) -> tuple[ComplianceVerdict, ...]:
        """Return the tests that ended in one way."""
        return tuple(each for each in self.verdicts if each.verdict is verdict)
