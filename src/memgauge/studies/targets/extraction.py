"""A parser that asks a language model, behind the same interface as the one by rules: turns in, memories out.

It is handed conversations and nothing else; every reply comes through the record like all others, so a store
that was made once is made again for free.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from memgauge.llm.asking import Inquiry, ask_many
from memgauge.llm.forms import OneObject
from memgauge.llm.prompts import open_prompt
from memgauge.records import Form, Memory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from memgauge.datasets.base import Dataset
    from memgauge.llm.messages import ChatModel, Request
    from memgauge.llm.prompts import Prompt
    from memgauge.records import Conversation, Turn

BEFORE = 3
"""Turns of the same session that are shown before the one that is parsed."""
SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {"facts": {"type": "array", "items": {"type": "string"}}},
    "required": ["facts"],
    "additionalProperties": False,
}


@dataclass(frozen=True)
class PromptedExtractor:
    """Parses with *model*; what cannot be read states nothing, and is counted."""

    model: ChatModel
    limit: int = 5
    prompt: Prompt = field(default_factory=lambda: open_prompt("parse-facts"))
    parameters: Mapping[str, Any] = field(default_factory=lambda: {"temperature": 0, "max_tokens": 500})

    @property
    def made(self) -> dict[str, Any]:
        """Say what made the store, for its header."""
        return {
            "model": self.model.name,
            "prompt": self.prompt.label,
            "prompt_sha256": self.prompt.sha256,
            "limit": self.limit,
            "parameters": dict(self.parameters),
        }

    def inquiry(self, turn: Turn, before: Sequence[Turn]) -> Inquiry[list[str]]:
        """Ask what one turn states."""
        messages = self.prompt.render(
            date=turn.at.date().isoformat() if turn.at else "unknown",
            before=[_said(earlier_turn) for earlier_turn in before] or "(nothing)",
            turn=_said(turn),
            limit=str(self.limit),
        )
        return Inquiry(messages, self.form, self.parameters)

    @property
    def form(self) -> OneObject[list[str]]:
        """Return how a reply has to look."""
        return OneObject(SCHEMA, self._facts)

    def request(self, turn: Turn, before: Sequence[Turn]) -> Request:
        """Return what the model is sent about one turn."""
        return self.inquiry(turn, before).request(self.model.name)

    def _facts(self, data: Mapping[str, Any]) -> list[str]:
        return list(dict.fromkeys(fact.strip() for fact in data["facts"] if fact.strip()))[: self.limit]


def extract(
    dataset: Dataset,
    extractor: PromptedExtractor,
    *,
    workers: int = 1,
    on_progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> tuple[dict[str, tuple[Memory, ...]], int]:
    """Parse every conversation; return memories by conversation, and how many replies could not be read.

    Raises:
        BudgetError: The next call could exceed what was allowed; the same command goes on from the record.
    """
    conversations = [case.conversation for case in dataset.cases()]
    total = sum(len(list(dialogue.turns())) for dialogue in conversations)
    memories_by_name: dict[str, list[Memory]] = {dialogue.id: [] for dialogue in conversations}
    unread = 0
    inquiries = (
        ((conversation.id, turn), extractor.inquiry(turn, before))
        for conversation in conversations
        for turn, before in asked_of(conversation)
    )
    for done, ((name, turn), answer) in enumerate(ask_many(extractor.model, inquiries, workers), 1):
        unread += answer.value is None
        memories_by_name[name] += _memories(turn, answer.value or [])
        on_progress(done, total)
    return {name: tuple(memories) for name, memories in memories_by_name.items()}, unread


def asked_of(conversation: Conversation) -> Iterator[tuple[Turn, Sequence[Turn]]]:
    """Yield every turn with what was said just before it in the same session."""
    for session in conversation.sessions:
        for n, turn in enumerate(session.turns):
            yield turn, session.turns[max(0, n - BEFORE) : n]


def _memories(turn: Turn, facts: Sequence[str]) -> Iterator[Memory]:
    for n, text in enumerate(facts):
        yield Memory(f"{turn.id}/fact/{n}", text, Form.CANONICAL, (turn.id,), event_at=turn.at)


def _said(turn: Turn) -> str:
    return f"{turn.speaker}: {turn.text}"
