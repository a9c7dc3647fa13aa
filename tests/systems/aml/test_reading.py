"""What the platform sends is read strictly, but for times and what nobody knows."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.systems.aml.reading import AddRequest, Refused, SearchRequest, clean, name_of, scope_of
from support.aml import RECORDED

ADD: dict[str, Any] = RECORDED["add"]
IDS = st.text(st.characters(), min_size=1, max_size=12)
"""Half surrogate pairs are among them."""


def test_a_message_becomes_a_turn() -> None:
    """Its id is the request's and its place; its session groups, and is no part of the scope."""
    add = AddRequest.read(ADD)
    (turn,) = add.turns
    assert turn.id == "eval:run_x:locomo_refined:conv-0:chunk-0/0"
    assert (turn.text, turn.role, turn.session) == ("My locker is 12.", "user", "eval:run_x:sample:0")
    assert str(turn.at) == "2024-01-01 00:00:00"
    assert scope_of(add.user).session is None
    assert AddRequest.read(add.plain()) == add


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"messages": []}, "messages"),
        ({"messages": "text"}, "messages"),
        ({"messages": [7]}, r"messages\[0\]"),
        ({"messages": [{"role": "user"}]}, r"messages\[0\].content"),
        ({"messages": [{"role": "user", "content": ""}]}, r"messages\[0\].content"),
        ({"messages": [{"role": 1, "content": "x"}]}, r"messages\[0\].role"),
        ({"messages": [{"role": "user", "content": [{"type": "text", "text": 3}]}]}, r"content\[0\].text"),
        ({"user_id": 7}, "user_id"),
        ({"user_id": ""}, "user_id"),
        ({"request_id": None}, "request_id"),
        ({"session_id": []}, "session_id"),
    ],
)
def test_wrong_types_are_refused_with_their_place(changes: dict[str, object], place: str) -> None:
    """Whoever sent them learns which field is wrong."""
    with pytest.raises(Refused, match=place):
        AddRequest.read(ADD | changes)


@pytest.mark.parametrize(
    "changes", [{"top_k": "3"}, {"top_k": True}, {"top_k": 0}, {"query": None}, {"user_id": 1}, {"options": "x"}]
)
def test_a_wrong_search_is_refused(changes: dict[str, object]) -> None:
    """Numbers are not texts, and truth is no number."""
    with pytest.raises(Refused, match=next(iter(changes))):
        SearchRequest.read(RECORDED["search"] | changes)
    with pytest.raises(Refused, match="the body"):
        SearchRequest.read([])


def test_parts_are_joined_and_pictures_noted() -> None:
    """A content may be a list of parts, which one entrant reports."""
    content = [{"type": "text", "text": "Look:"}, {"type": "image", "data": "AAAA"}, "and so on"]
    add = AddRequest.read(ADD | {"messages": [{"role": "user", "content": content}]})
    assert add.messages[0].content == "Look:\n[image]\nand so on"


def test_the_same_body_is_the_same_whatever_else_it_holds() -> None:
    """Unknown fields and nonsense times change nothing; what was said does."""
    same = AddRequest.read({"app": 1, **ADD, "metadata": {}})
    assert same.sha256 == AddRequest.read(ADD).sha256
    other = AddRequest.read(ADD | {"messages": [{"role": "user", "content": "My locker is 13."}]})
    assert other.sha256 != same.sha256


@given(IDS, IDS)
def test_unlike_ids_stay_unlike_and_fit_any_store(name: str, other: str) -> None:
    """Whatever is in them, they can be encoded, and are not mistaken for each other."""
    assert (name_of(name) == name_of(other)) is (name == other)
    name_of(name).encode()


@given(st.text(st.characters()))
def test_a_clean_text_fits_any_store(text: str) -> None:
    """Nothing is left that cannot be encoded or that ends a text in C; what is whole stays."""
    cleaned = clean(text)
    cleaned.encode()
    assert "\0" not in cleaned
    assert clean(cleaned) == cleaned
