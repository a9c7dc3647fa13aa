"""The words of a turn beside those of a memory that claims it, and of the question that it answers."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from memgauge.runs.record.lineage import spelled
from memgauge.text.heard import spells
from memgauge.text.tokens import tokenize
from memgauge.text.witness import plain, words_of
from memgauge.text.words import FUNCTION_WORDS

if TYPE_CHECKING:
    from memgauge.records import Gold, Question, Turn


def damage_of(text: str, utterance: Turn) -> str:
    """Say where a copy of a turn breaks off, or which word it says in the place of another.

    A text that differs in half of its words, or in their number and not at its end alone, is no copy.
    """
    words = tokenize(text)
    for form in map(tokenize, spelled([utterance])):
        if words == form:
            return ""
        if words and words == form[: len(words)]:
            return f"breaks off after “{words[-1]}”"
        other = [pair for pair in zip(words, form, strict=False) if not _alike(*pair, utterance.speaker)]
        if len(words) == len(form) and len(other) * 2 < len(form):
            return f"says “{other[0][0]}” where “{other[0][1]}” was said" if other else ""
    return ""


def _alike(here: str, there: str, speaker: str) -> bool:
    """Whether two words are one, or the speaker's name stands for the pronoun that was said."""
    return here == there or (there in _FIRST_PERSON and here.removesuffix("'s") in tokenize(speaker))


_FIRST_PERSON = frozenset({"i", "me", "my", "mine"})


def missing_words(text: str, utterance: Turn, question: Question, gold: Gold) -> tuple[str, ...]:
    """List the words of a turn that *text* has no more, of those that the question or its answer names.

    Who spoke counts as a word of the turn, unless the text is what was said and nothing else.
    """
    alone = plain(text) == plain(utterance.text)
    spoken = utterance.text if alone else f"{utterance.speaker} {utterance.text}"
    asked = words_of(" ".join((question.text, *gold.answers))) - _little()
    lost = (words_of(spoken) & asked) - words_of(text)
    if not lost:
        return ()
    shown = {word: None for word in tokenize(spoken) if words_of(word) & lost}
    return tuple(shown)


def is_copy(text: str, utterance: Turn) -> bool:
    """Whether *text* is the turn to the letter, as ours keep it: undamaged, and no word of it missing.

    Beyond ASCII that is not so easily seen, and words are compared.
    """
    plainly = utterance.text.isascii() and utterance.speaker.isascii()
    return plainly and spells(text, utterance.text, utterance.speaker, utterance.at)


def has_words(utterance: Turn) -> bool:
    """Whether a turn has any word, which is a letter or a digit."""
    return any(map(str.isalnum, utterance.text))


def matched_words(text: str, question: str) -> tuple[str, ...]:
    """List the words of *text* that a question asks with, in their order, function words left out."""
    asked = words_of(question) - _little()
    return tuple({word: None for word in tokenize(text) if words_of(word) & asked})


@cache
def _little() -> frozenset[str]:
    return words_of(" ".join(FUNCTION_WORDS))
