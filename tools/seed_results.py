"""Make the first submissions of `results/`: the lanes of the published board, as pointers to its bundles.

Run at the root of a checkout: ``python tools/seed_results.py``. What is there already is left alone.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from datetime import date
from pathlib import Path

from memgauge.runs.record.bundle import unbundled
from memgauge.runs.record.seal import file_hash
from memgauge.runs.record.store import load
from memgauge.submissions.layout import COST, POINTER, SHEET
from memgauge.submissions.packing.about import Submitted
from memgauge.submissions.packing.pack import pack
from memgauge.submissions.repository import Repository
from memgauge.submissions.sheets.pointer import PointerSheet
from memgauge.submissions.sheets.submission import AdapterSource, SubmissionSheet
from memgauge.submissions.sheets.writing import sheet_text

ROOT = Path("results")
PRODUCTS = Path("src/memgauge/reproduce/systems/bundles")
SAID = """# Statement

## What was tuned

* Nothing: documented defaults; turns are handed over with their speaker and day.
* These runs were made before plans were announced, one for each dataset: they stand in Open.

## Relations

* Submitted by memgauge's authors, who have no tie to whoever makes this product.

## What was changed to run it

{changed}

## Known failures

* What a run or the card shows stands on its page; nothing else is known to us.
"""


def main() -> int:
    """Make what is missing."""
    repository = Repository.at(ROOT)
    for path in sorted((ROOT / "board").glob("*.zip")):
        if ".repeat" not in path.name:
            _submit(path, repository, path.stem, pointed=True)
    for path in sorted(PRODUCTS.glob("*.zip")):
        _submit(path, repository, f"{path.name.partition('.')[0]}-scripted", pointed=False)
    return 0


def _submit(path: Path, repository: Repository, slug: str, *, pointed: bool) -> None:
    with unbundled(path) as run, tempfile.TemporaryDirectory() as scratch:
        loaded = load(run)
        changed = loaded.manifest.system.capabilities.get("interventions") or ("Nothing.",)
        statement = Path(scratch) / "STATEMENT.md"
        statement.write_text(SAID.format(changed="\n".join(f"* {each}" for each in changed)), "utf-8")
        about = Submitted(
            who="memgauge",
            on=date(2026, 11, 25),
            relation="memgauge-author",
            division="open",
            slug=slug,
            label="" if pointed else f"{loaded.manifest.system.name}, scripted",
            contract="locomo-tokens",
            adapter=AdapterSource(repo="memgauge/memgauge", commit=_commit_of(path), licence="Apache-2.0"),
            statement=statement,
        )
        packed = pack([run], repository, about, Path(scratch))
        place = ROOT / packed.folder.folder.relative_to(scratch)
        if place.exists():
            return
        shutil.copytree(packed.folder.folder, place)
        sheet = packed.folder.sheet
    if pointed:
        _point(place, sheet, path)
    sys.stdout.write(f"{place}\n")


def _commit_of(path: Path) -> str:
    """Return the commit that a bundle came with, whose adapters made it."""
    done = subprocess.run(
        ["git", "log", "-1", "--format=%H", "--", str(path)], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def _point(place: Path, sheet: SubmissionSheet, path: Path) -> None:
    """Leave a bundle where it lies, and a pointer in its stead."""
    (run,) = sheet.runs
    (place / run.bundle).unlink()
    pointer = PointerSheet(
        schema=PointerSheet.SCHEMA,
        path=path.relative_to(ROOT).as_posix(),
        sha256=file_hash(path),
        bytes=path.stat().st_size,
    )
    name = run.bundle.removesuffix(".zip") + POINTER
    (place / name).write_text(sheet_text(pointer), "utf-8")
    costs = place / COST
    costs.write_text(costs.read_text("utf-8").replace(f'"{run.bundle}"', f'"{name}"'), "utf-8")
    named = run.model_copy(update={"bundle": name, "sha256": pointer.sha256})
    (place / SHEET).write_text(sheet_text(sheet.model_copy(update={"runs": (named,)})), "utf-8")


if __name__ == "__main__":
    sys.exit(main())
