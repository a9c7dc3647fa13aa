"""Words that a memory must not lose: one that keeps turns is asked for all of them, one that retells for none."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from memgauge.records import Form, Memory, Receipt, Verdict
from memgauge.systems import check
from memgauge.systems.policies.lexical import Bm25Policy

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memgauge.records import Scope, Turn
    from memgauge.systems.conformance.check import Check


def keeper(change: Callable[[str], str]) -> type[Bm25Policy]:
    """Make a memory that keeps turns as *change* leaves them."""

    class Keeper(Bm25Policy):
        name = "keeper"

        def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
            """Store what is left of each."""
            return super().ingest([replace(turn, text=change(turn.text)) for turn in turns], scope)

    return Keeper


def kept_whole(memory: Callable[[], Bm25Policy]) -> Check:
    """Return how the probe ended."""
    return next(each for each in check(memory).checks if each.name == "turns are kept whole")


def without_accents(text: str) -> str:
    """Leave letters alone."""
    return "".join(each for each in unicodedata.normalize("NFD", text) if not unicodedata.combining(each))


@pytest.mark.parametrize(
    ("change", "lost"),
    [
        (lambda text: text.replace(" not ", " ").replace(" never", ""), "small words"),
        (without_accents, "accents"),
        (lambda text: text[:512], "the end of a long turn"),
        (lambda text: text.encode("latin-1", "ignore").decode("latin-1"), "other alphabets"),
        (lambda text: text.replace("<", "").replace(">", ""), "digits and signs"),
        (lambda text: text.partition("\n")[0], "lines"),
    ],
)
def test_what_is_lost_of_turns_is_named(change: Callable[[str], str], lost: str) -> None:
    """Each loss by its own word, and nothing else."""
    ended = kept_whole(keeper(change))
    assert (ended.verdict, ended.detail) == (
        Verdict.FAIL,
        f"of turns that it keeps word for word it loses {lost}",
    )


def test_turns_that_are_nearly_alike_are_two() -> None:
    """A memory that takes one for the other loses what tells them apart."""

    class Merging(Bm25Policy):
        name = "merging"

        def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
            """Store only what has fewer than four fifths of its words in a memory."""
            new = [turn for turn in turns if not any(alike(turn, memory) for memory in self.dump(scope))]
            return super().ingest(new, scope)

    def alike(turn: Turn, memory: Memory) -> bool:
        first, second = set(turn.text.split()), set(memory.text.split())
        return len(first & second) >= 0.8 * len(first)

    assert "the other of two turns that are nearly alike" in kept_whole(Merging).detail


@pytest.mark.parametrize("change", [str.lower, lambda text: " ".join(text.split()), lambda text: f"Ada: {text}"])
def test_how_words_are_spaced_and_spelled_is_no_loss(change: Callable[[str], str]) -> None:
    """Case, line breaks and a name before a turn change no word of it."""
    assert kept_whole(keeper(change)).verdict is Verdict.PASS


def test_who_retells_is_not_asked_for_words() -> None:
    """A memory of facts keeps no turn word for word, and promises none."""
    ended = kept_whole(keeper(lambda text: f"Ada told of {len(text.split())} things: {text.split()[-1]}"))
    assert (ended.verdict, ended.detail) == (Verdict.UNSUPPORTED, "it keeps no turns word for word")


def test_who_writes_names_in_place_of_pronouns_loses_nothing() -> None:
    """It keeps no turn word for word, and is asked for no words."""

    def third_person(text: str) -> str:
        return re.sub(r"\bI\b|\bwe\b", "Ada", text, flags=re.IGNORECASE)

    assert kept_whole(keeper(third_person)).verdict is Verdict.UNSUPPORTED


def test_a_summary_that_says_so_promises_no_words() -> None:
    """Short turns are whole in it, and long ones are not."""

    class Summing(keeper(lambda text: " ".join(text.split()[:25]))):  # type: ignore[misc] # a class made here
        def dump(self, scope: Scope) -> list[Memory]:
            """Call everything a summary."""
            return [replace(memory, form=Form.SUMMARY) for memory in super().dump(scope)]

    assert kept_whole(Summing).verdict is Verdict.UNSUPPORTED


@pytest.mark.parametrize("before", ["", "Ada: ", "Ada (4 March 2024): "])
def test_who_drops_small_words_is_found_whatever_stands_before_them(before: str) -> None:
    """Nothing stands in their place, so that nothing was retold."""

    def without_little(text: str) -> str:
        return before + re.sub(r"\b(?:i|my|we|you|not|never)\b ?", "", text, flags=re.IGNORECASE)

    ended = kept_whole(keeper(without_little))
    assert ended.verdict is Verdict.FAIL
    assert "small words" in ended.detail
