"""Stance: what a sentence does with a value, on sentences of which rules were made, and on others."""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.studies.golden.stance import Stance, stances
from support import golden_texts
from support.golden_texts.unseen import stances as unseen

X, Y = "Zqbadoku", "Zqkumeku"
MARCH = datetime(2026, 3, 1)  # noqa: DTZ001 - scenarios live in naive local time
SENTENCES = Path(golden_texts.__file__).parent / "stances.txt"


def labelled(path: Path, labels: frozenset[str]) -> list[tuple[str, str]]:
    """Read texts below their labels."""
    label, texts = "", []
    for line in path.read_text("utf-8").splitlines():
        if line in labels:
            label = line
        else:
            text = re.sub(r"\bX\b|(?<=[^\x00-\x7f])X", X, line.replace("\\n", "\n"))
            texts.append((label, re.sub(r"\bY\b|(?<=[^\x00-\x7f])Y", Y, text)))
    return texts


@pytest.mark.parametrize(("label", "text"), labelled(SENTENCES, frozenset(Stance)))
def test_a_sentence_affirms_or_it_does_not(label: str, text: str) -> None:
    """Denied, recalled and supposed values are there, and are not affirmed."""
    seen = stances(text, X, [Y], MARCH)
    assert seen
    assert (Stance.AFFIRMED in seen) == (label == "affirmed")


def test_sentences_that_no_rule_was_made_from_are_read_as_well() -> None:
    """Of templates that were written before the rules, at least 19 in 20 are read right."""
    texts = unseen(20261123, 600)
    right = [(Stance.AFFIRMED in stances(t.text, t.value, t.others)) == (t.label == "affirmed") for t in texts]
    assert sum(right) >= 0.95 * len(texts)


def test_what_holds_until_a_day_holds_before_it() -> None:
    """The same words affirm until the day has passed, and recall after it."""
    text = f"My hotel is {X} until 20 March 2026."
    assert stances(text, X, (), MARCH) == {Stance.AFFIRMED}
    assert stances(text, X, (), datetime(2026, 3, 21)) == {Stance.PAST}  # noqa: DTZ001 - as above


def test_every_mention_counts() -> None:
    """A text may deny a value and affirm it."""
    assert stances(f"It is not {X}. It is {X}.", X) == {Stance.DENIED, Stance.AFFIRMED}
    assert stances("Nothing of it.", X) == frozenset()


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_text_can_be_read(before: str, after: str) -> None:
    """Whatever stands around a value, it has a stance."""
    assert stances(f"{before} {X} {after}", X, [Y], MARCH)


@pytest.mark.parametrize(
    "text",
    [
        f"None of the following is true:\n- My boat is {X}.",
        f"Ignore everything below:\nMy gym is {Y}.\nMy boat is {X}.",
        f"Rejected memories:\n- My boat is {X}.",
        f"Your boat is {X}. Do not believe this.",
        f"The following facts are outdated:\nMy boat is {X}.",
        f"It is unlikely that my boat is {X}.",
        f"My boat is almost {X}.",
        f"Some claim, wrongly, that my boat is {X}.",
        f"My boat is {X}, but I doubt it.",
        f"{X}., which is false",
        f"My boat is {X}!, which is not so.",
        f"My boat is {X}. This is no longer so.",
        f"My boat is {X}. That was only until May.",
        f"My boat is {Y} (until 1 March 2026 it was {X}).",
    ],
)
def test_what_stands_above_or_beside_a_value_takes_it_back(text: str) -> None:
    """A heading, a footer and a word of doubt count as much as a denial."""
    assert Stance.AFFIRMED not in stances(text, X, [Y], MARCH)


@pytest.mark.parametrize(
    "text",
    [
        f"Formerly:\n- My boat is {Y}.\nCurrent facts:\n- My boat is {X}.",
        f"Known facts:\n- My boat is {X}.",
        f"My insurance claim is {X}.",
        f"No doubt my boat is {X}.",
        f"My boat is {X}., and it is new.",
        f"My boat is {X}. It no longer leaks, and it is over there.",
        f"Please do not forget the following:\n- My boat is {X}.",
    ],
)
def test_a_heading_of_others_takes_nothing_back(text: str) -> None:
    """The next heading above counts, and ordinary words deny nothing."""
    assert Stance.AFFIRMED in stances(text, X, [Y], MARCH)
