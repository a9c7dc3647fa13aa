"""A registry in git with somebody's submission, and beside it a good one that is not committed yet."""

from __future__ import annotations

import json
import shutil
import subprocess
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from memgauge.datasets.catalogue import open_dataset
from memgauge.runs.play.execute import execute
from memgauge.runs.play.plan import plan
from memgauge.runs.record.store import load
from memgauge.scoring.gold import GoldTable
from memgauge.scoring.score import write_scores
from memgauge.submissions.layout import CARD, LOCK, PRODUCT
from memgauge.submissions.packing.about import Submitted
from memgauge.submissions.packing.pack import pack
from memgauge.submissions.repository import SUBMISSIONS, Repository, SubmissionFolder, settings_of
from memgauge.submissions.sheets.registry import BoardSheet, DatasetSheet
from memgauge.submissions.sheets.submission import AdapterSource
from memgauge.submissions.sheets.writing import sheet_text
from memgauge.submissions.site.build import view_of, write_site

if TYPE_CHECKING:
    from collections.abc import Sequence

CHECKOUT: Final = Path(__file__).parents[2]
DATASET: Final = "synthetic:tiny"
CONTRACT: Final = "synthetic-small-tokens"
DAY: Final = date(2027, 1, 14)
ADAPTER: Final = AdapterSource(repo="ann/memory", commit="a" * 40, licence="MIT")
NEW: Final = "20270114-ann-default"
"""Folder of the good submission."""
OLD: Final = "20270114-bob-default"
"""Folder of the one that is there already."""
STATEMENT: Final = """# Statement

## What was tuned

* Nothing.

## Relations

* None.

## What was changed to run it

* Nothing.

## Known failures

* None that we know of.
"""


def good_registry(root: Path) -> SubmissionFolder:
    """Make the registry at *root*, which is absent; its branch ``main`` has all but the good submission."""
    for part in ("rules", "registry", "boards"):
        shutil.copytree(CHECKOUT / "results" / part, root / part)
    runs = root.with_name(f"{root.name}-runs")
    played = _played(runs, "bm25", (1, 2, 3))
    _register(root, played[0])
    _submit(root, _played(runs, "tfidf", (7,)), "bob", division="open")
    git(root, "init", "--quiet", "--initial-branch=main")
    git(root, "add", ".")
    git(root, "commit", "--quiet", "-m", "Begin")
    build_site(root)
    good = _submit(root, played, "ann", division="closed")
    _describe(good.folder)
    shutil.rmtree(runs)
    return good


def build_site(root: Path) -> None:
    """Build the site of a registry as it is, for later checks to hold rows against."""
    site = site_of(root)
    write_site(view_of(Repository.at(root), site.with_name(f".{site.name}.rows")), site)


def site_of(root: Path) -> Path:
    """Return where the site of a registry lies that was built before the good submission came."""
    return root.with_name(f"{root.name}-site")


def submission_in(root: Path) -> SubmissionFolder:
    """Find the submission of a registry that is not bob's."""
    folder = next(path for path in sorted((root / SUBMISSIONS).glob("*/*/*")) if path.name != OLD)
    return SubmissionFolder(root, folder)


def git(folder: Path, *arguments: str) -> str:
    """Run git in a folder, as somebody."""
    who = ("-c", "user.name=ann", "-c", "user.email=ann@example.org", "-c", "commit.gpgsign=false")
    done = subprocess.run(["git", *who, *arguments], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def _played(folder: Path, system: str, seeds: Sequence[int]) -> list[Path]:
    return execute(plan([DATASET], [system], seeds=seeds), folder, check=False)


def _register(root: Path, folder: Path) -> None:
    """Add the dataset of a run to a registry, with a closed board, and call its system a product."""
    manifest = load(folder).manifest
    dataset = open_dataset(DATASET)
    gold = GoldTable.read(dataset)
    sheet = DatasetSheet(
        schema=DatasetSheet.SCHEMA,
        name="synthetic-tiny",
        ref=DATASET,
        sha256=manifest.dataset.sha256,
        licence="Apache-2.0",
        texts_public=False,
        source="generated; its texts are treated as somebody's",
        questions=len(gold.questions),
        conversations=len(gold.conversations.sizes),
        status="open",
    )
    (root / "registry" / "datasets" / "synthetic-tiny.toml").write_text(sheet_text(sheet), "utf-8")
    for division in ("closed", "open"):
        board = BoardSheet(
            schema=BoardSheet.SCHEMA,
            name=f"synthetic-tiny-{division}.1",
            title="A tiny world",
            kind="tokens",
            contract=CONTRACT,
            dataset="synthetic-tiny",
            division=division,
            lane="lexical",
        )
        (root / "boards" / f"{board.name}.toml").write_text(sheet_text(board), "utf-8")
    product = root / "registry" / "products" / "bm25.toml"
    product.write_text(product.read_text("utf-8").replace('role = "baseline"', 'role = "product"'), "utf-8")


def _submit(root: Path, folders: Sequence[Path], who: str, **more: Any) -> SubmissionFolder:
    repository = Repository.at(root)
    gold = GoldTable.read(open_dataset(DATASET))
    for folder in folders:
        write_scores(load(folder), gold, settings_of(repository.contracts[CONTRACT]))
    statement = root.with_name(f"{root.name}-STATEMENT.md")
    statement.write_text(STATEMENT, "utf-8")
    about = Submitted(who=who, on=DAY, adapter=ADAPTER, contract=CONTRACT, statement=statement, **more)
    packed = pack(folders, repository, about, root)
    statement.unlink()
    return packed.folder


def _describe(folder: Path) -> None:
    """Bring description, lock and card, as a product does that pip installs."""
    (folder / PRODUCT).write_text(
        'summary = "It ranks by words."\nadapter = "memory:Memory"\nmodule = "memory"\npackages = ["bm25==2"]\n',
        "utf-8",
    )
    (folder / LOCK).write_text(f"bm25==2 \\\n    --hash=sha256:{'1' * 64}\n", "utf-8")
    cards = CHECKOUT / "src" / "memgauge" / "reproduce" / "systems" / "cards"
    data = json.loads((cards / "chroma.json").read_text("utf-8"))
    for each in data["value"]["systems"]:
        each["card"] |= {"ref": "bm25", "name": "bm25", "version": "2"}
    (folder / CARD).write_text(json.dumps(data, indent=2) + "\n", "utf-8")
