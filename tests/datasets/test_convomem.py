from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.datasets.catalogue import open_dataset
from memgauge.datasets.convomem.convert import kind_of
from memgauge.datasets.validate import validate
from memgauge.errors import MalformedDataError
from memgauge.records import EvidencePolicy

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.datasets.base import Dataset
    from memgauge.records import Gold


def said(text: str, speaker: str = "User") -> dict[str, str]:
    """One message as ConvoMem writes it."""
    return {"speaker": speaker, "text": text}


def chat(*messages: dict[str, str], holds: bool = False) -> dict[str, Any]:
    """One chat, which says itself whether it holds evidence."""
    return {"id": "x", "containsEvidence": holds, "model_name": "m", "messages": list(messages)}


CHATS = [
    chat(said("My boat is red."), said("Nice.", "Assistant"), holds=True),
    chat(said("I like tea."), said("I like tea."), holds=True),
    chat(said("I painted my boat blue."), holds=True),
]


def case(*evidence: dict[str, str], **changes: Any) -> dict[str, Any]:
    """One test case as ConvoMem writes it."""
    item = {
        "question": "Which colour?",
        "answer": "blue",
        "message_evidences": list(evidence),
        "conversations": [],
    }
    return {"evidenceItems": [item], "conversations": CHATS, "contextSize": 3, **changes}


BOTH = (said("My boat is red."), said("I painted my boat blue."))


def write(folder: Path, kind: str, content: Any, name: str = "dataset_0.json") -> str:
    """Write one file below the folder of a type, and return what opens everything."""
    path = folder / "cases" / kind / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return f"convomem:{folder}/cases"


def gold_of(dataset: Dataset) -> Gold:
    """Return the only gold."""
    (gold,) = dataset.gold()
    return gold


def test_a_test_case_is_a_conversation(tmp_path: Path) -> None:
    """Chats are sessions without dates, named by position; nothing says which of them holds evidence."""
    dataset = open_dataset(write(tmp_path, "user_evidence", case(BOTH[0])))
    (each,) = dataset.cases()
    assert each.conversation.id == "user_evidence/dataset_0:0"
    assert [(s.id, s.at, len(s.turns)) for s in each.conversation.sessions] == [
        ("c001", None, 2),
        ("c002", None, 2),
        ("c003", None, 1),
    ]
    assert [(t.id, t.role) for t in each.conversation.sessions[0].turns] == [
        ("c001:t001", "user"),
        ("c001:t002", "assistant"),
    ]
    assert "containsEvidence" not in repr(each)
    assert not validate(dataset)


def test_evidence_is_the_message_that_has_speaker_and_text(tmp_path: Path) -> None:
    """Found once it is exact; found twice it counts under repair alone; found nowhere it is counted."""
    evidence = (BOTH[0], said("I like tea."), said("My boat is red.", "Assistant"))
    dataset = open_dataset(write(tmp_path, "user_evidence", case(*evidence)))
    gold = gold_of(dataset)
    assert [(e.exact, e.turns) for e in gold.evidence] == [
        (True, ("c001:t001",)),
        (False, ("c002:t001", "c002:t002")),
        (False, ()),
    ]
    assert gold.anchors() == ("c001:t001",)
    assert len(gold.anchors(EvidencePolicy.REPAIR)) == 3
    described = dataset.describe()
    names = ("evidence", "evidence_not_found", "evidence_found_repeatedly")
    assert [described[name] for name in names] == [3, 1, 1]


def test_of_what_changed_the_last_version_is_evidence(tmp_path: Path) -> None:
    """Earlier versions are stale, as their order suggests; versions=all takes that back."""
    ref = write(tmp_path, "changing_evidence", case(*reversed(BOTH)))
    gold, whole = gold_of(open_dataset(ref)), gold_of(open_dataset(f"{ref},versions=all"))
    assert (gold.anchors(), gold.stale) == (("c003:t001",), ("c001:t001",))
    assert (whole.anchors(), whole.stale) == (("c003:t001", "c001:t001"), None)
    assert open_dataset(ref).describe()["stale_inferred"] == 1
    assert not validate(open_dataset(ref))


def test_abstention_has_evidence_and_no_answer(tmp_path: Path) -> None:
    """The topic is spoken of, and the right reply is that it is not known."""
    gold = gold_of(open_dataset(write(tmp_path, "abstention_evidence", case(BOTH[0]))))
    assert (gold.abstain, gold.anchors()) == (True, ("c001:t001",))


def test_checkpoints_are_left_out_and_lists_are_streamed(tmp_path: Path) -> None:
    """A file may hold many test cases; one called a checkpoint is counted and not read."""
    write(tmp_path, "user_evidence", [case(BOTH[0]), case(BOTH[1]), case(BOTH[0], conversations=[])])
    dataset = open_dataset(write(tmp_path, "user_evidence", "not json", "checkpoint_1.json"))
    described = dataset.describe()
    assert (described["test_cases"], described["files_of_checkpoints"]) == (3, 1)
    assert (described["conversations"], described["test_cases_without_chats"]) == (2, 1)


def test_chats_of_the_questions_stand_in_for_missing_ones(tmp_path: Path) -> None:
    """A test case without chats of its own has those of its questions, each once."""
    written = case(BOTH[0], conversations=[])
    written["evidenceItems"] = [written["evidenceItems"][0] | {"conversations": CHATS[:1]} for _ in range(2)]
    (each,) = open_dataset(write(tmp_path, "user_evidence", written)).cases()
    assert len(each.conversation.sessions) == 1
    assert len(each.questions) == 2


@pytest.mark.parametrize(
    ("folders", "kind"),
    [
        (["core", "implicit_connection_evidence", "2_evidence"], "implicit-connection"),
        (["assistant_facts_evidence"], "assistant-facts"),
        (["category_2_temporal"], "category_2_temporal"),
        ([], "question"),
    ],
)
def test_the_type_is_that_of_the_folder(folders: list[str], kind: str) -> None:
    """The nearest folder that names a type says it."""
    assert kind_of(folders) == kind


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"conversations": []}, r"dataset_0.json: field \$.evidenceItems: Field required"),
        ([case(), {"evidence_items": [{"question": "?"}]}], r"\$\[1\].evidence_items\[0\].answer: Field required"),
        ("[{]", "is not JSON"),
        ("{", "not JSON"),
    ],
)
def test_names_what_is_malformed(tmp_path: Path, content: Any, message: str) -> None:
    """File and field are named."""
    with pytest.raises(MalformedDataError, match=message):
        list(open_dataset(write(tmp_path, "user_evidence", content)).cases())
