"""What does not fit where a file or a form is read: the first place, and the reason in words of ours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic import ValidationError
    from pydantic_core import ErrorDetails


@dataclass(frozen=True)
class Misfit:
    """One field that is not what it must be."""

    place: str
    reason: str
    """Without a full stop."""

    def __str__(self) -> str:
        """Write both in one line; what has no place is the whole."""
        return f"{self.place}: {self.reason}" if self.place else self.reason


def first_misfit(error: ValidationError, whole: str = "") -> Misfit:
    """Return what pydantic found first; *whole* is what to call everything, where no field of it is to blame."""
    first = error.errors(include_input=False, include_url=False)[0]
    return Misfit(".".join(map(str, first["loc"])) or whole, reason(first))


def reason(details: ErrorDetails) -> str:
    """Say what is wrong with a field, in our words where a reader of ours refused it."""
    return details["msg"].removeprefix("Value error, ")
