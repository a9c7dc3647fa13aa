"""What a run may know of evidence: nothing, all of it for a ceiling, or a word after each answer for a learner."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Disclosure(Protocol):
    """Whoever knows the evidence."""

    def turns(self, question: str) -> Sequence[str]:
        """Return the evidence turns of a question, for a ceiling; empty for everybody else."""
        ...

    def held(self, question: str, returned: Sequence[str]) -> bool | None:
        """Say whether *returned* turns held evidence of a question; ``None`` where nobody may know."""
        ...


@dataclass(frozen=True)
class Disclosed:
    """What is known, by question; by itself nothing."""

    relevant: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def turns(self, question: str) -> Sequence[str]:
        """Return the evidence turns of a question."""
        return self.relevant.get(question, ())

    def held(self, question: str, returned: Sequence[str]) -> bool | None:
        """Say whether one of *returned* is evidence; ``None`` for a question that has no entry."""
        if question not in self.relevant:
            return None
        return not set(self.relevant[question]).isdisjoint(returned)
