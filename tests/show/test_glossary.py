"""Words of the field, explained where they stand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.measures import MEASURES
from memgauge.show.glossary import TERMS, GlossedPart, glossed, meaning

SENTENCES = st.lists(st.sampled_from([*TERMS, "floors", "Recall@2000tok", "a", "k=60", "memories", "\n", "<b>"]))


@given(SENTENCES.map(" ".join) | st.text(max_size=60))
def test_a_text_is_cut_and_nothing_is_lost(text: str) -> None:
    """The parts are the text, and no meaning is told twice."""
    parts = list(glossed(text))
    assert "".join(part.text for part in parts) == text
    told = [part.meaning for part in parts if part.meaning]
    assert len(told) == len(set(told))


def test_each_word_means_the_same_in_every_form() -> None:
    """A measure with its cutoff and a word in the plural are explained as they are alone."""
    assert meaning("Recall@2000tok") == meaning("Recall") == TERMS["Recall"]
    assert meaning("floors") == TERMS["floor"]
    assert meaning("unheard") == ""


@pytest.mark.parametrize("measure", ["Recall", "nDCG", "MRR", "Hit", "Complete", "MAP", "Precision"])
def test_measures_of_a_ranking_are_explained(measure: str) -> None:
    """Alone, and with the cutoff that a board writes behind them."""
    assert measure in MEASURES
    assert meaning(measure)
    assert meaning(f"{measure}@10") == meaning(measure)


@pytest.mark.parametrize("level", range(6))
def test_levels_of_a_board_are_explained(level: int) -> None:
    """Each as itself."""
    assert meaning(f"L{level}").startswith(f"Level {level}, ")


@pytest.mark.parametrize(
    "word",
    ["interval", "conversation", "floor", "ceiling", "stand-in", "contract", "rank", "tie group", "lane"],
)
def test_what_can_be_counted_is_explained_in_the_plural(word: str) -> None:
    """In a sentence as alone."""
    assert [part for part in glossed(f"Two {word}s here.") if part.meaning] == [
        GlossedPart(f"{word}s", TERMS[word])
    ]


def test_words_inside_of_others_are_left_alone() -> None:
    """A name, a path or an option that holds a word of the field is not one."""
    for text in ("floorboards", "k=60", "runs/k/x", "--k", "random-floor", "nDCG_own"):
        assert [part.meaning for part in glossed(text)] == [""], text


def test_every_meaning_is_one_plain_sentence() -> None:
    """A meaning fits a note on a phone and ends as a sentence does."""
    for word, means in TERMS.items():
        assert means.endswith("."), word
        assert len(means) <= 130, word
