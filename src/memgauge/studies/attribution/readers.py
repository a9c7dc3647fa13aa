"""Anything that answers from what sources hold: a wiring, a model or a memory behind one small protocol."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from memgauge.studies.attribution.cells import AnswerSource
from memgauge.systems.reference.wired import UNKNOWN, WIRINGS, Given, cited

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from memgauge.studies.attribution.question import Shown

EVERY = frozenset(AnswerSource)


@dataclass(frozen=True, slots=True)
class ReaderReply:
    """What a reader said."""

    text: str
    cited: frozenset[str] | None = None
    """Keys of what it names as its sources, ``?`` for what does not exist; ``None`` where it names none."""
    logged: frozenset[str] | None = None
    """Keys of what its log says that it recalled; ``None`` where there is no log."""
    failed: str = ""
    """Why there is no answer."""


class Reader(Protocol):
    """Answers; it is shown neither truth nor cell."""

    @property
    def name(self) -> str:
        """Name it in reports."""
        ...

    @property
    def details(self) -> Mapping[str, Any]:
        """Return everything else that decides an answer."""
        ...

    @property
    def carries(self) -> frozenset[AnswerSource]:
        """The sources that it can be given."""
        ...

    @property
    def logs(self) -> frozenset[AnswerSource]:
        """The sources whose use its log covers."""
        ...

    def read(self, asks: Sequence[Shown]) -> Iterator[ReaderReply]:
        """Answer, in the order asked."""
        ...


@dataclass(frozen=True)
class WiredReader:
    """A wiring without any memory around it: it sees values, not texts."""

    wiring: str
    cites: str = "used"
    carries: frozenset[AnswerSource] = EVERY
    details: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Name the wiring."""
        return f"wiring:{self.wiring}"

    @property
    def logs(self) -> frozenset[AnswerSource]:
        """Everything that it is given is logged."""
        return EVERY

    def read(self, asks: Sequence[Shown]) -> Iterator[ReaderReply]:
        """Answer by the rule."""
        for ask in asks:
            memory = next((item.value for item in reversed(ask.memory) if item.slot == ask.question.slot), "")
            given = Given(memory, ask.document, ask.state, ask.question.lure)
            taken = WIRINGS[self.wiring](given)
            yield ReaderReply(
                taken.value or UNKNOWN,
                frozenset(cited(self.cites, given, taken)),
                frozenset(given.present()),
            )
