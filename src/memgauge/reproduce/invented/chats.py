"""Lives in the shapes of chats: REALTALK, ConvoMem, PerLTQA, and LoCoMo with cues laid into it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from memgauge.reproduce.invented.lives import spelled

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from memgauge.records import Turn
    from memgauge.reproduce.invented.lives import Files, InventedLife, InventedQuestion

CUES: Final = (
    ("goal", "I will learn to row before the lake freezes.", "They had one oar left in my size.", "three weeks"),
    (
        "causal",
        "My smoke alarm has no battery.",
        "The neighbours woke me with a bucket.",
        "two months",
    ),
    ("state", "My knee hurts whenever I climb.", "They put our meeting on the ninth floor.", "one week"),
    (
        "value",
        "I buy nothing that was flown here.",
        "The grapes in December look lovely.",
        "four months",
    ),
    ("goal", "I want to pay off the roof this year.", "A cruise is half the price until Friday.", "five weeks"),
    ("state", "I sleep badly when it is hot.", "The fan shop had sold everything.", "six weeks"),
)
"""What somebody says, what they say long after, and how long after: no words lead from one to the other."""


def realtalk(lives: Sequence[InventedLife]) -> Files:
    """Write a chat a life; turns are named by session and place."""
    files = {}
    for number, life in enumerate(lives, 1):
        names = _named(life.days)
        chat: dict[str, Any] = {"name": {"speaker_1": life.name, "speaker_2": "Assistant"}}
        for day, turns in enumerate(life.days, 1):
            chat[f"session_{day}"] = [_message(names[turn.id], turn) for turn in turns]
            chat[f"session_{day}_date_time"] = _german(turns[0].at)
        chat["qa"] = [
            {
                "question": invented.asked.text,
                "answer": invented.answer,
                "evidence": [names[turn] for turn in invented.gold.anchors()],
                "category": 1 if len(invented.gold.anchors()) > 1 else 2,
            }
            for invented in life.asked
        ]
        files[f"Chat_{number}_A_B.json"] = spelled(chat)
    return files


def _message(key: str, turn: Turn) -> dict[str, str]:
    return {"clean_text": turn.text, "speaker": turn.speaker, "dia_id": key, "date_time": _german(turn.at)}


def convomem(lives: Sequence[InventedLife]) -> Files:
    """Write a test case a life; questions about what changed stand in a folder of their own."""
    folders: dict[str, list[dict[str, Any]]] = {"user_evidence": [], "changing_evidence": []}
    for life in lives:
        chats = [
            {"id": str(number), "messages": [_spoken(turn) for turn in turns]}
            for number, turns in enumerate(life.days)
        ]
        evidence: dict[str, list[dict[str, Any]]] = {name: [] for name in folders}
        for invented in life.asked:
            evidence["changing_evidence" if invented.gold.stale else "user_evidence"].append(
                _evidenced(life, invented)
            )
        for name, items in evidence.items():
            folders[name].append({"evidenceItems": items, "conversations": chats, "contextSize": len(chats)})
    return {f"{name}/dataset_0.json": spelled(cases) for name, cases in folders.items()}


def _spoken(turn: Turn) -> dict[str, str]:
    return {"speaker": turn.role.capitalize(), "text": turn.text}


def _evidenced(life: InventedLife, invented: InventedQuestion) -> dict[str, Any]:
    turns = {turn.id: turn for turn in life.case.conversation.turns()}
    rests_on = dict.fromkeys((*(invented.gold.stale or ()), *invented.gold.anchors()))
    return {
        "question": invented.asked.text,
        "answer": invented.answer,
        "message_evidences": [_spoken(turns[turn]) for turn in rests_on],
    }


def perltqa(lives: Sequence[InventedLife]) -> Files:
    """Write a person a life; a day is a dialogue, and questions name days."""
    people, sheets = {}, []
    for life in lives:
        dialogues = {
            _day(turns[0].session): {
                "contents": {f"{turns[0].at:%Y-%m-%d %H:%M}": [f"{turn.speaker}: {turn.text}" for turn in turns]}
            }
            for turns in life.days
        }
        people[life.name] = {"profile": {"Name": life.name}, "dialogues": dialogues}
        questions = [{_days(life, invented)[0]: [_referring(life, invented)]} for invented in life.asked]
        sheets.append({life.name: {"dialogues": questions}})
    return {"perltmem_en.json": spelled(people), "perltqa_en.json": spelled(sheets)}


def _days(life: InventedLife, invented: InventedQuestion) -> list[str]:
    anchors = invented.gold.anchors()
    turns = (turn for turn in life.case.conversation.turns() if turn.id in anchors)
    return list(dict.fromkeys(_day(turn.session) for turn in turns))


def _referring(life: InventedLife, invented: InventedQuestion) -> dict[str, Any]:
    return {
        "Question": invented.asked.text,
        "Answer": invented.answer,
        "Reference Memory": str(_days(life, invented)),
        "Memory Anchors": [],
    }


def locomo_plus(lives: Sequence[InventedLife]) -> Files:
    """Write lives as LoCoMo has conversations, and cues beside them."""
    samples = [_sample(f"conv-{number}", life) for number, life in enumerate(lives, 1)]
    cues = [
        {
            "relation_type": relation,
            "cue_dialogue": f"A: {cue}\nB: I see.",
            "trigger_query": f"A: {trigger}",
            "time_gap": f"{gap} later",
        }
        for relation, cue, trigger, gap in CUES
    ]
    return {"locomo10.json": spelled(samples), "locomo_plus.json": spelled(cues)}


def _sample(key: str, life: InventedLife) -> dict[str, Any]:
    names = _named(life.days)
    conversation: dict[str, Any] = {"speaker_a": life.name, "speaker_b": "Assistant"}
    for day, turns in enumerate(life.days, 1):
        conversation[f"session_{day}_date_time"] = f"{turns[0].at:%I:%M %p on %d %B, %Y}"
        conversation[f"session_{day}"] = [
            {"speaker": turn.speaker, "dia_id": names[turn.id], "text": turn.text} for turn in turns
        ]
    return {"sample_id": key, "conversation": conversation, "qa": []}


def _named(days: Sequence[Sequence[Turn]]) -> dict[str, str]:
    """Name every turn by its session and its place."""
    return {turn.id: f"D{day}:{n}" for day, turns in enumerate(days, 1) for n, turn in enumerate(turns, 1)}


def _day(session: str) -> str:
    return f"1_0_0#{session}"


def _german(at: datetime | None) -> str:
    return f"{at:%d.%m.%Y, %H:%M:%S}"
