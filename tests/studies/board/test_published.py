"""A published board is what its runs are: computed from bundles, it says what the run folders say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memgauge.errors import ConfigError, DataNotFoundError
from memgauge.records import BOARD
from memgauge.runs.record.store import find_runs
from memgauge.scoring.leaderboard import leaderboards
from memgauge.scoring.score import Settings
from memgauge.show.markdown import markdown
from memgauge.studies.board.published import optioned, publish
from memgauge.studies.board.recipe import figures
from memgauge.studies.board.show import document
from memgauge.studies.board.spec import BoardSpec, Lane

if TYPE_CHECKING:
    from memgauge.studies.board.published import PublishedBoard


def test_rows_say_what_the_run_folders_say(board: Path, published: PublishedBoard) -> None:
    """Scores, intervals, ranks, tokens and times are those of the runs with their texts; rows bear lane names."""
    folders = find_runs(board.parent / "runs" / row.key for row in published.rows)
    (built,) = leaderboards(folders, Settings(BOARD))
    entries = {Path(entry.run).parent.name: entry for entry in built.board.entries}
    assert {row.label for row in published.rows} == {row.key for row in published.rows} == set(entries)
    for row in published.rows:
        entry = entries[row.key]
        assert (row.scores, row.rank, row.rank_low) == (entry.scores, entry.rank, entry.rank_low)
        assert (row.tokens, row.latency) == (entry.context_tokens, entry.latency)


@pytest.mark.parametrize(
    ("ref", "said"),
    [
        ("full:budget=2000", "full:budget=2000"),
        ("mem0-1:lane=raw,embedder=e5,as_heard=true", "mem0-1:lane=raw"),
        ("dense:embedder=e5", "dense"),
    ],
)
def test_a_row_says_the_options_that_make_its_system_another_one(ref: str, said: str) -> None:
    """One name never stands for two systems; what the lane's key says anyway is not said again."""
    assert optioned(Lane(key="a", name="a", system=ref, kind="baseline")) == said


def test_every_bundle_verifies_as_recomputed(published: PublishedBoard) -> None:
    """Nothing of a bundle contradicts itself or the dataset, and its score file follows from its rows."""
    assert {row.level for row in published.rows} == {"recomputed"}


def test_a_lane_played_again_agrees(published: PublishedBoard) -> None:
    """A deterministic one has the same value on every question."""
    (repeat,) = published.repeats
    assert repeat.equivalent
    assert repeat.first == repeat.again
    assert repeat.verdict == "the same on every question"


def test_the_page_says_who_leads_at_what_cost_and_who_is_missing(published: PublishedBoard) -> None:
    """A verdict, costs, fronts, what could not be done with reasons, and the commands."""
    page = markdown(document(published), level=1)
    assert page.startswith("# A tiny board")
    for heading in ("Leaderboard", "What it takes", "against what it takes", "What each could not do", "Commands"):
        assert heading in page
    assert "| cloud | It needs a key. |" in page
    assert "| gone-hashed | there is no system gone |" in page
    assert "memgauge run -d synthetic:tiny -s bm25 --k 20" in page
    assert "systems install" not in page, "what comes with this package is not installed"
    assert "stand-in" in page


def test_all_rows_are_recomputed(board: Path) -> None:
    """What stands in the file comes out again."""
    measured = figures(board)
    assert measured["rows"] == measured["rows_recomputed"] == 3
    assert measured["rows_not_recomputed"] == 0
    assert measured["repeats_equivalent"] == 1
    assert (measured["products"], measured["baselines"], measured["embedders"]) == (1, 2, 1)


def test_a_number_that_was_changed_is_found(board: Path, tmp_path: Path) -> None:
    """One digit of one row, and that row is not recomputed."""
    for path in (path for path in board.iterdir() if path.is_file()):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    written = json.loads((tmp_path / "results.json").read_text("utf-8"))
    written["rows"][0]["tokens"] += 1e-5
    (tmp_path / "results.json").write_text(json.dumps(written), "utf-8")
    assert figures(tmp_path)["rows_not_recomputed"] == 1


def test_without_bundles_there_is_no_board(board: Path, tmp_path: Path) -> None:
    """The sentence says what to do."""
    (tmp_path / "board.toml").write_bytes((board / "board.toml").read_bytes())
    with pytest.raises(DataNotFoundError, match="memgauge study board play"):
        publish(tmp_path)


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ('repeated = ["bm25"]', "repeated names no lane: nobody"),
        ('sampled = ["tfidf", "bm25"]', "sampled names no lane: nobody"),
        ('name = "dense"', "two contenders have the same name"),
        ('embedders = ["hashed"]', "gone: no embedder of the board: hashed"),
        ('system = "tfidf"', "tfidf: embedders are named, and its system takes none"),
        ('kind = "product"', "contender.2.kind"),
    ],
)
def test_a_board_that_does_not_fit_is_refused(board: Path, tmp_path: Path, wrong: str, why: str) -> None:
    """The place is named."""
    better = {
        "repeated": 'repeated = ["nobody"]',
        "sampled": 'sampled = ["nobody"]',
        "name": 'name = "gone"',
        "kind": 'kind = "floor"',
        "embedders": 'embedders = ["minilm"]',
        "system": 'system = "tfidf"\nembedders = ["hashed"]',
    }
    text = (board / "board.toml").read_text("utf-8").replace(wrong, better[wrong.split(maxsplit=1)[0]], 1)
    (tmp_path / "board.toml").write_text(text, "utf-8")
    with pytest.raises(ConfigError, match=why):
        BoardSpec.read(tmp_path)


def test_a_contender_is_played_with_the_embedders_that_it_names(board: Path) -> None:
    """One that names none has a lane for each of the board's."""
    text = (board / "board.toml").read_text("utf-8").replace('["hashed"]', '["hashed", "minilm"]', 1)
    (board.parent / "two").mkdir()
    (board.parent / "two" / "board.toml").write_text(text, "utf-8")
    lanes = [lane.key for lane in BoardSpec.read(board.parent / "two").lanes]
    assert lanes == ["bm25", "dense-hashed", "dense-minilm", "tfidf", "gone-hashed"]
