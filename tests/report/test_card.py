"""The summary of a board to paste."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from memgauge.report.card import card
from memgauge.report.words import verdict
from memgauge.show.card import card_svg
from memgauge.show.markdown import markdown
from report.boards import board, entry, parsed, second

if TYPE_CHECKING:
    from memgauge.scoring.board import Board

MADE_OF = {"memgauge": "0.1.0", "date": "2026-11-25"}


@pytest.mark.parametrize("made", [board(), second()], ids=["whole", "small"])
def test_a_card_claims_what_the_board_does_and_no_more(made: Board) -> None:
    """Both kinds carry the verdict word for word, the data, the contract, what it was made of, and intervals."""
    document = card(made, MADE_OF)
    assert document.lead == verdict(made)
    drawn = " ".join(node.text or "" for node in parsed(card_svg(document)).iter() if node.tag.endswith("text"))
    for text in (drawn, markdown(document).replace("\\", "")):
        for words in (
            "cannot tell them apart" if made.conversations > 1 else "anything about others",
            "credit=anchor",
            "0.1.0",
            "2026-11-25",
            "[0.534, 0.568]",
            "sha256",
        ):
            assert words in text.replace("  ", " "), words
        assert " leads" not in text.replace("Nobody leads", "")


def test_a_lead_that_is_shown_is_claimed() -> None:
    """Where no other may be the best, the card says so."""
    alone = replace(entry("hybrid"), rank_high=1), replace(entry("bm25"), rank_low=2)
    assert "It leads" in card(replace(board(), entries=alone), {}).lead


def test_the_drawing_stands_alone_and_is_deterministic() -> None:
    """It brings its colours, light and dark, asks nobody, and hostile names stay text inside its frame."""
    made = replace(board(), entries=(replace(entry("bm25"), label="<script>" + "x" * 90), entry("random")))
    drawn = card_svg(card(made, MADE_OF))
    assert drawn == card_svg(card(made, MADE_OF))
    root = parsed(drawn)
    tags = {node.tag.rpartition("}")[2] for node in root.iter()}
    assert tags == {"svg", "style", "title", "rect", "text", "line", "circle"}
    assert "prefers-color-scheme: dark" in drawn
    assert "href" not in drawn
    assert max(float(node.get("y", 0)) for node in root.iter()) < float(root.get("height", 0))
