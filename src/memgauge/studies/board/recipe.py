"""The figures of the published board, computed again from its bundles."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from memgauge.datasets.catalogue import open_dataset
from memgauge.errors import DataNotFoundError
from memgauge.results import plain
from memgauge.runs.record.files import small
from memgauge.scoring.verification import Assurance
from memgauge.studies.board import PLACE
from memgauge.studies.board.published import FILE, data_of, publish
from memgauge.studies.board.samples import place_of
from memgauge.studies.board.spec import BoardSpec
from memgauge.studies.checkout import published_at
from memgauge.text.jsons import json_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from typing import Any

_GOOD = {str(Assurance.RECOMPUTED), str(Assurance.REPEATED)}


def board() -> Mapping[str, float]:
    """Recompute every row of the page, and verify every bundle."""
    return figures(published_at(PLACE, FILE, "The bundles of the board"))


def samples() -> Mapping[str, float]:
    """Recompute every row of the samples, and verify every bundle."""
    return sample_figures(published_at(PLACE, FILE, "The bundles of the board"))


def sample_figures(folder: Path) -> Mapping[str, float]:
    """Add up what the samples of the board at *folder* hold, and what of it comes out again.

    Raises:
        DataNotFoundError: A dataset is not at hand, or nothing was played.
    """
    spec = BoardSpec.read(folder)
    figures_by_sample = [
        figures(place, spec.on(sample))
        for sample in spec.samples
        if ((place := place_of(folder, sample)) / FILE).is_file()
    ]
    if not figures_by_sample:
        raise DataNotFoundError(f"{folder} holds no samples.", "Play them: memgauge study board play.")
    sum_names = ("conversations", "questions", "rows", "rows_recomputed", "rows_not_recomputed", "megabytes")
    minimum_names = ("products", "baselines", "embedders")
    return {
        "samples": float(len(figures_by_sample)),
        **{name: sum(sample[name] for sample in figures_by_sample) for name in sum_names},
        **{name: min(sample[name] for sample in figures_by_sample) for name in minimum_names},
    }


def figures(folder: Path, spec: BoardSpec | None = None) -> Mapping[str, float]:
    """Count what the board at *folder* holds, and what of it comes out again.

    Raises:
        DataNotFoundError: The dataset is not at hand.
    """
    spec = spec or BoardSpec.read(folder)
    open_dataset(spec.dataset)
    written_data = json_of(small(folder / FILE))
    published = publish(folder, spec, check=True)
    recomputed_data = json_of(json.dumps(plain(data_of(published))))
    rows = {row["key"]: row for row in written_data["rows"]}
    recomputed = sum(row["level"] in _GOOD and _same(row, rows.get(row["key"])) for row in recomputed_data["rows"])
    return {
        "products": float(_named(recomputed_data, "product")),
        "baselines": float(_named(recomputed_data, "baseline")),
        "embedders": float(len({row["embedder"] for row in recomputed_data["rows"]} - {""})),
        "conversations": float(recomputed_data["conversations"]),
        "questions": float(recomputed_data["questions"]),
        "rows": float(len(rows)),
        "rows_recomputed": float(recomputed),
        "rows_not_recomputed": float(len(rows) - recomputed),
        "repeats_equivalent": float(sum(repeat.equivalent for repeat in published.repeats)),
        "megabytes": published.bundles / 1e6,
    }


def _same(row: dict[str, Any], claimed_row: dict[str, Any] | None) -> bool:
    """Compare two rows but for how far their bundles were verified."""
    return claimed_row is not None and {**row, "level": ""} == {**claimed_row, "level": ""}


def _named(data: dict[str, Any], kind: str) -> int:
    return len({row["name"] for row in data["rows"] if row["kind"] == kind})
