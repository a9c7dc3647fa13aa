"""What a study is to everybody else: its commands, its results and their documents, its claims; found by name."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from memgauge.registry import Registry, load_target
from memgauge.results import ResultKind, kind_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from memgauge.show import Document

T = TypeVar("T")


@dataclass(frozen=True)
class ShownResult(Generic[T]):
    """A kind of result, and what says what it says."""

    kind: ResultKind[T]
    show: str
    """``module:function`` from a value to its document; imported when something is shown."""

    def document(self, value: T) -> Document:
        """Return what a value says."""
        made: Document = load_target(self.show)(value)  # type: ignore[operator]  # a function by contract
        return made


@dataclass(frozen=True)
class StudyFiles:
    """Files that a study keeps that are not one result: a history, a folder of what was played."""

    name: str
    made_by: str
    """A command that makes one."""
    recognise: str
    """``module:function`` from a path to whether it is one; quick, for it is asked of many."""
    show: str
    """``module:function`` from a path to a document."""


@dataclass(frozen=True)
class Slice:
    """One study: everything that others mount."""

    name: str
    summary: str
    """One line of help."""
    commands: str
    """``module:app`` of its command group."""
    results: tuple[ShownResult[Any], ...] = ()
    kept: tuple[StudyFiles, ...] = field(default=())

    @property
    def package(self) -> str:
        """Return the package it lives in; the folder ``claims`` there holds sections of figures to recompute."""
        return self.commands.partition(":")[0].rpartition(".")[0]


STUDIES: Registry[Slice] = Registry(
    "study",
    "memgauge.studies",
    {
        "attribution": "memgauge.studies.attribution.slice:SLICE",
        "context": "memgauge.studies.context.slice:SLICE",
        "golden": "memgauge.studies.golden.slice:SLICE",
        "quality": "memgauge.studies.quality.slice:SLICE",
        "shift": "memgauge.studies.shift.slice:SLICE",
        "targets": "memgauge.studies.targets.slice:SLICE",
        "track": "memgauge.studies.track.slice:SLICE",
    },
)
"""Every study; an installed package adds one by an entry point of the group ``memgauge.studies``."""


_BESIDE = (("memgauge.systems.conformance.kinds:MATRIX", "memgauge.systems.conformance.show:document"),)
"""Results of what is no study, as kind and what says what it says; loaded when a result is looked at."""


def slices() -> Iterator[Slice]:
    """Yield every study, by name."""
    return (STUDIES.get(name) for name in STUDIES.names())


def results() -> Iterator[ShownResult[Any]]:
    """Yield every kind of result that has a page: those of the studies, and those of what is none."""
    yield from (shown for each in slices() for shown in each.results)
    yield from (ShownResult(load_target(kind), show) for kind, show in _BESIDE)  # type: ignore[arg-type]  # a kind by contract


def shown_as(data: object) -> ShownResult[Any] | None:
    """Find what shows a result; ``None`` for what nobody knows."""
    kind = kind_of(data)
    return next((shown for shown in results() if shown.kind.name == kind), None)


def recognised(path: Path) -> StudyFiles | None:
    """Find the study that keeps files like this one."""
    return next(
        (kept for each in slices() for kept in each.kept if load_target(kept.recognise)(path)),  # type: ignore[operator]
        None,
    )
