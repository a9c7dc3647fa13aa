"""What every benchmark gives: cases without gold, gold apart, and its identity."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from memgauge.results import result

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.records import Case, Choices, Fact, Gold, Memory, Point


@result
@dataclass(frozen=True)
class DatasetIdentity:
    """Which data, exactly: what a run names and a comparison demands to be equal."""

    ref: str
    """The text that opens it again, e.g. ``locomo`` or ``synthetic:small,seed=1``."""
    name: str
    sha256: str
    """Of the file as it lies on disk, or of the generated content for a synthetic world."""
    options: Mapping[str, str] = field(default_factory=dict)
    """Every option that changes what is yielded, defaults included."""
    pinned: bool = True
    """Whether the file is the published one; ``False`` brands every run on it."""
    licence: str = ""
    source: str = ""


class Dataset(Protocol):
    """An opened benchmark. Both iterations may read the file again and must give the same order."""

    @property
    def identity(self) -> DatasetIdentity:
        """Name the data exactly."""
        ...

    def cases(self) -> Iterator[Case]:
        """Yield each conversation with its questions, in the order of the dataset."""
        ...

    def gold(self) -> Iterator[Gold]:
        """Yield the gold of every question, in the order of :meth:`cases`."""
        ...

    def describe(self) -> Mapping[str, object]:
        """Count everything that a reader should check before believing a score, as JSON-ready data."""
        ...


@runtime_checkable
class HasDescendants(Protocol):
    """A dataset that ships derived memories with lineage (LoCoMo's observations and summaries)."""

    def descendants(self, conversation: str) -> Mapping[str, tuple[Memory, ...]]:
        """Return the derived memories of one conversation by kind (``observation``, ``summary``)."""
        ...


@runtime_checkable
class HasPoints(Protocol):
    """A dataset that says what a store should take from each session (HaluMem's memory points)."""

    def points(self) -> Iterator[Point]:
        """Yield every point, in the order of sessions."""
        ...


@runtime_checkable
class HasTruth(Protocol):
    """A dataset that knows what is true, of whom, and from when to when."""

    def truth(self) -> Iterator[Fact]:
        """Yield every version of every fact, in the order of conversations."""
        ...


@runtime_checkable
class HasLabels(Protocol):
    """A dataset whose labels people write, so that one may contradict another."""

    def contradictions(self) -> Iterator[tuple[str, str]]:
        """Yield every label that contradicts another, by its place, with how."""
        ...


@runtime_checkable
class HasChoices(Protocol):
    """A dataset of questions that are answered by choosing; its questions do not hold the options."""

    def choices(self) -> Iterator[Choices]:
        """Yield the options of every question that has some, in the order of :meth:`Dataset.cases`."""
        ...
