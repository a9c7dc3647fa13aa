"""What an agent may take for one question, and for all questions of an instance."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memgauge.errors import ConfigError
from memgauge.studies.track.play.played import QuestionEnding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.llm.messages import Usage

TURNS = 100
"""Replies to one question; the value of the original configurations."""


@dataclass(frozen=True, slots=True)
class Allowance:
    """How much of each; ``None`` is without a limit."""

    calls: int | None = None
    tokens: int | None = None
    """In and out, as the provider counts them."""
    seconds: float | None = None
    """Of the wall clock: the one limit under which a run may not repeat."""


@dataclass(frozen=True, slots=True)
class PlayLimits:
    """When to stop."""

    turns: int = TURNS
    question: Allowance = Allowance()
    instance: Allowance = Allowance()

    def __post_init__(self) -> None:
        for name, value in self._given():
            if value < 1:
                raise ConfigError(f"The limit {name}={value} is not at least 1.")

    def _given(self) -> Iterator[tuple[str, float]]:
        yield "turns", self.turns
        for prefix, allowance in (("question", self.question), ("instance", self.instance)):
            for name in ("calls", "tokens", "seconds"):
                value = getattr(allowance, name)
                if value is not None:
                    yield f"{prefix} {name}", value


@dataclass(frozen=True, slots=True)
class SpentEffort:
    """What was taken so far."""

    turns: int = 0
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    usd: float | None = 0.0
    started: float = 0.0
    """On the clock of the loop, in seconds."""

    def replied(self, usage: Usage) -> SpentEffort:
        """Add one reply."""
        usd = None if self.usd is None or usage.usd is None else self.usd + usage.usd
        return replace(
            self,
            turns=self.turns + 1,
            input_tokens=self.input_tokens + usage.input_tokens,
            output_tokens=self.output_tokens + usage.output_tokens,
            usd=usd,
        )

    def called(self) -> SpentEffort:
        """Add one call."""
        return replace(self, calls=self.calls + 1)

    def beyond(self, allowance: Allowance, now: float) -> tuple[QuestionEnding, str] | None:
        """Say which limit is met, and in words; ``None`` while none is."""
        tokens = self.input_tokens + self.output_tokens
        if allowance.calls is not None and self.calls >= allowance.calls:
            return QuestionEnding.CALLS, f"{self.calls} calls were made, which is all that is allowed"
        if allowance.tokens is not None and tokens >= allowance.tokens:
            return QuestionEnding.TOKENS, f"at least {allowance.tokens} tokens were taken"
        if allowance.seconds is not None and now - self.started >= allowance.seconds:
            return QuestionEnding.TIME, f"{allowance.seconds:g} s have passed"
        return None
