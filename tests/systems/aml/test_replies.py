"""Answers are read as strictly as the platform reads them."""

from __future__ import annotations

import pytest

from memgauge.systems.aml.replies import echo_problem, listed, success_problem
from support.aml import RECORDED

ADDED = RECORDED["added"]


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (ADDED, ""),
        (ADDED | {"stored": 3}, ""),
        (ADDED | {"success": 1}, "not the boolean true"),
        (ADDED | {"user_id": "eval:run_x:LOCOMO:conv-0"}, "user_id"),
        ({"success": True}, "request_id None"),
        ([], "no JSON object"),
        (None, "no JSON object"),
    ],
)
def test_an_add_is_answered_with_success_and_its_ids(value: object, words: str) -> None:
    """Other fields do not matter; what is wrong is named."""
    problem = echo_problem(value, RECORDED["add"])
    assert words in problem
    assert bool(problem) is bool(words)
    assert success_problem(ADDED) == ""


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (RECORDED["found"], ""),
        ({"data": []}, ""),
        ([], "a bare array"),
        ({"items": []}, "data None"),
        ({"data": ["text"]}, r"data[0] 'text'"),
        ({"data": [{"id": "a", "content": "b"}, {"id": 7, "content": "b"}]}, "data[1].id 7"),
        ({"data": [{"id": "a", "content": None}]}, "data[0].content None"),
        ("x" * 200, "…"),
    ],
)
def test_a_search_is_answered_with_a_list_under_data(value: object, words: str) -> None:
    """What is wrong is named with its place, and not quoted at length."""
    rows, problem = listed(value)
    assert words in problem
    assert bool(problem) is bool(words)
    assert not (rows and problem)
    assert len(problem) < 120
