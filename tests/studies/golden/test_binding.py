"""Binding: of what a text tells a value."""

from __future__ import annotations

from pathlib import Path

import pytest

from memgauge.studies.golden.binding import Bond, Thing, bond
from studies.golden.test_stance import X, Y, labelled
from support import golden_texts
from support.golden_texts.unseen import bindings as unseen

TEXTS = Path(golden_texts.__file__).parent / "bindings.txt"
LOCKER = Thing("locker code", f"My locker code at the gym is {X}.", X, "What is my locker code?")
SHOE = Thing("shoe size", f"My shoe size is {Y}.", Y)
ANNA, BEN = (
    Thing(f"{name} locker code", f"{name.capitalize()}'s locker code is {value}.", value)
    for name, value in (("anna", X), ("ben", Y))
)


@pytest.mark.parametrize(("label", "text"), labelled(TEXTS, frozenset({"bound", "unbound"})))
def test_a_value_is_told_of_its_thing_or_not(label: str, text: str) -> None:
    """However a memory writes a fact, subject, slot and value belong together."""
    told = bond(text, X, LOCKER, [SHOE], others=[Y], people=["bob"], owner="alice")
    assert (told is Bond.BOUND) == (label == "bound"), told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (f"Anna's locker code is {X}.", Bond.BOUND),
        (f"Locker code of Anna: {X}", Bond.BOUND),
        (f"Anna. Locker code: {X}", Bond.BOUND),
        (f"Locker codes: Anna {X}, Ben {Y}", Bond.BOUND),
        (f"Anna's locker code is {X} and Ben's is {Y}.", Bond.BOUND),
        (f"My sister's locker code is {X}.", Bond.BOUND),
        (f"Ben's locker code is {X}.", Bond.SWAPPED),
        (f"Locker codes: Ben {X}, Anna {Y}", Bond.SWAPPED),
        (f"The locker code is {X}.", Bond.DROPPED),
        (f"User's locker code: {X}", Bond.DROPPED),
        (f"alice's locker code: {X}", Bond.DROPPED),
        (f"Shoe size: {X}", Bond.LOOSE),
    ],
)
def test_what_two_things_share_tells_them_not_apart(text: str, told: Bond) -> None:
    """The subject may neither be dropped nor exchanged."""
    assert bond(text, X, ANNA, [BEN], others=[Y], owner="alice") is told


def test_texts_that_no_rule_was_made_from_are_read_as_well() -> None:
    """Of templates that were written before the rules, at least 19 in 20 are read right."""
    right = []
    for told in unseen(20261123, 300):
        thing = Thing(told.thing, f"My {told.thing} is {told.value}.", told.value, f"What is my {told.thing}?")
        rival = Thing(told.other, f"My {told.other} is {told.other_value}.", told.other_value)
        seen = bond(told.text, told.value, thing, [rival], others=[told.other_value], people=["bob"])
        right.append((seen is Bond.BOUND) == told.bound)
    assert sum(right) >= 0.95 * len(right)


def test_two_things_of_one_turn_are_told_apart_by_their_names() -> None:
    """A turn that says two things is no reason to doubt either; a label that was exchanged is."""
    told = "My train is Zqsagelemo and my seat is Zqbanifu."
    train, seat = Thing("train", told, "Zqsagelemo"), Thing("seat", told, "Zqbanifu")
    for text, bound in (("train: Zqsagelemo", Bond.BOUND), (told, Bond.BOUND), ("seat: Zqsagelemo", Bond.SWAPPED)):
        assert bond(text, "Zqsagelemo", train, [seat], others=("Zqbanifu",)) is bound


@pytest.mark.parametrize(
    ("text", "bound"),
    [
        ("My sister's flat is Zqabcdefgh.", Bond.BOUND),
        ("Her flat is Zqabcdefgh.", Bond.BOUND),
        ("My flat is Zqabcdefgh.", Bond.DROPPED),
    ],
)
def test_what_is_a_relatives_is_not_told_of_the_user(text: str, bound: Bond) -> None:
    """Something has to say whose it is."""
    thing = Thing("sister's flat", "My sister's flat is Zqabcdefgh.", "Zqabcdefgh")
    assert bond(text, "Zqabcdefgh", thing, []) is bound


def test_a_thing_that_is_called_by_its_whole_name_is_no_other() -> None:
    """Papers are not a paper mug; a code may be that of the door or of the safe."""
    papers = Thing("papers", f"Bring my papers: {X}.", X)
    mug = Thing("red paper mug", f"For the list, my red paper mug is {Y}, my lamp is on paper.", Y)
    assert bond(f"papers: {X}", X, papers, [mug]) is Bond.BOUND
    assert bond(f"red paper mug: {X}", X, papers, [mug]) is Bond.SWAPPED
    door, safe = Thing("door code", f"My door code is {X}.", X), Thing("safe code", f"My safe code is {Y}.", Y)
    assert bond(f"code: {X}", X, door, [safe]) is Bond.DROPPED
