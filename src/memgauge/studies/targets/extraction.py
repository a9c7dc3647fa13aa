"""A parser that asks a language model, behind the same interface as the one by rules: turns in, memories out.

It is handed conversations and nothing else; every reply comes through the record like all others, so a store
that was made once is made again for free.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from memgauge.errors import ModelError
from memgauge.llm.messages import Finish, Request
from memgauge.llm.prompts import open_prompt
from memgauge.records import Form, Memory
from memgauge.text.jsons import REPLY, object_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from memgauge.datasets.base import Dataset
    from memgauge.llm.messages import ChatModel
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

    def request(self, turn: Turn, before: Sequence[Turn]) -> Request:
        """Ask what one turn states."""
        messages = self.prompt.render(
            date=turn.at.date().isoformat() if turn.at else "unknown",
            before=[_said(each) for each in before] or "(nothing)",
            turn=_said(turn),
            limit=str(self.limit),
        )
        return Request(self.model.name, messages, dict(self.parameters), SCHEMA)

    def facts(self, turn: Turn, before: Sequence[Turn]) -> list[str] | None:
        """Return what one turn states; ``None`` where the reply cannot be read.

        Raises:
            BudgetError: The next call could exceed what was allowed.
        """
        try:
            reply = self.model.complete(self.request(turn, before))
        except ModelError:
            return None
        return None if reply.finish is not Finish.STOP else read_facts(reply.text, self.limit)


def read_facts(text: str, limit: int) -> list[str] | None:
    """Read a reply strictly: one object with a list of texts, nothing else."""
    data = object_of(text, REPLY)
    if data is None or set(data) != {"facts"} or not isinstance(data["facts"], list):
        return None
    if not all(isinstance(fact, str) for fact in data["facts"]):
        return None
    return list(dict.fromkeys(fact.strip() for fact in data["facts"] if fact.strip()))[:limit]


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
    found: dict[str, tuple[Memory, ...]] = {}
    unread = done = 0
    conversations = [case.conversation for case in dataset.cases()]
    total = sum(len(list(each.turns())) for each in conversations)
    with ThreadPoolExecutor(max_workers=workers) as pool:
        try:
            for conversation in conversations:
                memories: list[Memory] = []
                for turn, facts in _parsed(conversation, extractor, pool):
                    unread += facts is None
                    memories += _memories(turn, facts or [])
                    done += 1
                    on_progress(done, total)
                found[conversation.id] = tuple(memories)
        finally:
            pool.shutdown(cancel_futures=True)
    return found, unread


def _parsed(
    conversation: Conversation, extractor: PromptedExtractor, pool: ThreadPoolExecutor
) -> Iterator[tuple[Turn, list[str] | None]]:
    asked = list(asked_of(conversation))
    turns, before = [turn for turn, _ in asked], [each for _, each in asked]
    yield from zip(turns, pool.map(extractor.facts, turns, before), strict=True)


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
