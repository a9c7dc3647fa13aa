"""The figures of real systems, computed again from their bundles: runs without texts, and cards."""

from __future__ import annotations

from importlib.resources import as_file, files
from typing import TYPE_CHECKING

from memgauge.datasets.catalogue import open_dataset
from memgauge.records import Contract, Lineage, Target
from memgauge.runs.record.bundle import unbundled
from memgauge.runs.record.store import load
from memgauge.scoring.gold import GoldTable
from memgauge.scoring.quality import quality_columns
from memgauge.scoring.score import Settings, score_file
from memgauge.scoring.verify import passed, verify
from memgauge.stats import spearman
from memgauge.systems.conformance.known import failures
from memgauge.systems.conformance.shipped import shipped_cards

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from memgauge.runs.record.store import Run

MEASURE = "nDCG@10"
WORLD = ("Precision@5", "Recall@5", "Temporal(strict)@5", "Contaminated@5", "AnyContradiction@5")
"""What is kept of the quality study: each is a mean over the questions that it is defined on."""
HIT = "Hit@5"
KINDS = ("bundles", "quality", "shift")
SUFFIX = ".memgauge.zip"


def bundles(kind: str = "bundles") -> Iterator[Path]:
    """Give the path of each shipped bundle, by name: of LoCoMo, or of the ``quality`` or the ``shift`` study."""
    folder = files("memgauge").joinpath("reproduce", "systems", kind)
    for entry in sorted(folder.iterdir(), key=lambda each: each.name):
        if entry.name.endswith(SUFFIX):
            with as_file(entry) as path:
                yield path


def systems() -> Mapping[str, float]:
    """Verify every bundle, score it against the dataset at hand under each target, and read the cards."""
    gold = GoldTable.read(open_dataset("locomo"))
    products, figures = set[str](), dict[str, float]()
    for path in bundles():
        name = path.name.removesuffix(SUFFIX)
        with unbundled(path) as folder:
            run = load(folder)
            products.add(run.manifest.system.name)
            figures |= {f"{name} {target}": value for target, value in _scores(run, gold)}
            figures[f"{name} lineage exact"] = _exact(run)
    cards = list(shipped_cards())
    return {
        **figures,
        **_quality(),
        **_shift(),
        "products with a bundle": float(len(products)),
        "bundles that verify": float(sum(map(_verifies, (path for kind in KINDS for path in bundles(kind))))),
        "order by source and by raw, spearman": _agreement(figures),
        "systems with a card": float(len(cards)),
        "known failures found": float(sum(bool(failure.found) for failure in failures(cards))),
    }


def _scores(run: Run, gold: GoldTable) -> Iterator[tuple[Target, float]]:
    for target in Target:
        scores = score_file(run, gold, Settings(Contract(target=target), (MEASURE,)))["scores"]
        if (value := scores[MEASURE]["value"]) is not None:
            yield target, value


def _verifies(path: Path) -> bool:
    with unbundled(path) as folder:
        return passed(verify(folder))


def _quality() -> dict[str, float]:
    """Score what products returned in the synthetic world by the measures of the third document."""
    figures = dict[str, float]()
    for path in bundles("quality"):
        with unbundled(path) as folder:
            run = load(folder)
            dataset = open_dataset(run.manifest.dataset.ref)
            columns = quality_columns(run, GoldTable.read(dataset))
        name = path.name.removesuffix(SUFFIX)
        for column in columns:
            if column.name in WORLD and column.rows.defined.any():
                figures[f"{name} world {column.name}"] = float(column.rows.values[column.rows.defined].mean())
    return figures


def _shift() -> dict[str, float]:
    """Score what products returned on the clean and on the interrupted stream of the shift study."""
    figures = dict[str, float]()
    for path in bundles("shift"):
        with unbundled(path) as folder:
            run = load(folder)
            gold = GoldTable.read(open_dataset(run.manifest.dataset.ref))
            score = score_file(run, gold, Settings(Contract(), (HIT,)))["scores"][HIT]["value"]
        figures[f"{path.name.removesuffix(SUFFIX)} shift {HIT}"] = float(score)
    return figures


def _exact(run: Run) -> float:
    """Return the share of memories of which the harness itself saw from which turns they descend."""
    lineage = run.memories["lineage"][run.memories["counts"]].tolist()
    return lineage.count(str(Lineage.EXACT)) / len(lineage) if lineage else 0.0


def _agreement(figures: Mapping[str, float]) -> float:
    """Return how far the order of systems stays when only memories in the words of a turn earn credit."""
    names = [name.removesuffix(" source") for name in figures if name.endswith(" source")]
    compared_names = [name for name in names if f"{name} raw" in figures]
    value = spearman(
        [figures[f"{name} source"] for name in compared_names], [figures[f"{name} raw"] for name in compared_names]
    ).value
    return float("nan") if value is None else value
