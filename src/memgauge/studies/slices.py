"""What a study is to everybody else: its commands, its results and their documents, its claims; found by name."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from memgauge.foreign import Raised, call_foreign
from memgauge.registry import Registry, load_target

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from memgauge.results import ResultKind
    from memgauge.show import Document


@dataclass(frozen=True)
class ShownResult:
    """A kind of result, and what says what it says; both are imported when a result is looked at."""

    name: str
    """Of the kind, so that it is found without being imported."""
    target: str
    """``module:KIND``."""
    show: str
    """``module:function`` from a value to its document."""

    @property
    def kind(self) -> ResultKind[Any]:
        """Return the kind."""
        return cast("ResultKind[Any]", load_target(self.target))

    def document(self, value: object) -> Document:
        """Return what a value says."""
        return cast("Callable[[object], Document]", load_target(self.show))(value)


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
    results: tuple[ShownResult, ...] = ()
    files: tuple[StudyFiles, ...] = field(default=())

    @property
    def package(self) -> str:
        """Return the package it lives in; the folder ``claims`` there holds sections of figures to recompute."""
        return self.commands.partition(":")[0].rpartition(".")[0]


STUDIES: Registry[Slice] = Registry(
    "study",
    "memgauge.studies",
    {
        "attribution": "memgauge.studies.attribution.slice:SLICE",
        "board": "memgauge.studies.board.slice:SLICE",
        "context": "memgauge.studies.context.slice:SLICE",
        "erasure": "memgauge.studies.erasure.slice:SLICE",
        "golden": "memgauge.studies.golden.slice:SLICE",
        "production": "memgauge.studies.production.slice:SLICE",
        "quality": "memgauge.studies.quality.slice:SLICE",
        "shift": "memgauge.studies.shift.slice:SLICE",
        "targets": "memgauge.studies.targets.slice:SLICE",
        "track": "memgauge.studies.track.slice:SLICE",
        "weak": "memgauge.studies.weak.slice:SLICE",
    },
)
"""Every study; an installed package adds one by an entry point of the group ``memgauge.studies``."""


_BESIDE = (
    ShownResult(
        "systems matrix", "memgauge.systems.conformance.kinds:MATRIX", "memgauge.systems.conformance.show:document"
    ),
)
"""Results of what is no study."""


def slices() -> Iterator[Slice]:
    """Yield every study that can be used, by name."""
    return (study for _, study in _loaded() if isinstance(study, Slice))


def unusable() -> Iterator[str]:
    """Say of every installed study that cannot be used why not: others and their commands stay."""
    for name, study in _loaded():
        if not isinstance(study, Slice):
            why = str(study) if isinstance(study, Raised) else f"its target is no Slice but {type(study).__name__}"
            yield f"The installed study {name!r} cannot be used: {why}."


def _loaded() -> Iterator[tuple[str, object]]:
    """Load studies; those of other packages are foreign code."""
    for name in STUDIES.names():
        load = partial(STUDIES.get, name)
        yield name, load() if name in STUDIES.builtin else call_foreign(load)


def results() -> Iterator[ShownResult]:
    """Yield every kind of result that has a page: those of the studies, and those of what is none."""
    yield from (shown for study in slices() for shown in study.results)
    yield from _BESIDE


def shown_as(data: object) -> ShownResult | None:
    """Find what shows a result; ``None`` for what nobody knows."""
    from memgauge.results import kind_of

    kind = kind_of(data)
    return next((shown for shown in results() if shown.name == kind), None)


def recognised(path: Path) -> StudyFiles | None:
    """Find the study that keeps files like this one."""
    return next(
        (files for study in slices() for files in study.files if load_target(files.recognise)(path)),  # type: ignore[operator]
        None,
    )
