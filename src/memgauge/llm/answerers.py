"""Every answerer by name: what turns retrieved memories into an answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Protocol, runtime_checkable

from memgauge.registry import Registry, arguments_for, parse_ref

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memgauge.llm.messages import Usage

    Factory = Callable[..., "Answerer"]


class Answerer(Protocol):
    """Anything that answers a question from texts; it sees neither gold nor the memory system."""

    @property
    def name(self) -> str:
        """Name it, with what changes its answers."""
        ...

    @property
    def version(self) -> str:
        """Change whenever the same question and context may get another answer."""
        ...

    def answer(self, question: str, context: Sequence[str]) -> str:
        """Answer from *context*, the texts of the retrieved memories, best first; an empty text abstains."""
        ...


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """An answer, and how it came about."""

    text: str
    """Empty where the answerer abstains."""
    shown: int
    """How many of the texts it was shown, best first; a budget may cut the rest."""
    request: str = ""
    """The key of the request to a model, where there was one."""
    usage: Usage | None = None
    raw: str = ""
    """What the model replied, word for word."""


@runtime_checkable
class Explaining(Protocol):
    """An answerer that can say how its answer came about."""

    def tell(self, question: str, context: Sequence[str]) -> GivenAnswer:
        """Answer *question* from *context*.

        Raises:
            ModelError: No usable reply could be had.
        """
        ...


def tell(answerer: Answerer, question: str, context: Sequence[str]) -> GivenAnswer:
    """Answer, with as much about it as the answerer can say."""
    if isinstance(answerer, Explaining):
        return answerer.tell(question, context)
    return GivenAnswer(answerer.answer(question, context), len(context))


@dataclass(frozen=True)
class AlwaysAbstain:
    """Always abstain: the floor."""

    name: ClassVar[str] = "none"
    version: ClassVar[str] = "1"

    def answer(self, question: str, context: Sequence[str]) -> str:  # noqa: ARG002 - the protocol gives them
        """Abstain."""
        return ""


@dataclass(frozen=True)
class First:
    """Return the best memory as it is: what retrieval alone is worth."""

    name: ClassVar[str] = "first"
    version: ClassVar[str] = "1"

    def answer(self, question: str, context: Sequence[str]) -> str:  # noqa: ARG002 - the protocol gives it
        """Return the first text; abstain without one."""
        return context[0] if context else ""


ANSWERERS: Registry[Factory] = Registry(
    "answerer",
    "memgauge.answerers",
    {
        "extractive": "memgauge.llm.extractive:Extractive",
        "first": First,
        "none": AlwaysAbstain,
    },
)
"""What :func:`open_answerer` can open, built in or installed."""


def open_answerer(ref: str) -> Answerer:
    """Open an answerer by its text, e.g. ``extractive:sentences=2``.

    Raises:
        UnknownNameError: A name, a variant or a parameter that does not exist.
        ConfigError: A value that does not fit.
    """
    parsed = parse_ref(ref)
    factory = ANSWERERS.get(parsed.name)
    given = dict(parsed.params) | ({"variant": parsed.variant} if parsed.variant else {})
    return factory(**arguments_for(factory, ANSWERERS.kind, parsed.name, given))
