"""What an agent still sees of earlier questions: everything, nothing, or what fits."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from memgauge.errors import ConfigError
from memgauge.text.tokens import count_tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.llm.messages import Message

RECENT = 4
"""Results that are never left out, the last ones."""
ROOM = 60_000
"""Tokens from which on results are left out, unless another number is given."""


class ContextPolicy(StrEnum):
    """What becomes of a conversation."""

    KEEP = "keep"
    """It goes on through all questions; a memory has little to add to it."""
    RESET = "reset_between_questions"
    """It begins anew with every question: what is to be known again has to be remembered or read again."""
    COMPACT = "compact"
    """It goes on, and the oldest results are left out once it is too long."""


@dataclass(frozen=True, slots=True)
class ContextWindow:
    """A policy, and its measure."""

    policy: ContextPolicy = ContextPolicy.KEEP
    room: int = ROOM
    """Tokens that a compacted conversation may have."""

    def __post_init__(self) -> None:
        if self.room < 1:
            raise ConfigError(f"A context of {self.room} tokens holds nothing.")

    @classmethod
    def parse(cls, text: str) -> ContextWindow:
        """Read ``keep``, ``reset_between_questions`` (or ``reset``), ``compact`` or ``compact:TOKENS``.

        Raises:
            ConfigError: None of these.
        """
        name, _, room = text.partition(":")
        policy_name = ContextPolicy.RESET if name == "reset" else name
        policy = next((policy for policy in ContextPolicy if policy == policy_name), None)
        if policy is None or (room and (policy is not ContextPolicy.COMPACT or not room.isdigit())):
            raise ConfigError(
                f"No context policy {text!r}.", f"Take one of {', '.join(ContextPolicy)}, compact:TOKENS."
            )
        return cls(policy, int(room) if room else ROOM)

    def __str__(self) -> str:
        return f"{self.policy}:{self.room}" if self.policy is ContextPolicy.COMPACT else str(self.policy)

    def next_question(self, messages: Sequence[Message]) -> list[Message]:
        """Return what the next question is added to."""
        if self.policy is ContextPolicy.RESET:
            return [message for message in messages if message.role == "system"]
        return list(messages)

    def fitted(self, messages: Sequence[Message]) -> list[Message]:
        """Return *messages* as they are sent: with the oldest results left out where they take too much room."""
        if self.policy is not ContextPolicy.COMPACT:
            return list(messages)
        fitted_messages = list(messages)
        results = [place for place, message in enumerate(fitted_messages) if message.answers is not None]
        over = sum(count_tokens(message.text) for message in fitted_messages) - self.room
        for place in results[:-RECENT]:
            if over <= 0:
                break
            short = _left_out(fitted_messages[place])
            over -= count_tokens(fitted_messages[place].text) - count_tokens(short.text)
            fitted_messages[place] = short
        return fitted_messages


def _left_out(message: Message) -> Message:
    tool = message.answers.name if message.answers is not None else ""
    return replace(message, text=f"(The result of {tool} is left out to save room; call it again if needed.)")
