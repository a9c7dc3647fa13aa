"""The published study: its description and its records, read from their folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.studies.weak.record import SUFFIX, read_lanes
from memgauge.studies.weak.spec import WeakSpec
from memgauge.studies.weak.study import WeakStudy, row_of

if TYPE_CHECKING:
    from pathlib import Path


def publish(folder: Path) -> WeakStudy:
    """Compute every number of the study at *folder* from its recorded lanes; no model and no product is asked.

    Raises:
        DataNotFoundError: There is no study, or no record.
        MalformedDataError: A record is none.
    """
    spec = WeakSpec.read(folder)
    lanes = read_lanes(folder, spec.keys)
    played_keys = {lane.key for lane in lanes}
    notes = {product.key: product.note for product in spec.products}
    return WeakStudy(
        title=spec.title,
        dataset=spec.dataset,
        turns=spec.turns,
        model=lanes[0].model,
        cap=spec.cap,
        limit_s=spec.limit,
        timeout_s=spec.timeout,
        rows=tuple(row_of(lane, notes.get(lane.key, "")) for lane in lanes),
        unplayed=tuple(key for key in spec.keys if key not in played_keys),
    )


def size_of(folder: Path) -> int:
    """Add up the bytes of the study."""
    return sum(path.stat().st_size for path in folder.iterdir() if path.suffix in {SUFFIX, ".toml"})
