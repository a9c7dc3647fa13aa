"""Times of two machines are not compared."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from memgauge.show.markdown import markdown
from memgauge.studies.board.machines import elsewhere
from memgauge.studies.board.published import P95, TOKENS, WRITING, PublishedBoard, publish
from memgauge.studies.board.show import document

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def moved(board: Path, tmp_path: Path) -> PublishedBoard:
    """Publish the tiny board, one lane of which says that it was played on another machine."""
    for path in (path for path in board.iterdir() if path.is_file()):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    note = json.loads((tmp_path / "tfidf.json").read_text("utf-8"))
    note["machine"]["processor"] = "Abacus"
    (tmp_path / "tfidf.json").write_text(json.dumps(note), "utf-8")
    return publish(tmp_path)


def test_a_lane_of_another_machine_stands_on_no_front_of_time(
    moved: PublishedBoard, published: PublishedBoard
) -> None:
    """Tokens are the same everywhere, and all lanes of one machine stand on every front."""
    everywhere = {row.key: set(row.fronts) for row in published.rows}
    assert everywhere["tfidf"] == everywhere["bm25"] == {TOKENS, P95, WRITING}
    assert {row.key: set(row.fronts) for row in moved.rows} == {**everywhere, "tfidf": {TOKENS}}


def test_the_page_names_lanes_of_another_machine(moved: PublishedBoard, published: PublishedBoard) -> None:
    """With the machine; a board of one machine says nothing of it."""
    page, usual = markdown(document(moved), level=1), markdown(document(published), level=1)
    assert "tfidf: played on another machine than most lanes" in page
    assert "do not compare with those (Abacus, " in page
    assert page.count("| tfidf on another machine |") == 2, "where times stand: what it takes, and the fronts"
    assert "played on another machine than most lanes" not in usual
    assert "on another machine |" not in usual


def test_of_two_machines_with_as_many_lanes_the_order_decides_nothing(published: PublishedBoard) -> None:
    """The same lanes are elsewhere, whoever is named first; a lane without a note is nowhere."""
    bm25, tfidf = published.notes["bm25"], published.notes["tfidf"]
    notes = {
        "bm25": bm25,
        "tfidf": tfidf.model_copy(update={"machine": replace(tfidf.machine, processor="Abacus")}),
    }
    away = elsewhere(notes, ("bm25", "tfidf", "nobody"))
    assert away == elsewhere(notes, ("nobody", "tfidf", "bm25"))
    assert len(away) == 1
    assert elsewhere(notes, ("bm25", "nobody")) == {}
