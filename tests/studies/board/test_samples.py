"""Samples are lanes of the board on other data: recomputed from bundles, and without ranks."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from memgauge.errors import DataNotFoundError
from memgauge.show.markdown import markdown
from memgauge.studies.board.notes import read_note
from memgauge.studies.board.published import FILE
from memgauge.studies.board.recipe import sample_figures
from memgauge.studies.board.samples import place_of, publish_samples
from memgauge.studies.board.show_samples import document
from memgauge.studies.board.spec import BoardSpec

if TYPE_CHECKING:
    from pathlib import Path


def test_a_sample_is_played_in_the_lanes_that_are_named(board: Path) -> None:
    """Each by the command of its own dataset, with its bundles in a folder of its own."""
    spec = BoardSpec.read(board)
    place = place_of(board, spec.samples[0])
    assert {path.stem for path in place.glob("*.zip")} == {"bm25", "tfidf"}
    note = read_note(place, "bm25")
    assert note is not None
    assert note.command == "memgauge run -d synthetic:tiny,seed=7 -s bm25 --k 20"


def test_the_page_of_samples_ranks_nobody(board: Path) -> None:
    """It says so first, says what each sample is, and keeps the order in which lanes are described."""
    page = markdown(document(publish_samples(board, BoardSpec.read(board))), level=1)
    lead = page.split("\n\n")[2]
    assert "samples" in lead
    assert "rank nothing" in lead
    assert "A piece of another world." in page
    assert "| # |" not in page
    assert page.index("| bm25 |") < page.index("| tfidf |")
    assert "questions scored: " in page


def test_every_row_of_a_sample_is_recomputed(board: Path, tmp_path: Path) -> None:
    """And one that was changed is not."""
    measured = sample_figures(board)
    assert measured["samples"] == measured["products"] == measured["baselines"] == 1
    assert measured["rows"] == measured["rows_recomputed"] == 2
    place = tmp_path / "samples" / "elsewhere"
    place.mkdir(parents=True)
    (tmp_path / "board.toml").write_bytes((board / "board.toml").read_bytes())
    for path in (board / "samples" / "elsewhere").iterdir():
        (place / path.name).write_bytes(path.read_bytes())
    written = json.loads((place / FILE).read_text("utf-8"))
    written["rows"][0]["tokens"] += 1e-5
    (place / FILE).write_text(json.dumps(written), "utf-8")
    assert sample_figures(tmp_path)["rows_not_recomputed"] == 1


def test_without_bundles_there_are_no_samples(board: Path, tmp_path: Path) -> None:
    """The sentence says what to do."""
    (tmp_path / "board.toml").write_bytes((board / "board.toml").read_bytes())
    with pytest.raises(DataNotFoundError, match="memgauge study board play"):
        publish_samples(tmp_path, BoardSpec.read(tmp_path))
    with pytest.raises(DataNotFoundError, match="memgauge study board play"):
        sample_figures(tmp_path)
