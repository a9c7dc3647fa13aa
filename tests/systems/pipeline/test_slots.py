"""Slots: the same attribute under its many names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.systems.pipeline.slots import ALIASES, has_one, slot_of, slots_in


@pytest.mark.parametrize(
    ("phrase", "slot"),
    [
        ("home city", "home city"),
        ("my Home  Town", "home city"),
        ("the company", "employer"),
        ("our boss", "manager"),
        ("handsets", "phone model"),
        ("magazine subscriptions", "magazine subscription"),
        ("address", "address"),
        ("bus", "bus"),
        ("glass of the day", "glass of the day"),
        ("", ""),
    ],
)
def test_a_phrase_names_one_slot(phrase: str, slot: str) -> None:
    """Articles, case, plurals and other names of the same attribute do not matter."""
    assert slot_of(phrase) == slot


@given(st.text(max_size=40))
def test_a_slot_names_itself(phrase: str) -> None:
    """What is a slot for the rules is the same slot for a question."""
    slot = slot_of(phrase)
    if slot in ALIASES:
        assert slot_of(slot) == slot


def test_every_alias_is_known() -> None:
    """No name belongs to two slots."""
    names = [name for slot, aliases in ALIASES.items() for name in (slot, *aliases)]
    assert len(names) == len(set(names))
    assert {slot_of(name) for name in names} == set(ALIASES)


@pytest.mark.parametrize(
    ("text", "slots"),
    [
        ("Who is my manager?", ("manager",)),
        ("Where do I live?", ("home city",)),
        ("Which town do I live in, and who pays me?", ("home city", "employer")),
        ("Who do I report to?", ("manager",)),
        ("Order me something at the bar.", ("favourite drink",)),
        ("When must I deliver?", ("project deadline",)),
        ("How is the weather?", ()),
        ("What is a carpet?", ()),
        ("", ()),
    ],
)
def test_a_question_speaks_of_slots(text: str, slots: tuple[str, ...]) -> None:
    """By name or by a word that gives them away, whole words only, each once."""
    assert slots_in(text) == slots


def test_what_people_have_several_of() -> None:
    """A friend is one of many, whatever stands before the word."""
    assert [has_one(slot) for slot in ("manager", "friend", "best friend", "team member", "home city")] == [
        *(True, False, False, False, True)
    ]
