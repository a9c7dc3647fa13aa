"""What providers returned, as harnesses keep it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from memgauge.errors import MalformedDataError
from memgauge.exchange.provided import provided
from memgauge.exchange.trace import FileLocation

PLACE = FileLocation(Path("t.json"), field="results")


def test_results_are_texts_or_objects() -> None:
    """Without an id they are called by their place."""
    rows = ["plain", {"id": "a", "memory": "m", "similarity": 0.5, "rank": 2}, {"content": "", "text": "t"}]
    items = list(provided(rows, PLACE))
    assert [(item.id, item.text, item.score) for item in items] == [
        ("result 1", "plain", None),
        ("a", "m", 0.5),
        ("result 3", "t", None),
    ]


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"foo": "bar"}, "results[0]: it has none of id, content"),
        ({"content": {"a": 1}}, "results[0]: dict where its text"),
        ({"content": "c", "rank": 7}, "results[0]: rank: 7, and it stands at place 1"),
        ({"content": "c", "rank": True}, "results[0]: rank: True"),
        (7, "results[0]: int where dict"),
    ],
)
def test_a_result_that_is_not_understood_is_refused(row: Any, words: str) -> None:
    """Its place in the list is named."""
    with pytest.raises(MalformedDataError) as caught:
        list(provided([row], PLACE))
    assert words in str(caught.value)
