"""The ceiling: a memory that is told which turns matter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.systems.policies.policy import Policy
from memgauge.systems.protocol import Role

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from memgauge.records import Memory, Scope
    from memgauge.systems.policies.store import Shelf


class Oracle(Policy):
    """Returns exactly the evidence turns that it has stored, in the order of the gold: the ceiling of retrieval.

    Tie rule: none needed; the gold has an order.
    """

    name = "oracle"
    role = Role.CEILING

    def __init__(self, *, as_heard: bool = True, speaker: bool = False) -> None:
        super().__init__(as_heard=as_heard, speaker=speaker)
        self._relevant: dict[str, tuple[str, ...]] = {}

    def reveal(self, relevant: Mapping[str, Sequence[str]]) -> None:
        """Learn the evidence of one conversation, in place of what was revealed before."""
        self._relevant = {question: tuple(dict.fromkeys(turns)) for question, turns in relevant.items()}

    def _rank(
        self,
        query: str,
        scope: Scope,  # noqa: ARG002 - the base's signature
        shelf: Shelf,
        k: int,  # noqa: ARG002 - the base's signature
    ) -> Iterator[tuple[Memory, float | None]]:
        wanted = self._relevant.get(query, ())
        return ((shelf.memories[turn], None) for turn in wanted if turn in shelf.memories)
