"""Tables of products in the studies: every cell follows from frozen bundles, and the page shows no other."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import product_tables
from memgauge.datasets.catalogue import open_dataset
from memgauge.errors import IdentityError, RunError
from memgauge.llm.answerers import open_answerer
from memgauge.records import Ranking
from memgauge.reproduce import Status, reproduce
from memgauge.reproduce.product_cards import attributed
from memgauge.reproduce.product_rows import StudyWorld, studied
from memgauge.reproduce.product_streams import PROTOCOL
from memgauge.reproduce.product_tables import ProductRow, ProductTable
from memgauge.reproduce.products import RESULTS, TABLES, ProductFigures, figures
from memgauge.reproduce.retold import RetoldRun, said_in
from memgauge.results import plain
from memgauge.runs.play.execute import execute
from memgauge.runs.play.executors.inline import Inline
from memgauge.runs.play.plan import plan
from memgauge.runs.record.bundle import bundle, unbundled
from memgauge.runs.record.manifest import Limits
from memgauge.runs.record.store import load
from memgauge.studies.attribution.cards import CARDS, CardSet
from memgauge.studies.attribution.memories import Remembering
from memgauge.studies.attribution.question import make_questions
from memgauge.studies.attribution.study import attribute
from memgauge.studies.shift.study import Cast, conduct
from memgauge.systems.policies.lexical import Bm25Policy
from support import real_data

if TYPE_CHECKING:
    from datetime import datetime

    from memgauge.records import Scope
    from memgauge.studies.shift.report import ShiftReport

DATASET = "synthetic:tiny"
COLUMNS = {
    "targets": ["Raw", "Source", "Canonical"],
    "quality": ["Recall@10", "SilentRightly"],
    "temporal": ["Temporal(lenient)@5", "Contaminated@5", "AsOf@5"],
    "context": ["recall@k", "survival"],
}
TABLE = """
[[tables]]
key = "{key}"
title = "{key}"
dataset = "synthetic:tiny"
command = "memgauge run -d synthetic:tiny -s bm25"
columns = {columns}

