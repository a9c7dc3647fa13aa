"""Words that are told apart by columns are those that are cut one text at a time, under the same numbers."""

from __future__ import annotations

from threading import Thread

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.retrieval import terms, wordtable
from memgauge.retrieval.terms import TermLog
from memgauge.retrieval.wordtable import WordTable, shared_table
from memgauge.text.tokens import spaced, tokenize

LETTERS = st.one_of(st.sampled_from("aZ9 _-'\u2019\x1c\n\0éß漢\ufb01İ\ud800"), st.characters())
TEXTS = st.lists(st.text(LETTERS, max_size=60) | st.sampled_from(["a" * 8, "a" * 9, "a" * 16, "a" * 17, "b" * 40]))


@given(TEXTS)
def test_words_and_their_numbers_are_those_of_single_texts(texts: list[str]) -> None:
    """However many texts are cut at a time: the same words, in the same order, with the same counts."""
    table = WordTable()
    for portion in (texts[:3], texts[3:], texts):
        numbers, counts = table.of(portion)
        expected = [tokenize(text) for text in portion]
        assert counts.tolist() == list(map(len, expected))
        assert [table.words[number] for number in numbers] == [word for words in expected for word in words]
    assert len(set(table.words)) == len(table.words)


@given(TEXTS, TEXTS)
def test_a_log_numbers_terms_by_first_occurrence_however_texts_come(first: list[str], second: list[str]) -> None:
    """Texts one by one and texts at once make the same matrix."""
    single, mixed = TermLog(), TermLog()
    for text in (*first, *second, *first):
        single.append(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(terms, "_AT_ONCE", 0)
        patch.setattr(terms, "_TEXTS", 3)
        mixed.extend(first)
        for text in second:
            mixed.append(text)
        mixed.extend(first)
    assert list(mixed.words) == list(single.words)
    if mixed.tokens:
        for name in ("starts", "texts", "counts", "lengths"):
            np.testing.assert_array_equal(getattr(mixed.matrix(), name), getattr(single.matrix(), name))


@given(st.text(LETTERS))
def test_spaced_text_holds_the_words_and_nothing_else(text: str) -> None:
    """Cut at spaces alone, it gives what the tokeniser gives."""
    assert [word for word in spaced(text).decode().split(" ") if word] == tokenize(text)


def test_many_words_find_their_places() -> None:
    """A table grows, and every word of it is found again."""
    words = [f"w{n}" for n in range(40_000)]
    table = WordTable()
    numbers, _ = table.of(words)
    assert len(set(numbers.tolist())) == len(words)
    again, _ = table.of([" ".join(reversed(words))])
    assert again.tolist() == numbers[::-1].tolist()


@pytest.mark.parametrize("length", range(1, 20))
def test_words_are_told_apart_by_every_letter(length: int) -> None:
    """Of any length, two words that differ in one letter alone are two."""
    words = ["a" * length, *("a" * place + "b" + "a" * (length - place - 1) for place in range(length))]
    table = WordTable()
    numbers, _ = table.of(words)
    assert [table.words[number] for number in numbers] == words


def test_a_full_table_is_left_to_those_who_have_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever meets more words begins another table, and terms keep their numbers."""
    monkeypatch.setattr(wordtable, "_table", WordTable())
    monkeypatch.setattr(wordtable, "_MOST", 3)
    monkeypatch.setattr(terms, "_AT_ONCE", 0)
    first, log = shared_table(), TermLog()
    log.extend(["a b c d"])
    log.extend(["d e"])
    log.extend(["f a"])
    assert shared_table() is not first
    assert list(log.words) == ["a", "b", "c", "d", "e", "f"]
    assert log.matrix().lengths.tolist() == [4, 2, 2]


def test_several_threads_may_share_a_table() -> None:
    """Memories are called from threads; no word gets two numbers."""
    table = WordTable()
    texts = [" ".join(f"w{(n * k) % 997}" for n in range(200)) for k in range(1, 40)]
    threads = [Thread(target=table.of, args=(texts[start::4],)) for start in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(table.words) == sorted({word for text in texts for word in text.split()})
