"""How things end: a closed set of outcomes and verdicts, and a denominator that adds up."""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 - read when a result is
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final


class Outcome(StrEnum):
    """How one question (or one write) ended."""

    OK = "ok"
    EMPTY = "empty"
    """The system answered, and had nothing."""
    ERROR = "error"
    TIMEOUT = "timeout"
    UNSUPPORTED = "unsupported"
    EXCLUDED = "excluded"
    CANCELLED = "cancelled"
    """Whoever asked gave up waiting; only traffic that was recorded has it."""

    @property
    def valid(self) -> bool:
        """Whether the system gave a result that can be scored."""
        return self is Outcome.OK or self is Outcome.EMPTY


class Verdict(StrEnum):
    """How one check ended."""

    PASS = "pass"  # noqa: S105 - a verdict, not a secret
    FAIL = "fail"
    VACUOUS = "vacuous"
    """It passed without having been able to fail."""
    UNSUPPORTED = "unsupported"
    ERROR = "error"
    FLAKY = "flaky"


NOT_MADE: Final = "not run, because"
"""How the detail of a check begins that could not be made any more."""


@dataclass(frozen=True, slots=True)
class Denominator:
    """Of how many, and who is missing why: ``scored + sum(excluded) == total``, always."""

    total: int
    scored: int
    excluded: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.scored + sum(self.excluded.values()) != self.total:
            raise ValueError(f"A denominator must add up: {self}")

    def __str__(self) -> str:
        reasons = ", ".join(f"{n} {reason}" for reason, n in sorted(self.excluded.items()))
        return f"{self.scored}/{self.total}" + (f" ({reasons})" if reasons else "")
