"""What `memgauge shift run` leaves behind and prints."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from rich.console import RenderableType

    from memgauge.datasets.base import DatasetIdentity
    from memgauge.studies.shift.findings.sensitivity import DefinitionResult
    from memgauge.studies.shift.study import ShiftStudy

PAGE = "shift.html"
DATA = "shift.json"


@dataclass(frozen=True)
class ShiftCaveats:
    """What a reader must know of a study besides its numbers."""

    preset: str
    dataset: DatasetIdentity
    left_out: str
    """Who could not take part and why; empty where everybody did."""
    readings: Sequence[DefinitionResult]


def parts(study: ShiftStudy, told: ShiftCaveats) -> Iterator[RenderableType]:
    """Yield what the terminal shows."""
    from memgauge.report.shift import shift_tables

    spec = study.outcomes.spec
    yield f"{told.dataset.ref} (sha256 {told.dataset.sha256[:12]}), preset {told.preset}, seed {spec.seed}"
    yield from shift_tables(study.result, spec, beside=_beside(study, told), answers=study.answers)
    yield from _notes(study, told)


def write(study: ShiftStudy, told: ShiftCaveats, out: Path) -> dict[str, Any]:
    """Write the page and the data, and return the data."""
    from memgauge.report.shift_page import render_shift
    from memgauge.results import plain
    from memgauge.runs.files import write_atomically
    from memgauge.version import __version__

    identity = {
        "dataset": told.dataset.ref,
        "sha256": told.dataset.sha256,
        "preset": told.preset,
        "seed": str(study.outcomes.spec.seed),
        "memgauge": __version__,
    }
    page = render_shift(
        study.result,
        study.outcomes.spec,
        title=f"Shift study of {told.dataset.ref}",
        identity=identity,
        beside=_beside(study, told),
        answers=study.answers,
        readings=told.readings,
        notes=_notes(study, told),
    )
    data: dict[str, Any] = identity | {
        "spec": asdict(study.outcomes.spec),
        "result": plain(study.result),
        "answers": plain(study.answers),
        "readings": plain(list(told.readings)),
        "notes": _notes(study, told),
        "seconds": dict(study.outcomes.seconds),
        "runs": [{"policy": p, "burst": m, "folder": str(folder)} for (p, m), folder in study.folders.items()],
    }
    out.mkdir(parents=True, exist_ok=True)
    write_atomically(out / PAGE, page)
    write_atomically(out / DATA, json.dumps(data, indent=1, ensure_ascii=False) + "\n")
    return data


def _notes(study: ShiftStudy, told: ShiftCaveats) -> list[str]:
    from memgauge.report.shift_words import notes

    unpinned = "" if told.dataset.pinned else "The data is not known to be the published file."
    return [*notes(study), *filter(None, [unpinned, told.left_out])]


def _beside(study: ShiftStudy, told: ShiftCaveats) -> bool:
    """Whether the published numbers are of the same thing."""
    spec = study.outcomes.spec
    return told.dataset.name == "locomo" and (spec.k, spec.horizon) == (5, 5)
