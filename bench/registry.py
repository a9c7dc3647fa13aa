"""A registry of many small submissions, made by seed: distinct bundles without texts, of runs of a tiny world."""

from __future__ import annotations

import json
import random
import zlib
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

from memgauge.datasets.catalogue import open_dataset
from memgauge.records import BOARD
from memgauge.runs.play.execute import execute
from memgauge.runs.play.plan import plan
from memgauge.runs.record import journal
from memgauge.runs.record.bundle import bundle, without_text
from memgauge.runs.record.manifest import FILE as MANIFEST
from memgauge.runs.record.manifest import limits
from memgauge.runs.record.seal import file_hash, seal
from memgauge.runs.record.spelling import encode
from memgauge.scoring.gold import GoldTable
from memgauge.submissions.layout import SHEET
from memgauge.submissions.sheets.registry import (
    BoardSheet,
    ContractSheet,
    DatasetSheet,
    LaneSheet,
    ProductSheet,
    contract_digest,
)
from memgauge.submissions.sheets.submission import SubmissionSheet
from memgauge.submissions.sheets.writing import sheet_text
from memgauge.text.jsons import json_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.submissions.sheets.base import Sheet

DATA: Final = "synthetic:tiny"
SYSTEMS: Final = ("bm25", "recency")
LANES: Final = ("local-a", "local-b", "local-c", "local-d")
KINDS: Final = ("tokens", "write-cost", "p95")
SETTINGS: Final = 8
"""Submissions of a product, over two lanes."""
MEASURES: Final = ("Recall@250tok", "Recall@10")
K: Final = 60


@dataclass(frozen=True)
class MadeSubmission:
    """One submission that is to be made."""

    number: int
    product: str
    lane: str
    day: str
    system: str
    runs: int = 1

    @property
    def version(self) -> str:
        """Return its version, which no two settings of a product in a lane share."""
        return f"1.{self.number % SETTINGS}"


def make_registry(root: Path, submissions: int, *, seed: int = 1, jobs: int = 1, runs: int = 1) -> None:
    """Write a registry of so many submissions, and of ``bm25`` that stands beside them.

    Args:
        root: An empty folder, or one that is not there yet.
        submissions: How many.
        seed: Decides which runs they hold.
        jobs: Processes that make them; how many changes nothing.
        runs: Of each submission.
    """
    planned = [_planned(number, runs) for number in range(submissions)]
    _write_sheets(root, sorted({each.product for each in planned}))
    with TemporaryDirectory() as scratch:
        bases = bare_runs(Path(scratch))
        add = partial(add_submission, root, bases, seed)
        add(MadeSubmission(0, "bm25", "lexical", "20270101", "bm25", runs))
        if jobs < 2:
            list(map(add, planned))
        else:
            with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
                list(pool.map(add, planned, chunksize=8))


