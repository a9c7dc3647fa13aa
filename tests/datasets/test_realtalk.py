from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.datasets.catalogue import open_dataset
from memgauge.datasets.realtalk.convert import evidence_of
from memgauge.datasets.validate import validate
from memgauge.errors import DataNotFoundError, MalformedDataError
from memgauge.records import EvidencePolicy

if TYPE_CHECKING:
    from pathlib import Path

TURNS = {"D1:1": 0, "D1:2": 1, "D1:4": 2, "D2:1": 3, "D20:6": 4}


def turn(key: str, text: str, at: str = "29.12.2023, 22:42:04", **more: Any) -> dict[str, Any]:
    """One message as the chats have it."""
    return {
        "clean_text": text,
        "speaker": "Ann",
        "date_time": at,
        "dia_id": key,
        "img_file": [],
        "img_url": [],
        **more,
    }


def asked(text: str, answer: str, evidence: list[str], category: int = 1) -> dict[str, Any]:
    """One question as the chats have it."""
    return {"question": text, "answer": answer, "evidence": evidence, "category": category}


def chat() -> dict[str, Any]:
    """One chat, whose ids follow other sessions than its keys."""
    return {
        "name": {"speaker_1": "Ann", "speaker_2": "Bob"},
        "session_10": [turn("D3:1", "It floats.", "02.01.2024, 09:00:00")],
        "session_10_date_time": "02.01.2024, 09:00:00",
        "session_2": [
            turn("D1:3", " I bought a boat. ", blip_caption="a red kayak "),
            turn("D1:5", "Good night.", "30.12.2023, 00:10:00", speaker="Bob"),
        ],
        "session_2_date_time": "29.12.2023, 22:42:04",
        "events_session_2": {"agent_a": [], "agent_b": []},
        "qa": [
            asked("What did Ann buy?", "a boat", ["D1:3"]),
            asked("What did Ann buy?", "D1:3", ["D1:3-D1:5"], 3),
            asked("When does it float?", "2 January", ["D1:4", "D9:1; D3:1", ""], 2),
            asked("Why?", "unknown", [], 3),
        ],
    }


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with one chat."""
    (tmp_path / "Chat_3_Ann_Bob.json").write_text(json.dumps(chat()), encoding="utf-8")
    return tmp_path


def test_sessions_are_where_turns_lie(folder: Path) -> None:
    """Sessions come in numeric order, each turn with its own time, and the conversation has no name."""
    (case,) = open_dataset(f"realtalk:{folder}").cases()
    assert case.conversation.id == "chat-3"
    first, second = case.conversation.sessions
    assert [(t.id, t.session, str(t.at)) for t in first.turns] == [
        ("D1:3", "session_2", "2023-12-29 22:42:04"),
        ("D1:5", "session_2", "2023-12-30 00:10:00"),
    ]
    assert (second.id, second.at, second.turns[0].id) == ("session_10", second.turns[0].at, "D3:1")


def test_captions_can_be_left_out(folder: Path) -> None:
    """The caption of an image stands behind its text, unless the option says otherwise."""
    texts = [
        next(next(iter(open_dataset(f"realtalk:{folder}{o}").cases())).conversation.turns()).text
        for o in ("", ",captions=false")
    ]
    assert texts == ["I bought a boat. [shares image: a red kayak]", "I bought a boat."]


@pytest.mark.parametrize(
    ("raw", "exact", "turns"),
    [
        ("D1:1", True, ("D1:1",)),
        ("D1:1; D2:1", False, ("D1:1", "D2:1")),
        ("D1:1-D1:4", False, ("D1:1", "D1:2", "D1:4")),
        ("D1:2-D2:1", False, ("D1:2", "D1:4", "D2:1")),
        ("D20:6.", False, ("D20:6",)),
        ("D 2:1", False, ("D2:1",)),
        ("D01:01", False, ("D1:1",)),
        ("D1:3", False, ()),
        ("D17;39", False, ()),
        ("D58", False, ()),
        ("D:56", False, ()),
        ("23:29", False, ()),
        ("", False, ()),
        ("D1:1-D1:999999999", False, ("D1:1", "D1:2", "D1:4")),
    ],
)
def test_reads_evidence_in_every_form(raw: str, exact: bool, turns: tuple[str, ...]) -> None:
    """Lists, ranges and slips are repaired to turns that exist; gaps and what cannot be read name none."""
    evidence = evidence_of(raw, TURNS)
    assert (evidence.raw, evidence.exact, evidence.turns) == (raw, exact, turns)


def test_strict_and_repaired_gold(folder: Path) -> None:
    """An answer that is an id is none; a malformed entry counts under repair alone."""
    golds = list(open_dataset(f"realtalk:{folder}").gold())
    assert [gold.anchors() for gold in golds] == [("D1:3",), (), (), ()]
    assert [gold.anchors(EvidencePolicy.REPAIR) for gold in golds] == [("D1:3",), ("D1:3", "D1:5"), ("D3:1",), ()]
    assert (golds[1].answers, golds[1].raw_answer) == ((), "D1:3")


def test_counts_every_defect(folder: Path) -> None:
    """What cannot be resolved, ids as answers, repeats and ids of other sessions are counted."""
    dataset = open_dataset(f"realtalk:{folder}")
    described = dataset.describe()
    expected = {
        "answers_that_are_ids": 1,
        "captions": 1,
        "evidence": 5,
        "evidence_exact": 1,
        "evidence_missing": 2,
        "questions_asked_again": 1,
        "scored_repair": 3,
        "scored_strict": 1,
        "turns_numbered_elsewhere": 3,
        "without_evidence": 1,
    }
    assert {name: described[name] for name in expected} == expected
    assert described["categories"] == {"commonsense": 2, "multi-hop": 1, "temporal": 1}
    assert not validate(dataset)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"session_2": [turn("D1:1", "x", "2023-12-29")]},
            r"session_2\[0\].date_time: '2023-12-29' is not a date",
        ),
        ({"session_2": [{"speaker": "Ann"}]}, r"session_2\[0\].clean_text: Field required"),
        ({"qa": [asked("?", "x", [], 5)]}, r"qa\[0\].category: there are 1, 2, 3"),
        ({"qa": None}, r"\$.qa: Input should be a valid list"),
    ],
)
def test_names_what_is_malformed(folder: Path, change: dict[str, Any], message: str) -> None:
    """File and field are named."""
    (folder / "Chat_3_Ann_Bob.json").write_text(json.dumps(chat() | change), encoding="utf-8")
    with pytest.raises(MalformedDataError, match=r"Chat_3_Ann_Bob.json: field .*" + message.lstrip("\\$.")):
        list(open_dataset(f"realtalk:{folder}").cases())


def test_two_chats_of_one_number_are_refused(folder: Path) -> None:
    """A conversation is named by the number of its file, which must be its own."""
    (folder / "Chat_3_Eve.json").write_text(json.dumps(chat()), encoding="utf-8")
    with pytest.raises(MalformedDataError, match="gives no number of its own"):
        list(open_dataset(f"realtalk:{folder}").cases())


def test_without_chats_it_says_what_it_looks_for(tmp_path: Path) -> None:
    """The pattern and the remedy are named."""
    with pytest.raises(DataNotFoundError, match=r"Chat_\*.json.*realtalk:FOLDER"):
        open_dataset("realtalk", root=tmp_path)
