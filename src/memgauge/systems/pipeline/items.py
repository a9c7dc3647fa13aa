"""What the ledger holds: turns, what is left of them, and facts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memgauge.records import Form, Memory

if TYPE_CHECKING:
    from datetime import datetime


HEARD = frozenset({"user", "assistant"})
"""Roles whose turns are returned; what tools, pages and mails say is kept, marked, and never returned."""


@dataclass(frozen=True, slots=True)
class PipelineItem:
    """One memory: a turn, or a fact where it has a slot."""

    id: str
    text: str
    sources: tuple[str, ...]
    at: datetime | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    version: int = 1
    covered: bool = False
    """Whether other items say everything that it says, so that they are returned in its place."""
    expires: datetime | None = None
    """From when on nobody may be told, whatever is asked."""
    owner: str | None = None
    """Whose fact it is: who speaks of themselves, or who is spoken of."""
    subject: str | None = None
    slot: str | None = None
    value: str | None = None
    functional: bool = True
    speaker: str = ""
    session: str = ""
    role: str | None = None
    """Of a turn as it was said; ``None`` for everything else."""

    @property
    def ends(self) -> datetime | None:
        """The first moment at which it is no longer returned as present."""
        return min((end for end in (self.valid_to, self.expires) if end is not None), default=None)

    @property
    def quarantined(self) -> bool:
        """Whether nobody knows who it comes from: no person, and no assistant either."""
        return self.role is not None and self.role not in HEARD

    @property
    def memory(self) -> Memory:
        """Return it as it is dumped and returned."""
        form = Form.CANONICAL if self.role is None else Form.RAW
        channel = f"untrusted: {self.role}" if self.quarantined else ""
        return Memory(
            self.id,
            self.text,
            form,
            self.sources,
            self.version,
            self.at,
            self.valid_from,
            self.ends,
            channel=channel,
        )
