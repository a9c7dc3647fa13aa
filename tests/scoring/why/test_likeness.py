"""What a question and texts have in common: words, and vectors where an embedder is at hand."""

from __future__ import annotations

import pytest

from memgauge.retrieval.embedders import HashedEmbedder
from memgauge.scoring.why import likeness as module
from memgauge.scoring.why.likeness import likeness

TEXTS = ["My shoes are size 42.", "It rains."]
QUERY = "Which size of shoe do I wear?"


def test_words_are_compared_without_inflections_and_little_ones() -> None:
    """Words of content are shared in any form; what nobody asked to embed is not, and the sentence says so."""
    compared = likeness(QUERY, TEXTS, "")
    assert compared.words == {TEXTS[0]: ("shoes", "size"), TEXTS[1]: ()}
    assert (compared.cosines, compared.why_no_cosines) == ({}, "no embedder was asked for")


def test_cosines_are_those_of_the_embedder() -> None:
    """They equal the products of its unit vectors, and a stand-in is called one."""
    compared = likeness(QUERY, TEXTS, "hashed")
    asked, *rows = HashedEmbedder().embed([QUERY, *TEXTS])
    assert list(compared.cosines.values()) == pytest.approx([float(row @ asked) for row in rows])
    assert "stand-in" in compared.embedder


def test_what_is_not_at_hand_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """An embedder that is absent or unknown, a question without words, and no text each have their sentence."""
    assert "Unknown embedder 'nobody'" in likeness(QUERY, TEXTS, "nobody").why_no_cosines
    assert likeness(None, TEXTS, "hashed").why_no_cosines == module.NO_QUERY
    monkeypatch.setattr("memgauge.systems.policies.embedding.open_embedder", pytest.fail)
    assert likeness(QUERY, [], "hashed").why_no_cosines == "there is no text to compare"