[[tables.rows]]
key = "bm25"
file = "board/bm25.zip"
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Play BM25 over the tiny world."""
    (folder,) = execute(plan([DATASET], ["bm25"]), tmp_path_factory.mktemp("runs"))
    return folder


@pytest.fixture(scope="module")
def frozen(run: Path, tmp_path_factory: pytest.TempPathFactory) -> ProductFigures:
    """Keep the run without its texts, describe three tables over it, and write what comes out."""
    results = tmp_path_factory.mktemp("results")
    for name in ("board", "products"):
        (results / name).mkdir()
    bundle(run, results / "board" / "bm25.zip", without_text=True)
    tables = "".join(TABLE.format(key=key, columns=json.dumps(columns)) for key, columns in COLUMNS.items())
    head = f'as_of = "2026-11-26"\n[sha256]\n"{DATASET}" = "{open_dataset(DATASET).identity.sha256}"\n'
    (results / "products" / TABLES).write_text(head + tables, encoding="utf-8")
    found = ProductFigures(results / "products")
    (found.folder / RESULTS).write_text(json.dumps(found.compute()), encoding="utf-8")
    return found


def test_hits_of_a_bundle_without_texts_get_their_words_back(run: Path, tmp_path: Path) -> None:
    """They are those of the run itself; a hash that no turn has stays without words."""
    packed = bundle(run, tmp_path / "run.zip", without_text=True)
    played = load(run)
    names = played.questions["question"].tolist()
    turns = [turn for case in open_dataset(DATASET).cases() for turn in case.conversation.turns()]
    with unbundled(packed) as folder:
        bare = load(folder)
        parts = (bare.folder, bare.manifest, bare.seal, bare.disclosed)
        told = RetoldRun(*parts, said_in(turns)).hits_of(names, 5)
        untold = RetoldRun(*parts, said_in(turns[:1])).hits_of(names, 5)
        assert all(hit["text"] is None for hits in bare.hits_of(names, 5).values() for hit in hits)
    assert told == played.hits_of(names, 5)
    assert any(told.values())
    assert {hit["text"] for hits in untold.values() for hit in hits} - set(said_in(turns[:1]).values()) == {None}


def test_studies_say_of_a_memory_of_turns_what_it_can_and_cannot_do(frozen: ProductFigures) -> None:
    """Its memories are turns: Raw is Source, nothing is derived; a prompt keeps no more than was found."""
    cells, unable = frozen.results["cells"], frozen.results["unable"]
    assert cells["targets/bm25/Raw"] == cells["targets/bm25/Source"]
    assert "targets/bm25/Canonical" not in cells
    assert unable["targets/bm25"] == ["It stores nothing that Canonical credits."]
    assert 0 < cells["context/bm25/survival"][0] <= cells["context/bm25/recall@k"][0] <= 1
    assert cells["quality/bm25/Recall@10"][0] == pytest.approx(cells["context/bm25/recall@k"][0])
    (planned,) = plan([DATASET], ["bm25"]).cells
    assert frozen.results["played"]["bm25"][0] == planned.manifest.system.version


def test_what_a_memory_shows_of_time_is_counted(frozen: ProductFigures) -> None:
    """A memory that only stores shows former values: each sentence is a count of what its column averages."""
    cells, unable = frozen.results["cells"], frozen.results["unable"]["temporal/bm25"]
    good, _, _, n = cells["temporal/bm25/Temporal(lenient)@5"]
    shown, _, _, asked = cells["temporal/bm25/Contaminated@5"]
    assert f"for {n - round(good * n)} of {n} questions" in unable[0]
    assert unable[1] == f"It shows what no longer holds to {round(shown * asked)} of {asked}."
    assert shown > 0


@pytest.fixture(scope="module")
def streamed(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Path], ShiftReport]:
    """Play BM25 over both streams of the shift study, and let the study say what it found."""
    folder = tmp_path_factory.mktemp("streams")
    report = conduct(
        open_dataset(DATASET),
        PROTOCOL,
        Cast(systems=("bm25",)),
        folder,
        preset="clean",
        answerer=open_answerer("extractive"),
        limits=Limits(),
        executor=Inline(),
        draws=10,
    )
    return [bundle(Path(played.folder), folder / f"m{played.burst}.zip") for played in report.runs], report


def shift_table(clean: Path, interrupted: Path) -> ProductTable:
    """Describe one row of the shift study."""
    row = ProductRow(key="bm25", file=clean.name, interrupted=interrupted.name)
    columns = ("Hit@5", "Recovery@5, m=0", "Recovery@5, m=10", "taken by the burst")
    return ProductTable(key="shift", title="shift", dataset=DATASET, command="", columns=columns, rows=(row,))


def test_the_shift_study_says_the_same_of_bundles(streamed: tuple[list[Path], ShiftReport]) -> None:
    """Its own shares of the two streams, and what an interruption takes of what was found without one."""
    (clean, interrupted), report = streamed
    table = shift_table(clean, interrupted)
    world = StudyWorld(DATASET, open_dataset(DATASET).identity.sha256)
    computed = studied(table, table.rows[0], world, clean.parent)
    means = [cell.mean for cell in computed.cells.values()]
    (row,) = report.result.rows
    assert means[:3] == pytest.approx([row.overall.mean, row.recovery[0].mean, row.recovery[10].mean])
    assert means[3] is not None
    assert means[1] is not None
    assert means[2] is not None
    assert 0 < means[1] - means[2] <= means[3]
    taken = round(means[3] * report.result.pooled)
    assert computed.unable[0].startswith(f"A burst takes {taken} of the ")
    swapped = shift_table(interrupted, clean)
    with pytest.raises(IdentityError, match=r"bursts of \['10', '0'\] turns"):
        studied(swapped, swapped.rows[0], world, clean.parent)


class Forgetful(Bm25Policy):
    """Keeps everything, and finds no city."""

    name = "forgetful"

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Find nothing where one is asked for."""
        return Ranking(()) if "city" in query else super().search(query, scope, k, as_of)


