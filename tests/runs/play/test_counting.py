"""A large dataset is read once to be counted, and again whenever anything about it or its reader changed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from memgauge.datasets.catalogue import open_dataset
from memgauge.datasets.files import cache_root
from memgauge.datasets.folders import SIZES, folders_of
from memgauge.datasets.longmemeval.dataset import LongMemEval
from memgauge.errors import DataError, MalformedDataError
from memgauge.runs.play import counting
from memgauge.runs.play.counting import sizes_of
from support.own import pin

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from memgauge.records import Case


def record(number: int, turns: int) -> dict[str, object]:
    """Write one question with a haystack of one session."""
    messages = [{"role": "user", "content": f"turn {n}"} for n in range(turns)]
    return {
        "question_id": f"q{number}", "question_type": "multi-session", "question": "what", "answer": "x",
        "question_date": "2023/06/01 (Thu) 00:58", "haystack_session_ids": ["s"],
        "haystack_dates": ["2023/05/01 (Mon) 10:21"], "haystack_sessions": [messages], "answer_session_ids": ["s"],
    }  # fmt: skip


@pytest.fixture
def readings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """Count every dataset as large, in a cache of its own, and note each reading."""
    read: list[str] = []
    cases = LongMemEval.cases

    def noted(dataset: LongMemEval) -> Iterator[Case]:
        read.append(dataset.path.name)
        return cases(dataset)

    monkeypatch.setattr(LongMemEval, "cases", noted)
    monkeypatch.setattr(counting, "LARGE", 0)
    monkeypatch.setenv("MEMGAUGE_CACHE", str(tmp_path / "cache"))
    return read


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Write a file of two conversations."""
    path = tmp_path / "two.json"
    path.write_text(json.dumps([record(0, 3), record(1, 5)]), encoding="utf-8")
    return path


def test_the_same_file_is_counted_once(readings: list[str], file: Path) -> None:
    """What was counted is remembered by what the file holds, in the order of the dataset."""
    counted = sizes_of(open_dataset(f"longmemeval:{file}"))
    assert counted == sizes_of(open_dataset(f"longmemeval:{file}")) == {"lme-0001": (3, 1), "lme-0002": (5, 1)}
    assert list(counted) == ["lme-0001", "lme-0002"]
    assert readings == ["two.json"]


def test_a_part_is_counted_for_itself(readings: list[str], file: Path) -> None:
    """The first conversations are another question than all of them."""
    dataset = open_dataset(f"longmemeval:{file}")
    assert (len(sizes_of(dataset)), len(sizes_of(dataset, 1)), len(sizes_of(dataset, 1))) == (2, 1, 1)
    assert len(readings) == 2


def test_what_changed_is_read_again(readings: list[str], file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Other bytes under the same name, or other code, are counted anew: and what is wrong with them is said."""
    sizes_of(open_dataset(f"longmemeval:{file}"))
    monkeypatch.setattr(counting, "code", lambda: {"memgauge's files": "another"})
    sizes_of(open_dataset(f"longmemeval:{file}"))
    assert len(readings) == 2
    file.write_text(json.dumps([record(0, 3), {**record(1, 5), "question": None}]), encoding="utf-8")
    with pytest.raises(MalformedDataError, match="question"):
        sizes_of(open_dataset(f"longmemeval:{file}"))


@pytest.mark.parametrize("spoilt", ["", "[", "{}", '[["a"]]', '[["a", "b", 1]]', "[]", "7"])
def test_a_spoilt_memory_costs_a_reading(readings: list[str], file: Path, spoilt: str) -> None:
    """What cannot be read as sizes is no answer."""
    counted = sizes_of(open_dataset(f"longmemeval:{file}"))
    (remembered,) = (cache_root() / SIZES).iterdir()
    remembered.write_text(spoilt, encoding="utf-8")
    assert sizes_of(open_dataset(f"longmemeval:{file}")) == counted
    assert len(readings) == 2


def test_small_datasets_are_not_looked_up(
    readings: list[str], file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reading them takes less than hashing the code that does."""
    monkeypatch.setattr(counting, "LARGE", 16 << 20)
    sizes_of(open_dataset(f"longmemeval:{file}"))
    assert not (cache_root() / SIZES).exists()
    assert readings == ["two.json"]


def test_a_cache_that_cannot_be_written_is_no_error(
    readings: list[str], file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sizes are counted every time."""
    monkeypatch.setenv("MEMGAUGE_CACHE", str(file / "below a file"))
    sizes_of(open_dataset(f"longmemeval:{file}"))
    sizes_of(open_dataset(f"longmemeval:{file}"))
    assert len(readings) == 2


def test_nobody_who_is_played_may_look_there(readings: list[str], file: Path) -> None:
    """Sizes of conversations are no business of a memory."""
    sizes_of(open_dataset(f"longmemeval:{file}"))
    assert readings
    assert cache_root() / SIZES in folders_of(())


def test_a_name_that_stands_twice_is_refused(tmp_path: Path) -> None:
    """A record holds one of both, and a score of the rest would stand there without a word."""
    path = tmp_path / "twice.json"
    path.write_text(json.dumps([record(1, 2), record(2, 2), record(1, 3)]), "utf-8")
    with pytest.raises(DataError, match=r"has two (conversations|questions) '.*1'"):
        sizes_of(open_dataset(f"longmemeval:{path}"))


def test_a_turn_that_stands_twice_in_a_conversation_is_refused(tmp_path: Path) -> None:
    """The first would be gone from every memory that keeps turns by their names."""
    turn = {"conversation": "c", "session": "s", "id": "t1", "speaker": "Ann", "role": "user"}
    question = {"conversation": "c", "id": "q1", "text": "kite?", "answers": ["red"], "evidence": ["t1"]}
    lines = [turn | {"text": "The red kite flew."}, turn | {"text": "It rains."}]
    (tmp_path / "turns.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    (tmp_path / "questions.jsonl").write_text(json.dumps(question) + "\n", "utf-8")
    pin(tmp_path)
    with pytest.raises(DataError, match="has two turns 't1' in conversation 'c'"):
        sizes_of(open_dataset(f"own:{tmp_path}", allow_unpinned=True))
