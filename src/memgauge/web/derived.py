"""What is scored over the runs of a whole board: made once for each contract, and apart where it is large.

It follows from the seals of its runs, from the contract and from our code, and is kept by these; scoring itself
refuses other data than a run was made on.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from pydantic import TypeAdapter, ValidationError

from memgauge.datasets.catalogue import open_dataset
from memgauge.runs.record.store import load
from memgauge.scoring.gold import GoldTable
from memgauge.web.apart import apart
from memgauge.web.keeping import key_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from memgauge.datasets.base import Dataset
    from memgauge.runs.record.store import Run
    from memgauge.web.keeping import ContentStore
    from memgauge.web.library import Item

T = TypeVar("T")
LARGEST: Final = 12
"""Runs above which scoring them takes seconds and much memory."""


@dataclass(frozen=True, eq=False)
class ScoredTogether:
    """The runs of a board, opened, with the data that they were made on."""

    runs: Sequence[Run]
    gold: GoldTable
    dataset: Dataset


@dataclass(frozen=True)
class Derivation(Generic[T]):
    """How something is made of runs."""

    name: str
    kind: Any
    """The type of its value, as it is annotated."""
    scored: Callable[..., T]
    """A function of a module: of opened runs, and of parameters whose texts tell them apart."""

    def work(
        self, items: Sequence[Item], seals: Sequence[str], parameters: tuple[object, ...], store: ContentStore
    ) -> DerivedWork[T]:
        """Say what there is to do for some runs; an empty seal is of a run that is not as it was sealed."""
        manifest = items[0].manifest
        assert manifest is not None  # noqa: S101 - only runs that can be scored are
        folders = tuple(item.folder for item in items)
        key = key_of(self.name, *map(str, parameters), *map(str, folders), *seals) if all(seals) else ""
        stamps = (self.name, parameters, folders, tuple(item.stamp for item in items))
        return DerivedWork(self, key, key or stamps, folders, manifest.dataset.ref, parameters, store)


@dataclass(frozen=True)
class DerivedWork(Generic[T]):
    """Something to be made of certain runs."""

    derivation: Derivation[T]
    key: str
    """Of what is kept; empty where nothing may be."""
    memory_key: object
    folders: tuple[Path, ...]
    dataset: str
    parameters: tuple[object, ...]
    store: ContentStore

    @property
    def large(self) -> bool:
        """Whether it takes seconds."""
        return len(self.folders) > LARGEST

    def kept(self) -> T | None:
        """Read what was kept."""
        content = self.store.get(self.key) if self.key else None
        try:
            value: T | None = None if content is None else _adapter(self.derivation).validate_json(content)
        except ValidationError:
            return None
        return value

    def apart(self) -> T:
        """Read or make it in a process of its own, which gives its memory back."""
        return apart(_opened_and_made, self)

    def make(self, opened: Callable[[], ScoredTogether]) -> T:
        """Read or make it here, unless another process is about to."""
        if not self.key:
            return self.derivation.scored(opened(), *self.parameters)
        with self.store.alone(self.key):
            value = self.kept()
            if value is None:
                value = self.derivation.scored(opened(), *self.parameters)
                self.store.put(self.key, _adapter(self.derivation).dump_json(value))
        return value


def _opened_and_made(work: DerivedWork[T]) -> T:
    def opened() -> ScoredTogether:
        dataset = open_dataset(work.dataset, allow_unpinned=True)
        runs = [load(folder, altered=True) for folder in work.folders]
        return ScoredTogether(runs, GoldTable.read(dataset), dataset)

    return work.make(opened)


@cache
def _adapter(derivation: Derivation[Any]) -> TypeAdapter[Any]:
    return TypeAdapter(derivation.kind)


class PutOff(Exception):  # noqa: N818 - nothing went wrong
    """A page needs something that takes seconds; it can be made when that is there."""

    def __init__(self, work: DerivedWork[Any]) -> None:
        super().__init__(work.derivation.name)
        self.work = work
