"""Opening the system that a manifest names, and no other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memgauge.errors import IdentityError, UserError
from memgauge.runs.play.call import let_go
from memgauge.systems.catalogue import open_system
from memgauge.systems.loading import source_hash

if TYPE_CHECKING:
    from memgauge.runs.play.player.assignment import Chosen
    from memgauge.runs.record.manifest import SystemPart
    from memgauge.systems.protocol import MemorySystem


@dataclass
class Opening:
    """Opens a system, and remembers why it could not."""

    system: SystemPart | Chosen
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
