"""The plan that was announced before the first write: every cell of a command, whether it came to a run or not.

Its digest is the sha256 of the file, which every manifest of the plan names. Cells stand in the order of their
identities and nothing else is in it, so that the same cells have the same digest, whoever asks for them and when.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from memgauge.errors import RunError, RunNotFoundError
from memgauge.misfits import first_misfit
from memgauge.runs.record.files import PLANS, small, write_atomically

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from memgauge.runs.record.manifest import Manifest

FOLDER: Final = PLANS
SCHEMA: Final = "memgauge.plan/1"
SHORT: Final = 12
"""Letters of a digest in the name of a file."""


class _PlanPart(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class AnnouncedDataset(_PlanPart):
    """The data of a cell, exactly."""

    ref: str
    sha256: str
    options: dict[str, str] = Field(default_factory=dict)


class AnnouncedSystem(_PlanPart):
    """The system of a cell, with its options, as it presented itself when the plan was made."""

    ref: str
    label: str
    version: str
    source: str = ""


class AnnouncedCell(_PlanPart):
    """One run that is going to be made."""

    run: str = Field(pattern=r"^[0-9a-f]{64}$")
    """Identity of its manifest."""
    dataset: AnnouncedDataset
    system: AnnouncedSystem
    seed: int = 0
    stream: dict[str, Any] = Field(default_factory=dict)
    limits: dict[str, Any] = Field(default_factory=dict)
    conversations: int | None = None
    """Only the first so many; ``None`` is all."""

    @classmethod
    def of(cls, manifest: Manifest) -> AnnouncedCell:
        """Announce the run of *manifest*."""
        data, system = manifest.dataset, manifest.system
        return cls(
            run=manifest.identity,
            dataset=AnnouncedDataset(ref=data.ref, sha256=data.sha256, options=data.options),
            system=AnnouncedSystem(
                ref=system.ref, label=system.label, version=system.version, source=system.source
            ),
            seed=manifest.seed,
            stream=manifest.stream.model_dump(mode="json"),
            limits=manifest.limits.model_dump(mode="json"),
            conversations=manifest.conversations,
        )


class AnnouncedPlan(_PlanPart):
    """All cells of one command."""

    schema_: Literal["memgauge.plan/1"] = Field(default=SCHEMA, alias="schema")
    cells: tuple[AnnouncedCell, ...]

    @classmethod
    def of(cls, manifests: Iterable[Manifest]) -> AnnouncedPlan:
        """Announce the runs of *manifests*, each once."""
        cells = {cell.run: cell for cell in map(AnnouncedCell.of, manifests)}
        return cls(cells=tuple(cells[run] for run in sorted(cells)))

    @classmethod
    def read(cls, path: Path) -> AnnouncedPlan:
        """Read a plan.

        Raises:
            RunNotFoundError: There is none.
            RunError: It is not, byte for byte, what announcing writes.
        """
        if not path.is_file():
            raise RunNotFoundError(f"No plan at {path}.", "It lies in the folder plans beside the runs.")
        raw = small(path)
        try:
            read = cls.model_validate_json(raw)
        except ValidationError as error:
            misfit = first_misfit(error, "the file itself")
            raise RunError(f"{path}: {misfit}.", "Restore it from a copy.") from error
        if read.text.encode() != raw:
            raise RunError(f"{path} is not as it was written.", "Restore it from a copy.")
        return read

    @property
    def text(self) -> str:
        """Return the plan as it is written."""
        return json.dumps(self.model_dump(mode="json", by_alias=True), indent=1, sort_keys=True) + "\n"

    @property
    def digest(self) -> str:
        """Return the sha256 of the file."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    @property
    def name(self) -> str:
        """Return the name of the file."""
        return f"{self.digest[:SHORT]}.json"

    def write(self, folder: Path) -> Path:
        """Write the plan into the folder of plans in *folder*, where the runs lie, and return its file.

        Raises:
            RunError: It cannot be written.
        """
        path = folder / FOLDER / self.name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise RunError(f"Cannot make {path.parent}: {error.strerror}.", "Choose another --out.") from error
        if not (path.is_file() and small(path) == self.text.encode()):
            write_atomically(path, self.text)
        return path

    def covers(self, manifests: Iterable[Manifest]) -> tuple[AnnouncedCell, ...]:
        """Return the cells for which none of *manifests* is a run; a failed or unfinished run has a manifest."""
        made = {manifest.identity for manifest in manifests}
        return tuple(cell for cell in self.cells if cell.run not in made)

    def announces(self, manifest: Manifest) -> bool:
        """Whether a run was begun under this plan, and not under another that has the same cell."""
        return manifest.plan == self.digest and any(cell.run == manifest.identity for cell in self.cells)
