"""A small registry on a disk, and submissions to it that were really played."""

from __future__ import annotations

import shutil
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from memgauge.runs.play.execute import execute
from memgauge.runs.play.plan import plan
from memgauge.submissions.packing.about import Submitted
from memgauge.submissions.sheets.submission import AdapterSource

if TYPE_CHECKING:
    from collections.abc import Sequence

CHECKOUT = Path(__file__).parents[2]
ADAPTER = AdapterSource(repo="ann/memory", commit="a" * 40, licence="MIT")
DAY = date(2027, 1, 14)
DATASET = "synthetic:small"
STATEMENT = """# Statement

## What was tuned

* Nothing.

## Relations

* None.

## What was changed to run it

* Nothing.

## Known failures

* None that we know of.
"""


def empty_registry(folder: Path) -> Path:
    """Copy rules, registry and boards of the checkout's own registry, without its submissions."""
    for part in ("rules", "registry", "boards"):
        shutil.copytree(CHECKOUT / "results" / part, folder / part)
    return folder


def played(
    folder: Path, system: str = "bm25", seeds: Sequence[int] = (1, 2, 3), dataset: str = DATASET
) -> list[Path]:
    """Play a system with several seeds, as one plan."""
    return execute(plan([dataset], [system], seeds=seeds), folder, check=False)


def submitted(folder: Path, who: str = "ann", slug: str = "default", **more: object) -> Submitted:
    """Say what a submitter says; *folder* takes the statement."""
    statement = folder / "STATEMENT.md"
    statement.write_text(STATEMENT, "utf-8")
    known: dict[str, object] = {"adapter": ADAPTER, "statement": statement, "on": DAY}
    return Submitted(who=who, slug=slug, **{**known, **more})  # type: ignore[arg-type] # fields by name
