"""What the registry says of one measure: its function, what it is read from, how it is written, whose it is."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Rows:
    """One value a question, and whether it has one at all."""

    values: NDArray[np.float64]
    """(Q,) 0 where undefined: never read one without *defined*."""
    defined: NDArray[np.bool_]
    """(Q,)"""
    why: str = "undefined for this measure"
    """What is said of questions that are scored and have no value."""
    reasons: tuple[str, ...] = ()
    """(Q,) the same question by question, where they differ."""

    def reason(self, place: int) -> str:
        """Say why the question at *place* has no value."""
        return self.reasons[place] if self.reasons else self.why


class Reads(StrEnum):
    """What a measure is computed from."""

    RANKINGS = "rankings"
    """Function of :class:`memgauge.measures.Judged` and the parameters, giving :class:`Rows`."""
    FACTS = "rankings beside facts"
    """Of a :class:`memgauge.measures.facts.QuestionFacts` and the cutoff, giving a value or why there is none."""
    ANSWERS = "answers"
    """Of an answer, its gold and its question, giving a value or why there is none."""
    CLAIMS = "answers beside the memories shown"
    """Of :class:`memgauge.measures.answers.consistency.ClaimCounts`, giving a value or ``None``."""
    CHOICES = "choices among options"
    """Of :class:`memgauge.measures.answers.choices.ChoicesMade`, giving a value or why there is none."""
    VERDICTS = "verdicts of judges"
    """Of the verdicts on one answer and its gold, giving a value or why there is none."""
    WRITES = "memories that were judged"
    """Of the grades of a whole store, giving a value or ``None``."""
    SHIFTS = "questions after a shift"
    """Of hits in segments that begin at a shift, giving a value or ``None``."""
    HANDED = "what a program hands in"
    """Of whatever its function says."""


GIVEN_BY: Final[Mapping[Reads, str]] = {
    Reads.RANKINGS: "`memgauge score RUN --measure '{measure}'` gives it.",
    Reads.FACTS: "`memgauge score RUN --measure '{measure}'` gives it.",
    Reads.ANSWERS: "`memgauge models answer RUN --measure '{measure}'` gives it.",
    Reads.CLAIMS: "`memgauge models answer RUN --measure '{measure}'` gives it.",
    Reads.CHOICES: "`memgauge models choose RUN --measure '{measure}'` gives it.",
    Reads.VERDICTS: "`memgauge models judge RUN` gives it, once the run has answers.",
    Reads.WRITES: "`memgauge models writes RUN` gives it.",
    Reads.SHIFTS: "`memgauge study shift run` gives it.",
    Reads.HANDED: "`{module}` gives it in Python.",
}
"""How somebody comes to a measure, by what it is read from."""


@dataclass(frozen=True)
class Formula:
    """What a registry entry says about one kind of measure."""

    compute: Callable[..., Any]
    """Of what *reads* says; of questions already cut to the cutoff, where rankings are read."""
    cutoff: bool | None = True
    """Whether a cutoff must be named; ``False``: it may be, and none means all; ``None``: there is none."""
    options: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Accepted values of each parameter, the default first."""
    tokens: bool = False
    """Whether a budget of tokens may take the place of a cutoff."""
    ladder: bool = False
    """Whether it is the area under its values at every budget of :data:`memgauge.measures.BUDGETS`."""
    grows: bool = True
    """Whether a list that goes on, and is judged as far, can only raise it within a budget of tokens."""
    reads: Reads = Reads.RANKINGS
    lower: bool = False
    """Whether less is better."""
    unit: str = "share"
    undefined: str = "nothing to find"
    """What leaves a question, or a run, without a value."""
    source: str = ""
    """Who defined it; empty where we did."""
    says: str = ""
    """What it is, in one sentence; empty where the function says it."""

    @property
    def sentence(self) -> str:
        """Say what it is."""
        first_paragraph = (inspect.getdoc(self.compute) or "").partition("\n\n")[0]
        return self.says or " ".join(first_paragraph.replace("*", "").replace("``", "").split())

    @property
    def direction(self) -> str:
        """Say which values are better."""
        return "lower is better" if self.lower else "higher is better"

    @property
    def grammar(self) -> str:
        """Say what follows the name: ``@k``, ``[@k]``, ``@k or @tokens``; nothing where nothing does."""
        if self.cutoff is None or self.ladder:
            return ""
        length = "@k or @tokens" if self.tokens else "@k"
        return length if self.cutoff else f"[{length}]"
