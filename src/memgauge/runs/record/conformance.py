"""What the conformance check found of a system when its run was made."""

from __future__ import annotations

from dataclasses import dataclass

from memgauge.records.outcomes import NOT_MADE


@dataclass(frozen=True)
class Conformance:
    """A result, or that there is none."""

    checked: bool = False
    """Whether the check was made."""
    failed: tuple[str, ...] = ()
    """What it found wrong, a sentence each; and what could not be tried any more."""
    why: str = ""
    """Why it was not made."""

    @property
    def broken(self) -> tuple[str, ...]:
        """What was tried and found wrong."""
        return tuple(text for text in self.failed if f": {NOT_MADE}" not in text)

    @property
    def untried(self) -> str:
        """Say how many checks could not be made after one that ended all; empty where each was."""
        left = len(self.failed) - len(self.broken)
        return f"{left} more check{'s' if left > 1 else ''} could not be made" if left else ""

    @property
    def sentence(self) -> str:
        """Say it in words."""
        if not self.checked:
            return f"Conformance was not checked{f': {self.why}' if self.why else ''}."
        if not self.failed:
            return "It conforms to the protocol."
        return f"It does not conform: {'; '.join((*self.broken, *filter(None, (self.untried,))))}."


UNCHECKED = Conformance()
"""Of runs that say nothing."""