def test_a_card_of_attribution_says_what_a_memory_could_not_do(tmp_path: Path) -> None:
    """Shares of the study itself; what it abstains on is a sentence; two cards are no product."""
    card = attribute(Remembering.of(Forgetful(), "recall", k=1), make_questions(12))
    path = tmp_path / "forgetful.json"
    path.write_text(json.dumps(plain(CARDS.of(CardSet((card,), 12, 0)))), encoding="utf-8")
    cells, unable = attributed(path)
    assert {name: cell.mean for name, cell in cells.items()} == pytest.approx(
        {
            "right": card.rates.accuracy.share.mean,
            "from memory": card.rates.attributed_accuracy.share.mean,
            "wrong reason": 0.0,
            "follows a change": card.rates.follows["memory"].share.mean,
            "silent without": 1.0,
        },
        abs=1e-6,
    )
    missed = card.ends["abstained"]
    assert 0 < missed < 12
    assert unable == (f"It finds nothing for {missed} of 12 questions.",)
    path.write_text(json.dumps(plain(CARDS.of(CardSet((card, card), 12, 0)))), encoding="utf-8")
    with pytest.raises(RunError, match="the card of one product"):
        attributed(path)


def copied(frozen: ProductFigures, place: Path) -> ProductFigures:
    """Copy what is frozen, to be changed."""
    shutil.copytree(frozen.folder.parent, place)
    return ProductFigures(place / frozen.folder.name)


def test_what_does_not_come_out_again_is_counted(frozen: ProductFigures, tmp_path: Path) -> None:
    """A number, a number too many, and a sentence."""
    whole = figures(frozen)
    assert whole["cells"] == whole["cells_recomputed"] > 0
    assert whole["cells_that_differ"] == whole["rows_whose_sentences_differ"] == 0
    written = json.loads((frozen.folder / RESULTS).read_text("utf-8"))
    written["cells"]["targets/bm25/Raw"][0] += 0.01
    written["cells"]["targets/bm25/Canonical"] = [1.0, 1.0, 1.0, 1]
    written["unable"]["targets/bm25"] = []
    other = copied(frozen, tmp_path / "results")
    (other.folder / RESULTS).write_text(json.dumps(written), encoding="utf-8")
    changed = figures(other)
    assert changed["cells_recomputed"] == whole["cells"] - 1
    assert changed["cells_that_differ"] == 2
    assert changed["rows_whose_sentences_differ"] == 1


def test_rows_on_other_data_are_refused(frozen: ProductFigures, tmp_path: Path) -> None:
    """Questions of another file would be scored."""
    other = copied(frozen, tmp_path / "results")
    text = (other.folder / TABLES).read_text("utf-8")
    (other.folder / TABLES).write_text(
        text.replace(open_dataset(DATASET).identity.sha256, "0" * 64), encoding="utf-8"
    )
    with pytest.raises(IdentityError, match="synthetic:tiny"):
        other.compute()


def test_the_page_shows_what_is_kept() -> None:
    """Every table stands on it once, as the tool writes it, over at least eight products."""
    found = ProductFigures(product_tables.FOLDER)
    text = product_tables.PAGE.read_text("utf-8")
    assert product_tables.page(text, found) == text
    for table in found.described.tables:
        assert text.count(f"<!-- table: {table.key} -->") == 1
        assert len(table.rows) >= 8


@pytest.mark.slow
@pytest.mark.data
def test_every_cell_of_the_page_comes_out_again() -> None:
    """From the bundles of the board and the dataset at hand."""
    real_data("locomo")
    assert {row.status for row in reproduce(["products"])} == {Status.OK}
