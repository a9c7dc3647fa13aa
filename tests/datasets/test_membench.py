from __future__ import annotations

import json
import tracemalloc
from collections import deque
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.datasets.catalogue import open_dataset
from memgauge.datasets.validate import validate
from memgauge.errors import MalformedDataError

if TYPE_CHECKING:
    from pathlib import Path


def asked(**changes: Any) -> dict[str, Any]:
    """One question as MemBench writes it."""
    return {
        "question": "What is my boat called?",
        "answer": "Petrel",
        "target_step_id": [1],
        "choices": {"A": "Whale", "B": "Petrel"},
        "ground_truth": "B",
        "time": "'2024-10-02 08:00' Wednesday",
        **changes,
    }


def watched(tid: int = 0, **changes: Any) -> dict[str, Any]:
    """A life that the agent watches."""
    said = ["I bought a boat.", "She is called Petrel."]
    steps = [
        {"message": text, "time": f"'2024-10-01 0{n + 8}:00' Tuesday", "place": "Oslo"}
        for n, text in enumerate(said)
    ]
    return {"tid": tid, "message_list": steps, "QA": asked(), **changes}


def told(tid: int = 0) -> dict[str, Any]:
    """A life that is told to the agent, in two sessions."""
    first = [{"user": "I bought a boat.", "agent": "Nice."}, {"user": "She is Petrel.", "agent": "Lovely."}]
    return {
        "tid": tid,
        "message_list": [first, [{"user": "She leaks.", "agent": "Oh."}]],
        "QA": asked(target_step_id=[[2, 0], [1, 1]]),
    }


def write(folder: Path, content: Any, name: str = "Third.json") -> str:
    """Write a file and return what opens its folder."""
    (folder / name).write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return f"membench:{folder}"


def test_reads_lives_that_are_watched(tmp_path: Path) -> None:
    """Steps are turns with their times, numbered from 0; the type is the category."""
    dataset = open_dataset(write(tmp_path, {"simple": {"roles": [watched(3)]}}))
    (case,) = dataset.cases()
    assert case.conversation.id == "Third:simple:roles:3"
    assert [(t.id, t.text, str(t.at)) for t in case.conversation.turns()] == [
        ("0", "I bought a boat.", "2024-10-01 08:00:00"),
        ("1", "She is called Petrel.", "2024-10-01 09:00:00"),
    ]
    assert [(q.category, str(q.asked_at)) for q in case.questions] == [("simple", "2024-10-02 08:00:00")]
    assert [gold.anchors() for gold in dataset.gold()] == [("1",)]


def test_reads_lives_that_are_told(tmp_path: Path) -> None:
    """A pair is one turn, numbered over all sessions; of a step that is a list the first number counts."""
    dataset = open_dataset(write(tmp_path, {"hop": {"events": [told()]}}, "First.json"))
    (case,) = dataset.cases()
    assert [(s.id, [t.id for t in s.turns]) for s in case.conversation.sessions] == [
        ("s1", ["0", "1"]),
        ("s2", ["2"]),
    ]
    assert next(case.conversation.turns()).text == "User: I bought a boat.\nAssistant: Nice."
    assert [gold.anchors() for gold in dataset.gold()] == [("2", "1")]
    assert dataset.describe()["steps_of_pairs"] == 3
    assert not validate(dataset)


def test_keeps_numbers_that_messages_have(tmp_path: Path) -> None:
    """A message with a number of its own keeps it."""
    life = watched()
    for number, step in enumerate(life["message_list"]):
        step["mid"] = number + 1
    dataset = open_dataset(write(tmp_path, {"simple": {"roles": [life]}}))
    assert [turn.id for case in dataset.cases() for turn in case.conversation.turns()] == ["1", "2"]


def test_counts_what_is_dropped_and_missing(tmp_path: Path) -> None:
    """Error messages are dropped, and steps that do not exist are counted."""
    lives = [watched(0), watched(1, QA="[ERRORQ]"), watched(2, QA=asked(target_step_id=[7]))]
    described = open_dataset(write(tmp_path, {"simple": {"roles": lives, "events": []}})).describe()
    assert (described["trajectories"], described["questions"]) == (3, 2)
    assert (described["dropped_error_messages"], described["steps_missing"]) == (1, 1)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"simple": {"roles": [watched(), {"tid": 1}]}}, r"\$.simple.roles\[1\].message_list: Field required"),
        (
            {"simple": {"roles": [watched(QA={"question": "?"})]}},
            r"\$.simple.roles\[0\].QA.answer: Field required",
        ),
        (
            {"hop": {"events": [{**told(), "message_list": [[{"user": "x"}]]}]}},
            r"message_list\[0\]\[0\].agent: Field req",
        ),
        ({"simple": {"roles": "none"}}, r"\$.simple.roles: Input should be lists of trajectories"),
        ({"simple": {"roles": {"x": 1}}}, r"\$.simple: Input should be lists of trajectories"),
        ([[1]], r"field \$: Input should be lists of trajectories"),
        ("{", "is not JSON of types and scenarios"),
    ],
)
def test_names_what_is_malformed(tmp_path: Path, content: Any, message: str) -> None:
    """File and field are named."""
    with pytest.raises(MalformedDataError, match=rf"Third.json.*{message}"):
        list(open_dataset(write(tmp_path, content)).cases())


def test_holds_one_trajectory(tmp_path: Path) -> None:
    """Reading four times as many lives takes no more memory."""
    peaks = []
    for count in (40, 160):
        life = watched()
        life["message_list"][0]["message"] = "x" * 5_000
        ref = write(tmp_path, {"simple": {"roles": [life | {"tid": n} for n in range(count)]}})
        dataset = open_dataset(ref)
        tracemalloc.start()
        deque(dataset.cases(), maxlen=0)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.5 * peaks[0]
