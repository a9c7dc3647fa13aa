"""Where the text of a piece of evidence is found again: in equal memory points, never in the dialogue."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from memgauge.text.normalise import fold

if TYPE_CHECKING:
    from memgauge.datasets.halumem.schema import UserEntry


class PointPlace(NamedTuple):
    """Which memory point of which session, both counted from 0."""

    session: int
    point: int


class Points:
    """The memory points of one user by their folded text."""

    def __init__(self, user: UserEntry) -> None:
        self._places: defaultdict[str, list[PointPlace]] = defaultdict(list)
        for number, session in enumerate(user.sessions):
            for position, point in enumerate(session.memory_points):
                self._places[fold(point.memory_content)].append(PointPlace(number, position))

    def equal_to(self, text: str, until: int) -> tuple[PointPlace, ...]:
        """Find every point of the sessions up to *until* whose folded text is that of *text*, in order."""
        return tuple(place for place in self._places.get(fold(text), ()) if place.session <= until)