def _planned(number: int, runs: int) -> MadeSubmission:
    product, setting = divmod(number, SETTINGS)
    lane = LANES[(product + setting // (SETTINGS // 2)) % len(LANES)]
    day = f"202701{1 + number % 28:02d}"
    return MadeSubmission(number, f"product-{product:03d}", lane, day, SYSTEMS[0], runs)


def add_submission(root: Path, bases: dict[str, Path], seed: int, made: MadeSubmission) -> Path:
    """Write one submission, its rankings spoilt as its number says.

    Returns:
        Its folder.
    """
    name = f"{made.day}-ann-n{made.number:04d}"
    folder = root / "submissions" / made.product / made.version / name
    (folder / "bundles").mkdir(parents=True)
    data = _dataset()
    listed = []
    for run in range(made.runs):
        dice = random.Random(f"{seed} {made.product} {made.number} {run}")  # noqa: S311 - no secret
        place = f"bundles/tiny.{run}.zip"
        with TemporaryDirectory() as scratch:
            asked = _spoilt(bases[made.system], Path(scratch), made, dice, run)
            bundle(Path(scratch), folder / place)
        digest = file_hash(folder / place)
        about = {"seed": run, "bundle": place, "sha256": digest, "questions": asked, "errors": 0}
        listed.append({"dataset": f"{DATA}@{data.sha256[:12]}", **about})
    sheet = SubmissionSheet.model_validate(_sheet(made, name, listed))
    (folder / SHEET).write_text(sheet_text(sheet), "utf-8")
    return folder


def _sheet(made: MadeSubmission, name: str, runs: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "schema": SubmissionSheet.SCHEMA,
        "id": f"{made.product}-{made.version}/{name}",
        "product": made.product,
        "version": made.version,
        "label": f"{made.product}:setting={made.number}",
        "rules": "2027.1",
        "division": "open",
        "category": "open-source",
        "lane": made.lane,
        "contract": "tiny",
        "submitter": {"github": "ann", "relation": "none"},
        "adapter": {"repo": "ann/adapter", "commit": "a" * 40, "licence": "Apache-2.0"},
        "reproduce": "memgauge results reproduce .",
        "plan": "",
        "tuned_on": [],
        "calls_per_question": {"search": 1, "model": 0},
        "licence": "CC0-1.0",
        "sign_off": "ann",
        "runs": runs,
    }


def bare_runs(folder: Path) -> dict[str, Path]:
    """Play the systems once, and take the texts out of their journals, so that no submission has to."""
    folders = execute(plan([DATA], list(SYSTEMS), limits=limits(k=K)), folder, check=False)
    for each in folders:
        path = each / journal.FILE
        with path.open("rb") as file:
            lines = b"".join(without_text(file))
        path.write_bytes(lines)
    return dict(zip(SYSTEMS, folders, strict=True))


def _spoilt(base: Path, scratch: Path, made: MadeSubmission, dice: random.Random, run: int) -> int:
    """Write a run whose rankings are shuffled the more, the worse its product is; return how many were asked."""
    manifest = json_of((base / MANIFEST).read_bytes())
    manifest["seed"] = run
    (scratch / MANIFEST).write_text(json.dumps(manifest, indent=2) + "\n", "utf-8")
    share = 0.0 if made.product == "bm25" else random.Random(made.product).random()  # noqa: S311 - no secret
    rows = [json_of(line) for line in (base / journal.FILE).read_bytes().splitlines()]
    content, attempt, asked = bytearray(), list[dict[str, Any]](), 0
    for row in rows:
        if row["t"] == "sum":
            lines = encode(attempt)
            content += lines + journal.sum_line(row["conversation"], row["attempt"], len(lines), zlib.crc32(lines))
            attempt = []
            continue
        if row["t"] == "question":
            asked += 1
            _shuffle(row, dice, share)
        attempt.append(row)
    (scratch / journal.FILE).write_bytes(content)
    seal(scratch)
    return asked


def _shuffle(row: dict[str, Any], dice: random.Random, share: float) -> None:
    memories = row["memories"]
    for place in range(len(memories)):
        if dice.random() < share:
            other = dice.randrange(len(memories))
            memories[place], memories[other] = memories[other], memories[place]
    row["ms"] = round(row["ms"] * (1 + dice.random()), 6)


def _dataset() -> Any:
    return open_dataset(DATA).identity


def _write_sheets(root: Path, products: list[str]) -> None:
    (root / "rules").mkdir(parents=True)
    (root / "rules" / "2027.1.md").write_text("# Rules 2027.1\n\n## Eligibility\n\nAnything invented.\n", "utf-8")
    for folder, sheet in _sheets(products):
        (root / folder).mkdir(parents=True, exist_ok=True)
        (root / folder / f"{sheet.name}.toml").write_text(sheet_text(sheet), "utf-8")  # type: ignore[attr-defined]


def _sheets(products: list[str]) -> Iterator[tuple[str, Sheet]]:
    gold = GoldTable.read(open_dataset(DATA))
    about = {"licence": "Apache-2.0", "texts_public": True, "source": "generated by memgauge", "status": "open"}
    homes = {question.conversation for question in gold.questions}
    sizes = {"questions": len(gold.questions), "conversations": len(homes)}
    data = {"schema": DatasetSheet.SCHEMA, "name": "tiny", "ref": DATA, "sha256": gold.identity.sha256}
    yield "registry/datasets", DatasetSheet.model_validate(data | about | sizes)
    digest = contract_digest(str(BOARD), MEASURES, K)
    rules = {"schema": ContractSheet.SCHEMA, "name": "tiny", "title": "Evidence within 250 tokens"}
    counted = {"contract": str(BOARD), "measures": list(MEASURES), "k": K, "sha256": digest}
    yield "registry/contracts", ContractSheet.model_validate(rules | counted)
    for lane in ("lexical", *LANES):
        kind = "lexical" if lane == "lexical" else "local"
        about_lane = {"title": lane, "kind": kind, "network": "none", "means": "How well stored words are found."}
        yield "registry/lanes", LaneSheet.model_validate({"schema": LaneSheet.SCHEMA, "name": lane} | about_lane)
    for product in ("bm25", *products):
        yield "registry/products", ProductSheet.model_validate(_product(product))
    for lane in LANES:
        for kind in KINDS:
            title = f"A tiny world on {lane}: {kind}"
            about_board = {"name": f"tiny-{lane}-{kind}.1", "title": title, "kind": kind}
            where = {"contract": "tiny", "dataset": "tiny", "division": "open", "lane": lane}
            yield "boards", BoardSheet.model_validate({"schema": BoardSheet.SCHEMA} | about_board | where)


def _product(name: str) -> dict[str, Any]:
    baseline = name == "bm25"
    return {
        "schema": ProductSheet.SCHEMA,
        "name": name,
        "title": "BM25" if baseline else name.replace("-", " ").capitalize(),
        "vendor": "nobody",
        "licence": "Apache-2.0",
        "home": f"invented/{name}",
        "role": "baseline" if baseline else "product",
        "category": "open-source",
        "consent": "not-needed",
    }
