"""An answerer that asks a language model, with the same prompt for every memory system."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from memgauge.errors import ModelError
from memgauge.llm.answerers import GivenAnswer
from memgauge.llm.asking import Inquiry, ask
from memgauge.llm.fences import unfenced
from memgauge.llm.forms import FreeText
from memgauge.llm.messages import ANSWER_TOKENS, steady
from memgauge.llm.prompts import number_of, open_prompt
from memgauge.text.normalise import fold
from memgauge.text.tokens import count_tokens

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memgauge.llm.messages import ChatModel, Request
    from memgauge.llm.prompts import Prompt

ABSTAINED = fold("I don't know")
"""What the prompt tells a model to say where the memories do not hold the answer."""


NO_ANSWER: Final = "the reply is no answer"
"""How it begins what is said of a reply that came, and is none."""


@dataclass(frozen=True)
class Prompted:
    """Asks *model* with *prompt* about as many whole memories as fit the budget, best first."""

    model: ChatModel
    prompt: Prompt = field(default_factory=lambda: open_prompt("answer-neutral"))
    budget_tokens: int | None = None
    """Tokens of context; ``None`` shows everything."""
    parameters: Mapping[str, Any] = field(default_factory=lambda: steady(ANSWER_TOKENS))

    @property
    def name(self) -> str:
        """Name the model and the prompt."""
        return f"{self.model.name} {self.prompt.label}"

    @property
    def version(self) -> str:
        """Return the hash of the prompt."""
        return self.prompt.sha256

    @property
    def details(self) -> Mapping[str, Any]:
        """Return everything else that decides an answer."""
        return {
            "model": self.model.name,
            "prompt": self.prompt.label,
            "parameters": dict(self.parameters),
            "budget_tokens": self.budget_tokens,
        }

    def inquiry(self, question: str, context: Sequence[str]) -> tuple[Inquiry[str], int]:
        """Put a question about texts into words; return how many of the texts it shows as well."""
        shown = self._fitting(context)
        messages = self.prompt.render(question=question, context=_shown(context[:shown]))
        return Inquiry(messages, FreeText(), self.parameters), shown

    def request(self, question: str, context: Sequence[str]) -> tuple[Request, int]:
        """Return what the model is sent, and how many of the texts it shows."""
        inquiry, shown = self.inquiry(question, context)
        return inquiry.request(self.model.name), shown

    def tell(self, question: str, context: Sequence[str]) -> GivenAnswer:
        """Ask the model.

        Raises:
            ModelError: It gave no reply, said nothing, declined, or was cut off: none of these is an answer.
        """
        inquiry, shown = self.inquiry(question, context)
        answer = ask(self.model, inquiry)
        if answer.value is None or answer.reply is None:
            raise answer.fault or ModelError(f"{NO_ANSWER}: it {answer.reason}")
        reply = unfenced(answer.value, number_of(question=question, context=_shown(context[:shown])))
        if not reply.strip():
            raise ModelError(f"{NO_ANSWER}: it is empty")
        text = "" if fold(reply) == ABSTAINED else reply
        return GivenAnswer(text, shown, answer.key, answer.usage, answer.reply.raw)

    def answer(self, question: str, context: Sequence[str]) -> str:
        """Return the answer alone."""
        return self.tell(question, context).text

    def _fitting(self, context: Sequence[str]) -> int:
        if self.budget_tokens is None:
            return len(context)
        spent = 0
        for number, text in enumerate(context):
            spent += count_tokens(text)
            if spent > self.budget_tokens:
                return number
        return len(context)


def _shown(context: Sequence[str]) -> Sequence[str]:
    return context or ("(no memories)",)
