"""Every reader that chooses among options, by name; any answerer is one too, if it is shown letters."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from memgauge.llm.answerers import GivenAnswer, tell
from memgauge.llm.choosing import LETTERS, lettered
from memgauge.registry import Registry, arguments_for, parse_ref
from memgauge.text.words import content_stems

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from memgauge.llm.answerers import Answerer


class Chooser(Protocol):
    """Anything that chooses from options beside texts; it sees neither gold nor the memory system."""

    @property
    def name(self) -> str:
        """Name it, with what changes its choices."""
        ...

    @property
    def version(self) -> str:
        """Change whenever the same question, options and context may get another reply."""
        ...

    def choose(self, question: str, shown: Sequence[str], context: Sequence[str]) -> GivenAnswer:
        """Reply with the letter of one of the options as *shown*, or with nothing.

        Raises:
            ModelError: No usable reply could be had.
        """
        ...


@dataclass(frozen=True)
class Overlap:
    """Take the option that shares the largest part of its words with one text, or with the question.

    Deterministic and no good reader, but the same for every memory: what differs comes from what was retrieved.
    """

    name: ClassVar[str] = "overlap"
    version: ClassVar[str] = "1"

    def choose(self, question: str, shown: Sequence[str], context: Sequence[str]) -> GivenAnswer:
        """Choose; where two options share as much, choose none."""
        texts = [content_stems(text) for text in (question, *context)]
        shares = [_share(content_stems(option), texts) for option in shown]
        best = max(shares)
        reply = LETTERS[shares.index(best)] if shares.count(best) == 1 else ""
        return GivenAnswer(reply, len(context), raw=reply)


def _share(option: frozenset[str], texts: Sequence[frozenset[str]]) -> float:
    return max(len(option & text) for text in texts) / len(option) if option else 0.0


@dataclass(frozen=True)
class LetterReader:
    """Lets an answerer choose: it is asked the question with lettered options below it."""

    answerer: Answerer
    details: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Return the name of the answerer."""
        return self.answerer.name

    @property
    def version(self) -> str:
        """Return the version of the answerer."""
        return self.answerer.version

    def choose(self, question: str, shown: Sequence[str], context: Sequence[str]) -> GivenAnswer:
        """Ask.

        Raises:
            ModelError: The answerer asks a model, which gave no usable reply.
        """
        return tell(self.answerer, lettered(question, shown), context)


CHOOSERS: Registry[Callable[..., Chooser]] = Registry("chooser", "memgauge.choosers", {"overlap": Overlap})
"""What :func:`open_chooser` can open, built in or installed."""


def open_chooser(ref: str) -> Chooser:
    """Open a chooser by its text.

    Raises:
        UnknownNameError: A name, a variant or a parameter that does not exist.
        ConfigError: A value that does not fit.
    """
    parsed = parse_ref(ref)
    factory = CHOOSERS.get(parsed.name)
    given = dict(parsed.params) | ({"variant": parsed.variant} if parsed.variant else {})
    return factory(**arguments_for(factory, CHOOSERS.kind, parsed.name, given))
