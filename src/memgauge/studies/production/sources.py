"""What can be replayed: a sealed run with its dataset, or traffic with its texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.datasets.catalogue import open_dataset
from memgauge.errors import ConfigError, IdentityError
from memgauge.exchange.traffic.freezing import write_dataset
from memgauge.exchange.traffic.identity import FILE
from memgauge.exchange.traffic.reading import Traffic
from memgauge.runs.record.store import load

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.datasets.base import Dataset


def replayable(source: Path, scratch: Path) -> tuple[Dataset, str]:
    """Open what was written and asked in *source*, and name the system that it was made with; traffic has none.

    Raises:
        ConfigError: It is traffic without texts.
        IdentityError: The dataset of a run is not what it was.
        UserError: It is neither, or cannot be opened.
    """
    if (source / FILE).is_file():
        traffic = Traffic.read(source)
        if not traffic.identity.texts:
            raise ConfigError(
                f"{source} holds no texts, and what was asked cannot be asked in other words.",
                "Import it with --with-text where that is allowed.",
            )
        return open_dataset(write_dataset(traffic, scratch / "asked", source.name)), ""
    run = load(source)
    part = run.manifest.dataset
    dataset = open_dataset(part.ref, allow_unpinned=not part.pinned)
    if dataset.identity.sha256 != part.sha256:
        raise IdentityError(f"{part.ref} is not what {source} was made on.", "Restore the data, or take traffic.")
    return dataset, run.manifest.system.ref
