"""Small files in the formats of the benchmarks, written by us."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SAMPLE: dict[str, Any] = {
    "sample_id": "conv-1",
    "conversation": {
        "speaker_a": "Ann",
        "speaker_b": "Bob",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            {"speaker": "Ann", "dia_id": "D1:1", "text": " I bought a kayak. ", "blip_caption": "a red boat"},
            {"speaker": "Bob", "dia_id": "D1:2", "text": "Nice!"},
        ],
        "session_2_date_time": "12:05 am on 9 May, 2023",
        "session_2": [{"speaker": "Bob", "dia_id": "D2:1", "text": "I sold mine."}],
        "session_10_date_time": "9:00 am on 1 June, 2023",
        "session_10": [{"speaker": "Ann", "dia_id": "D10:1", "text": "It leaks."}],
        "session_11_date_time": "9:00 am on 2 June, 2023",
    },
    "qa": [
        {"question": "What did Ann buy?", "answer": "a kayak", "evidence": ["D1:1"], "category": 4},
        {"question": "In which year?", "answer": 2023, "evidence": ["D:1:01; D2:1", "D9:9"], "category": 2},
        {"question": "What broke?", "answer": "the kayak", "evidence": [], "category": 3},
        {"question": "What did Ann sell?", "evidence": ["D2:1"], "category": 5, "adversarial_answer": "a kayak"},
        {
            "question": "Did Ann sell it?",
            "answer": "No",
            "evidence": ["D2:1"],
            "category": 5,
            "adversarial_answer": "Yes",
        },
        {"question": "What did Ann buy?", "answer": "a boat", "evidence": ["D1:1", "D1:1"], "category": 1},
    ],
    "observation": {
        "session_1_observation": {
            "Ann": [["Ann owns a kayak.", "D1:1"], ["Both talk.", ["D1:1", "D1:2"]]],
            "Bob": [["Bob is glad.", "D1:2, D1:1"]],
        }
    },
    "session_summary": {"session_1_summary": "Ann tells Bob about a kayak.", "session_10_summary": "It leaks."},
}


@pytest.fixture
def sample() -> dict[str, Any]:
    """One conversation as LoCoMo writes it, to be changed at will."""
    return copy.deepcopy(SAMPLE)


@pytest.fixture
def locomo_root(tmp_path: Path) -> Callable[[object], Path]:
    """Write content as LoCoMo's file below a fresh root, and return that root."""

    def write(content: object) -> Path:
        text = content if isinstance(content, str) else json.dumps(content)
        (tmp_path / "locomo10.json").write_text(text, encoding="utf-8")
        return tmp_path

    return write


def record(question_id: str = "q1", **changes: Any) -> dict[str, Any]:
    """One record as LongMemEval writes it."""
    return {
        "question_id": question_id,
        "question_type": "multi-session",
        "question": "How many plants do I own?",
        "answer": 3,
        "question_date": "2023/06/01 (Thu) 00:58",
        "haystack_dates": ["2023/05/25 (Thu) 20:21", "2023/05/20 (Sat) 08:00", "2023/05/25 (Thu) 20:21"],
        "haystack_session_ids": ["answer_ab_1", "ultrachat_7", "answer_ab_1"],
        "haystack_sessions": [
            [
                {"role": "user", "content": "I own three plants.", "has_answer": True},
                {"role": "assistant", "content": "Lovely.", "has_answer": False},
            ],
            [{"role": "assistant", "content": "Hello."}],
            [{"role": "user", "content": "They grow.", "has_answer": False}],
        ],
        "answer_session_ids": ["answer_ab_1"],
        **changes,
    }


@pytest.fixture
def make_record() -> Callable[..., dict[str, Any]]:
    """Build records as LongMemEval writes them."""
    return record


@pytest.fixture
def lme_file(tmp_path: Path) -> Callable[[object], Path]:
    """Write content as a LongMemEval file and return its path."""

    def write(content: object) -> Path:
        path = tmp_path / "haystack.json"
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        return path

    return write
