"""Small valid files of benchmarks that do not lie here, invented in their shapes, and a reader for each."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any

from memgauge.datasets.catalogue import open_dataset
from support.fuzz import Reader

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from support.fuzz import Sample


def _spelt(content: Any) -> bytes:
    return json.dumps(content, ensure_ascii=False).encode()


def _lines(*rows: Any) -> bytes:
    return b"".join(_spelt(row) + b"\n" for row in rows)


def _turn(key: str, text: str, at: str) -> dict[str, Any]:
    return {"clean_text": text, "speaker": "Ann", "date_time": at, "dia_id": key, "blip_caption": "a red boat"}


_REALTALK = {
    "name": {"speaker_1": "Ann", "speaker_2": "Bob"},
    "session_1": [
        _turn("D1:1", "I bought a kayak in Bergen.", "29.12.2023, 22:42:04"),
        _turn("D1:3", "The weather is grey.", "29.12.2023, 22:44:04"),
    ],
    "session_2": [_turn("D1:4", "The kayak leaks.", "02.01.2024, 09:00:00")],
    "qa": [
        {"question": "What did Ann buy in Bergen?", "answer": "a kayak", "evidence": ["D1:1"], "category": 1},
        {"question": "What leaks?", "answer": "the kayak", "evidence": ["D1:3-D1:4"], "category": 3},
    ],
}
_CHOICES = {"A": "Whale", "B": "Petrel"}
_MEMDAILY = [
    {
        "tid": 1,
        "message_list": [
            {"mid": 0, "message": "我买了一条船。", "time": "2024年04月01日 周一 08:39", "place": "上海"},
            {"mid": 1, "message": "My boat is called Petrel.", "time": "2024年04月02日 周二 08:39"},
        ],
        "question_list": [
            {
                "qid": 0,
                "question": "What is my boat called?",
                "answer": "Petrel",
                "target_step_id": [1],
                "choices": _CHOICES,
                "ground_truth": "B",
                "time": "2024年04月03日 周三 09:00",
            }
        ],
    }
]
_QA = {"question": "What is my boat called?", "answer": "Petrel", "choices": _CHOICES, "ground_truth": "B"}
_MEMBENCH = {
    "simple": {
        "roles": [
            {
                "tid": 0,
                "message_list": [
                    [{"user": "I have a boat.", "agent": "Nice."}],
                    [{"user": "She is called Petrel.", "agent": "Lovely."}],
                ],
                "QA": _QA | {"target_step_id": [[1, 0]]},
            }
        ]
    }
}
_CHAT = [{"speaker": "User", "text": "My boat is red."}, {"speaker": "Assistant", "text": "Nice."}]
_CONVOMEM = {
    "evidenceItems": [{"question": "Which colour is my boat?", "answer": "red", "message_evidences": _CHAT[:1]}],
    "conversations": [{"id": "x", "containsEvidence": True, "messages": _CHAT}],
    "contextSize": 1,
}
_PERLTQA = {
    "Ann": {
        "profile": {"Hobbies": "sailing"},
        "events": {"1_0_0": {"content": "Ann bought a boat. She leaks."}},
        "dialogues": {"1_0_0#1": {"events": "1_0_0", "contents": {"2021-03-15 10:00": ["Bob: Nice boat!"]}}},
    }
}
_ASKED = {
    "Question": "What did Ann buy?",
    "Answer": "a boat",
    "Reference Memory": "['1_0_0']",
    "Memory Anchors": [],
}
_BELIEF = {"user_id": "test-user", "type": "entity", "canonical_name": "x", "scope": ["domain:boats"]}
_ACTIVE = {"epistemic_status": "active", "created_at": "2026-03-01T00:00:00Z"}
_EXPECT = {"relevantBeliefs": {"shouldOnlyInclude": ["b-hull"]}}

FILES: Mapping[str, Sample] = {
    "realtalk": {"Chat_1_Ann_Bob.json": _spelt(_REALTALK)},
    "memdaily": {"01_simple_roles.json": _spelt(_MEMDAILY)},
    "membench": {"First.json": _spelt(_MEMBENCH)},
    "convomem": {"user_evidence/dataset_0.json": _spelt([_CONVOMEM])},
    "perltqa": {
        "perltmem_en.json": _spelt(_PERLTQA),
        "perltqa_en.json": _spelt([{"Ann": {"events": [{"1_0_0": [_ASKED]}]}}]),
    },
    "precisionmembench": {
        "beliefs.seed.json": _spelt([{"_id": "b-hull", "content": "The hull is of oak."} | _BELIEF | _ACTIVE]),
        "retrieval.cases.1.json": _spelt(
            [
                {
                    "caseId": "a",
                    "category": "Alias",
                    "scope": ["domain:boats"],
                    "query": "What is the hull of?",
                    "expect": _EXPECT,
                }
            ]
        ),
        "session-retrieval.cases.1.json": _spelt(
            [
                {
                    "caseId": "s",
                    "turns": [
                        {
                            "turnIndex": 0,
                            "label": "drift",
                            "scope": ["domain:boats"],
                            "userMessage": "The hull of oak?",
                            "expect": _EXPECT,
                        }
                    ],
                }
            ]
        ),
    },
    "beir": {
        "corpus.jsonl": _lines({"id": "d1", "title": "Boats", "text": "A kayak."}, {"id": "d2", "text": "A cat."}),
        "candidates.jsonl": _lines({"scene_id": "c_1", "candidate_doc_ids": ["d1", "d2"]}),
        "easy/queries.jsonl": _lines({"id": "c_1_q1", "text": "Which kayak?"}),
        "easy/qrels.tsv": b"c_1_q1\td1\t1\n",
    },
}
"""The files of every benchmark by name."""


def written(name: str, folder: Path) -> str:
    """Write the files of a benchmark below *folder*, and return what opens them."""
    for file, content in FILES[name].items():
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_bytes(content)
    return f"{name}:{folder}"


def further_readers() -> Iterator[Reader]:
    """Yield a reader for each."""
    for name, files in FILES.items():
        yield Reader(f"data-further-{name}", partial(dict, files), partial(_read, name))


def _read(name: str, folder: Path) -> None:
    dataset = open_dataset(f"{name}:{folder}")
    list(dataset.cases())
    list(dataset.gold())
    dataset.describe()
