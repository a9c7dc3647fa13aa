"""What the conformance check found of a system when its run was made."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Conformance:
    """A result, or that there is none."""

    checked: bool = False
    """Whether the check was made."""
    failed: tuple[str, ...] = ()
    """What it found wrong, a sentence each."""
    why: str = ""
    """Why it was not made."""

    @property
    def sentence(self) -> str:
        """Say it in words."""
        if not self.checked:
            return f"Conformance was not checked{f': {self.why}' if self.why else ''}."
        if not self.failed:
            return "It conforms to the protocol."
        return f"It does not conform: {'; '.join(self.failed)}."


UNCHECKED = Conformance()
"""Of runs that say nothing."""
