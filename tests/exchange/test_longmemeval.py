"""LongMemEval's own files: labels and logs say what they say."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.datasets.catalogue import open_dataset
from memgauge.errors import MalformedDataError
from memgauge.exchange.longmemeval import read_longmemeval
from memgauge.exchange.trace import TWICE, UNLISTED, JoinedDataset
from memgauge.records import Outcome

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.exchange.trace import Joining


def _question(name: str) -> dict[str, Any]:
    return {
        "question_id": name,
        "question_type": "single-session-user",
        "question": "Where did I move?",
        "answer": "Porto",
        "question_date": "2024/03/01 (Fri) 10:00",
        "haystack_dates": ["2024/02/01 (Thu) 10:00"],
        "haystack_session_ids": ["answer_1"],
        "haystack_sessions": [[{"role": "user", "content": "I moved to Porto.", "has_answer": True}]],
        "answer_session_ids": ["answer_1"],
    }


@pytest.fixture
def target(tmp_path: Path) -> JoinedDataset:
    """Return two questions."""
    data = tmp_path / "data.json"
    data.write_text(json.dumps([_question("q1"), _question("q2")]))
    return JoinedDataset(open_dataset(f"longmemeval:{data}", allow_unpinned=True))


def read(tmp_path: Path, target: JoinedDataset, *rows: dict[str, Any]) -> Joining:
    """Read lines."""
    path = tmp_path / "log.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return read_longmemeval(path, target)


@pytest.mark.parametrize(
    ("label", "verdict"),
    [
        (True, True),
        (False, False),
        ("no", False),
        ("Yes", True),
        ("false", False),
        (0, False),
        (1, True),
        (None, None),
    ],
)
def test_a_label_is_a_yes_or_a_no(
    tmp_path: Path, target: JoinedDataset, label: object, verdict: bool | None
) -> None:
    """A text that says no is no."""
    row = {"question_id": "q1", "hypothesis": "x", "autoeval_label": {"model": "gpt-4o", "label": label}}
    trace = read(tmp_path, target, row).answers["q1"]
    assert (trace.verdict, trace.judge) == (verdict, "gpt-4o")


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"autoeval_label": {"label": {"label": "no"}}}, ":1: autoeval_label.label: \"{'label'"),
        ({"autoeval_label": {"label": "maybe"}}, ":1: autoeval_label.label: 'maybe' is no verdict"),
        ({"autoeval_label": True}, ":1: autoeval_label: bool where dict"),
        ({"retrieval_results": None}, ":1: retrieval_results: NoneType where dict"),
        ({"retrieval_results": {}}, ":1: retrieval_results.ranked_items: NoneType where list"),
        ({"retrieval_results": {"ranked_items": ["x"]}}, ":1: retrieval_results.ranked_items[0]: str where dict"),
    ],
)
def test_a_field_that_is_not_as_the_format_has_it_is_refused(
    tmp_path: Path, target: JoinedDataset, fields: dict[str, Any], words: str
) -> None:
    """Line and field are named."""
    with pytest.raises(MalformedDataError) as caught:
        read(tmp_path, target, {"question_id": "q1", "hypothesis": "x"} | fields)
    assert words in str(caught.value)


def test_a_session_that_is_named_twice_and_a_question_without_a_log_are_told(
    tmp_path: Path, target: JoinedDataset
) -> None:
    """The first of a session counts; a question of which only the answer is told found not nothing."""
    twice = [{"corpus_id": "answer_1_1", "text": "a"}, {"corpus_id": "noans_1_1", "text": "b"}]
    joining = read(
        tmp_path,
        target,
        {"question_id": "q1", "retrieval_results": {"ranked_items": twice}},
        {"question_id": "q2", "hypothesis": "x"},
    )
    assert [item.text for item in joining.answers["q1"].items] == ["a"]
    assert joining.answers["q2"].outcome is Outcome.UNSUPPORTED
    assert joining.noted == {TWICE: 1, UNLISTED: 1}
