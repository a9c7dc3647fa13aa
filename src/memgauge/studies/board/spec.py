"""What stands on a published board, as data: the dataset, the lanes, and what could not be played and why."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from memgauge.studies.checkout import read_spec

if TYPE_CHECKING:
    from pathlib import Path

FILE: Final = "board.toml"
EMBEDDER: Final = "{embedder}"
"""Where a system names its embedder; one without it is one lane, and needs none."""


class _SpecPart(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Contender(_SpecPart):
    """One system, in as many lanes as there are embedders, or in one."""

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9-]*$")
    system: str
    """Its reference, with ``{embedder}`` where the embedder is named."""
    kind: Literal["baseline", "product"]
    embedders: tuple[str, ...] = ()
    """Those of the board that it is played with; all where none is named."""


class AbsentContender(_SpecPart):
    """One that is on no lane, and the reason in a sentence."""

    name: str
    why: str


class Lane(_SpecPart):
    """One row of the board: one system with one embedder, or without any."""

    key: str
    """Of its files."""
    name: str
    system: str
    kind: Literal["baseline", "product"]
    embedder: str = ""


class SampleSpec(_SpecPart):
    """A piece of another dataset that lanes of the board are played on; it is too small to rank anybody."""

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9-]*$")
    dataset: str
    about: str
    """Which piece it is, what a turn of it is, and what its gold allows to measure."""


class BoardSpec(_SpecPart):
    """A board before anything is played."""

    title: str
    dataset: str
    conversations: int | None = None
    """Only the first so many; ``None`` is all."""
    k: int = 60
    timeout: float = 60.0
    """Seconds that one call may take."""
    embedders: tuple[str, ...]
    warmed: bool = True
    """Whether every text is embedded once before any clock runs."""
    margin: float = 0.01
    """Within which a lane that is played again from scratch must agree."""
    repeated: tuple[str, ...] = ()
    """Keys of the lanes that are played again from scratch."""
    contenders: tuple[Contender, ...] = Field(alias="contender", min_length=1)
    absent: tuple[AbsentContender, ...] = ()
    sampled: tuple[str, ...] = ()
    """Keys of the lanes that are played on samples too."""
    only: tuple[str, ...] = ()
    """Keys of the lanes that there are; all of them where none is named."""
    samples: tuple[SampleSpec, ...] = Field((), alias="sample")

    @model_validator(mode="after")
    def _repeats_what_there_is(self) -> Self:
        keys = [lane.key for lane in self.lanes]
        if len(set(keys)) < len(keys):
            raise ValueError("two contenders have the same name")
        for field, lane_keys in (("repeated", self.repeated), ("sampled", self.sampled)):
            if unknown_names := set(lane_keys) - set(keys):
                raise ValueError(f"{field} names no lane: {', '.join(sorted(unknown_names))}")
        for contender in self.contenders:
            if unknown_names := set(contender.embedders) - set(self.embedders):
                raise ValueError(f"{contender.name}: no embedder of the board: {', '.join(sorted(unknown_names))}")
            if contender.embedders and EMBEDDER not in contender.system:
                raise ValueError(f"{contender.name}: embedders are named, and its system takes none")
        if len({sample.name for sample in self.samples}) < len(self.samples):
            raise ValueError("two samples have the same name")
        return self

    @property
    def lanes(self) -> tuple[Lane, ...]:
        """Return every lane, in the order of the contenders."""
        lanes = (lane for contender in self.contenders for lane in _lanes(contender, self.embedders))
        return tuple(lane for lane in lanes if not self.only or lane.key in self.only)

    def on(self, sample: SampleSpec) -> BoardSpec:
        """Describe the board of a sample: the lanes that are played on samples, on its dataset."""
        return self.model_copy(
            update={
                "title": sample.name,
                "dataset": sample.dataset,
                "only": self.sampled,
                "repeated": (),
                "absent": (),
                "samples": (),
            }
        )

    @classmethod
    def read(cls, folder: Path) -> BoardSpec:
        """Read the board that *folder* describes.

        Raises:
            DataNotFoundError: It describes none.
            ConfigError: What it says does not fit.
        """
        return read_spec(cls, folder / FILE, "board")


def _lanes(contender: Contender, embedders: tuple[str, ...]) -> tuple[Lane, ...]:
    lane_embedders = (contender.embedders or embedders) if EMBEDDER in contender.system else ("",)
    return tuple(
        Lane(
            key=re.sub(r"[^a-z0-9]+", "-", f"{contender.name}-{embedder.lower()}").strip("-"),
            name=contender.name,
            system=contender.system.replace(EMBEDDER, embedder),
            kind=contender.kind,
            embedder=embedder,
        )
        for embedder in lane_embedders
    )
