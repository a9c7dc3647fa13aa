"""Samples: pieces of other benchmarks, on which some lanes of the board are played, and which rank nobody."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memgauge.errors import DataNotFoundError
from memgauge.studies.board import SAMPLES
from memgauge.studies.board.notes import BUNDLE
from memgauge.studies.board.published import PublishedBoard, publish

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.studies.board.spec import BoardSpec, SampleSpec


@dataclass(frozen=True)
class PublishedSample:
    """One sample with all that its section says."""

    spec: SampleSpec
    published: PublishedBoard


def place_of(folder: Path, sample: SampleSpec) -> Path:
    """Return where the bundles of a sample lie, below those of its board."""
    return folder / SAMPLES / sample.name


def publish_samples(folder: Path, spec: BoardSpec) -> tuple[PublishedSample, ...]:
    """Compute every number of the samples that have bundles.

    Raises:
        DataNotFoundError: None has, or a dataset is not at hand.
    """
    played_samples = [sample for sample in spec.samples if any(place_of(folder, sample).glob(f"*{BUNDLE}"))]
    if not played_samples:
        raise DataNotFoundError(f"{folder} holds no bundles of samples.", "Play them: memgauge study board play.")
    return tuple(
        PublishedSample(sample, publish(place_of(folder, sample), spec.on(sample))) for sample in played_samples
    )
