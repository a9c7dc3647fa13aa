"""A haystack that counts what is alive of haystacks whenever it is written to."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING, ClassVar

from memgauge.records import Turn
from memgauge.systems.policies.archive import Archive
from memgauge.systems.policies.haystack import Haystack

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.records import Receipt, Scope

MARK = "needle-"
"""What every turn of a test holds that counts them."""


class Watching(Haystack):
    """Notes the most that was alive at once."""

    name = "watching"
    most: ClassVar[dict[str, int]] = {"archives": 0, "turns": 0}

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Store, and count."""
        stored = super().ingest(turns, scope)
        # Hundreds of thousands are alive in a long session: their types are looked at once, and nothing is asked.
        alive = [each for each in gc.get_objects() if type(each) in {Archive, Turn}]
        turns_alive = sum(type(each) is Turn and MARK in each.text for each in alive)
        self.most["archives"] = max(self.most["archives"], sum(type(each) is Archive for each in alive))
        self.most["turns"] = max(self.most["turns"], turns_alive)
        return stored
