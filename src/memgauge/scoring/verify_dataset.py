"""What verification reads of a dataset: once, for all runs of it that are verified one after the other."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Final

from memgauge.runs.record.lineage import digest, spelled
from memgauge.runs.record.rows import iso
from memgauge.scoring.gold import GoldTable
from memgauge.streams import Write, clean, in_units

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from memgauge.datasets.base import Dataset
    from memgauge.records import Case, Turn

HELD: Final = 50_000
"""Turns of a dataset of which an outline and hashes are held; those of a larger one are made for every run."""


@dataclass(frozen=True)
class Outline:
    """What a dataset says of one conversation, as far as rows can be held against it."""

    number: int
    questions: Mapping[str, tuple[str, str | None]]
    """Category and time by id."""
    turns: Mapping[str, Turn]
    """By id, in their order."""
    exact: Mapping[str, str]
    """A turn by the hash of its very words, in every form that we keep."""

    @classmethod
    def of(cls, number: int, case: Case) -> Outline:
        """Outline one conversation."""
        turns = {turn.id: turn for turn in case.conversation.turns()}
        return cls(
            number,
            {question.id: (question.category, iso(question.asked_at)) for question in case.questions},
            turns,
            {digest(text): turn.id for turn in turns.values() for text in spelled([turn])},
        )


@dataclass(frozen=True, eq=False)
class DatasetAtHand:
    """An opened dataset with what verification asks of it."""

    dataset: Dataset
    _outlines: dict[str, Outline] = field(default_factory=dict)
    _raw: dict[str, frozenset[tuple[str, str]]] = field(default_factory=dict)

    @cached_property
    def gold(self) -> GoldTable:
        """Its gold."""
        return GoldTable.read(self.dataset)

    @property
    def outlines(self) -> Mapping[str, Outline]:
        """Every conversation in outline, by id."""
        if self._outlines:
            return self._outlines
        made = {case.conversation.id: Outline.of(number, case) for number, case in enumerate(self.dataset.cases())}
        if sum(len(outline.turns) for outline in made.values()) <= HELD:
            self._outlines.update(made)
        return made

    def raw_digests(self, unit: str) -> frozenset[tuple[str, str]]:
        """Hash what was handed over, as a system may keep it word for word: by write of *unit*, and by turn."""
        if unit in self._raw:
            return self._raw[unit]
        made = frozenset(self._handed_over(unit))
        if len(self._raw) + len(made) <= 6 * HELD:
            self._raw[unit] = made
        return made

    def _handed_over(self, unit: str) -> Iterator[tuple[str, str]]:
        for case in self.dataset.cases():
            writes = [event.turns for event in in_units(clean(case), unit) if isinstance(event, Write)]
            for turns in writes + [(turn,) for turn in case.conversation.turns()]:
                yield from ((case.conversation.id, digest(text)) for text in spelled(turns))


@dataclass(frozen=True)
class _SameData:
    identity: str
    dataset: Dataset = field(compare=False)


def at_hand(dataset: Dataset) -> DatasetAtHand:
    """Return what was read of the same data before, or read nothing yet."""
    return _at_hand(_SameData(repr(dataset.identity), dataset))


@lru_cache(maxsize=2)
def _at_hand(data: _SameData) -> DatasetAtHand:
    return DatasetAtHand(data.dataset)
