"""A language model as a reader: one versioned prompt, numbered sources, an answer and what it names."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from memgauge.llm.asking import Inquiry, ReplyEnding, ask_many
from memgauge.llm.forms import FreeText
from memgauge.llm.prompts import open_prompt
from memgauge.studies.attribution.cells import AnswerSource
from memgauge.studies.attribution.labels import CITATION, named_sources
from memgauge.studies.attribution.question import document_text, state_text
from memgauge.studies.attribution.readers import EVERY, ReaderReply

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from memgauge.llm.messages import ChatModel, Request
    from memgauge.llm.prompts import Prompt
    from memgauge.studies.attribution.question import Shown

PROMPT = "attribute-sources"


@dataclass(frozen=True)
class Modelled:
    """Shows *model* every source, numbered, in an order that is the same in all cells of a question."""

    model: ChatModel
    prompt: Prompt = field(default_factory=lambda: open_prompt(PROMPT))
    parameters: Mapping[str, Any] = field(default_factory=lambda: {"temperature": 0, "max_tokens": 100})
    workers: int = 1
    carries: frozenset[AnswerSource] = EVERY
    logs: frozenset[AnswerSource] = frozenset()
    """None: that something was shown does not say that it was recalled."""

    @property
    def name(self) -> str:
        """Name the model and the prompt."""
        return f"{self.model.name} {self.prompt.label}"

    @property
    def details(self) -> Mapping[str, Any]:
        """Return what else decides an answer."""
        return {
            "model": self.model.name,
            "prompt": self.prompt.label,
            "sha256": self.prompt.sha256,
            "parameters": dict(self.parameters),
        }

    def inquiry(self, ask: Shown) -> Inquiry[str]:
        """Put a question beside its sources into words."""
        messages = self.prompt.render(question=ask.question.text, sources=[text for _, text in _numbered(ask)])
        return Inquiry(messages, FreeText(), self.parameters, ask.sample)

    def request(self, ask: Shown) -> Request:
        """Return what the model is sent."""
        return self.inquiry(ask).request(self.model.name)

    def read(self, asks: Sequence[Shown]) -> Iterator[ReaderReply]:
        """Ask the model; what is no whole reply has failed.

        Raises:
            BudgetError: The next call could cost more than allowed.
        """
        for ask, answer in ask_many(self.model, ((ask, self.inquiry(ask)) for ask in asks), self.workers):
            if answer.value is not None:
                yield ReaderReply(answer.value, _cited(ask, answer.value))
            elif answer.ending is ReplyEnding.FAILED:
                yield ReaderReply("", failed=answer.reason)
            else:
                yield ReaderReply("", failed=f"the reply is no answer: it {answer.reason}")


def _numbered(ask: Shown) -> list[tuple[str, str]]:
    """Return keys and texts of all sources; which kind comes first turns with the question, not with the cell."""
    kinds = [
        [(memory.key, f"Memory: {memory.text}") for memory in ask.memory],
        [
            (
                str(AnswerSource.DOCUMENT),
                f"Document: {document_text(ask)}" if ask.document else "Document: (none found)",
            )
        ],
        [(str(AnswerSource.STATE), f"State: {state_text(ask)}" if ask.state else "State: (nothing)")],
    ]
    turn = int(ask.question.id[:4], 16) % len(kinds)
    return [pair for kind in kinds[turn:] + kinds[:turn] for pair in kind]


def _cited(ask: Shown, text: str) -> frozenset[str] | None:
    """Return the keys of what is named; two lines that name different sources name none."""
    names = named_sources(text)
    if names is None or len(set(CITATION.findall(text))) > 1:
        return None
    keys = {str(n): key for n, (key, _) in enumerate(_numbered(ask), 1)}
    numbers = re.findall(r"\d+", " ".join(names))  # "Document 7" names the same as "7"
    return frozenset(keys.get(number, "?") for number in numbers or names)
