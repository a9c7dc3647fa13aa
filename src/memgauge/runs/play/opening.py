"""Opening the system that a manifest names, and no other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from memgauge.errors import IdentityError, UserError
from memgauge.runs.play.call import let_go
from memgauge.systems.catalogue import open_system
from memgauge.systems.loading import source_hash

if TYPE_CHECKING:
    from memgauge.systems.protocol import MemorySystem


class Designated(Protocol):
    """Which system: its text, what it is called, and the hash of its code where it is home-made."""

    @property
    def ref(self) -> str:
        """Return the text that opens it."""
        ...

    @property
    def label(self) -> str:
        """Return what it is called."""
        ...

    @property
    def source(self) -> str:
        """Return the hash of its code; empty for what is built in."""
        ...


@dataclass
class Opening:
    """Opens a system, and remembers why it could not."""

    system: Designated
    seed: int = 0
    problem: UserError | None = None

    def __call__(self) -> MemorySystem:
        """Open it.

        Raises:
            IdentityError: Its code is not what was named.
            UserError: It cannot be opened.
        """
        try:
            opened = open_system(self.system.ref, seed=self.seed)
            self._compare(opened)
        except UserError as error:
            self.problem = error
            raise
        return opened

    def _compare(self, opened: MemorySystem) -> None:
        named = self.system
        if named.source and source_hash(named.ref, opened) != named.source:
            let_go(opened)
            raise IdentityError(
                f"The code of {named.label} is not that of its plan.", "Leave it alone, or run the command again."
            )
