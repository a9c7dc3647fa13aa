"""A small timeline on three platforms, and the same as an archive in the original's forms; every text is ours."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import yaml

from memgauge.studies.track.timeline.models import Timeline

if TYPE_CHECKING:
    from pathlib import Path

HISTORY: list[dict[str, Any]] = [
    {
        "timestamp": "20250301T0900",
        "platform": "linear",
        "generation_type": "manual",
        "generation_meta_data": {
            "title": "Lamp firmware drops packets",
            "description": "Every third packet is lost after an hour.",
            "team": "devices",
            "priority": "high",
            "lead": "ines",
            "status": "todo",
            "start_date": "2025-03-01",
            "expected_finish_date": "2025-03-10",
            "milestone": "Spring",
            "weight": 3,
        },
    },
    {
        "timestamp": "20250301T0930",
        "platform": "slack",
        "generation_type": "manual",
        "generation_meta_data": {
            "sender": "ines",
            "message": "See the ticket about @omar's lamp.",
            "channel": "#devices",
        },
    },
    {
        "timestamp": "20250302T1000",
        "platform": "slack",
        "generation_type": "manual",
        "generation_meta_data": {
            "sender": "omar",
            "message": "The buffer holds 48 entries.",
            "recipient": "CodeAgent",
        },
    },
    {
        "timestamp": "20250303T1100",
        "platform": "linear",
        "generation_type": "manual",
        "generation_meta_data": {
            "title": "Lamp firmware drops packets",
            "description": "Every third packet is lost after an hour.",
            "team": "devices",
            "priority": "high",
            "lead": "omar",
            "status": "in_progress",
        },
    },
    {
        "timestamp": "20250303T1130",
        "platform": "slack",
        "generation_type": "manual",
        "generation_meta_data": {
            "thread_of": "20250301T0930",
            "replies": [
                {"sender": "omar", "message": "I took it over."},
                {"sender": "ines", "message": "Thanks."},
            ],
        },
    },
    {
        "timestamp": "20250304T1200",
        "platform": "git",
        "generation_type": "manual",
        "generation_meta_data": {
            "commit_id": "0f3c9aa",
            "author": "omar",
            "message": "fix(lamp): double the buffer",
            "files_changed": ["src/buffer.c"],
            "merged_to": "main",
            "pr": "#12",
        },
    },
    {
        "timestamp": "20250305T0800",
        "platform": "slack",
        "generation_type": "manual",
        "generation_meta_data": {
            "channel": "devices",
            "thread": [{"sender": "ines", "message": "All green?"}, {"sender": "omar", "message": "All green."}],
        },
    },
    {
        "timestamp": "20250305T0900",
        "platform": "linear",
        "generation_type": "manual",
        "generation_meta_data": {"title": "Lamp firmware drops packets", "team": "devices", "status": "completed"},
    },
]
CONFIG: dict[str, Any] = {
    "agent": {"model": "openai:x", "name": "CodeAgent", "title": "Engineer", "max_turns": 40, "tools": ["git"]},
    "repository": {
        "url": "https://example.invalid/lamp.git",
        "name": "lamp",
        "branch": "main",
        "commit": "abc1234",
    },
    "linear": {
        "users": ["CodeAgent"],
        "teams": [{"name": "sales", "members": ["CodeAgent", "pia"]}],
        "milestones": [
            {"name": "Spring", "description": "All lamps", "start_date": "2025-03-01", "end_date": "2025-05-31"}
        ],
    },
    "monitoring": {"check_interval": 1.0},
    "benchmark": {
        "event_history": "test_event_histories/event_history_lamp.json",
        "questions": ["Who took the ticket over?", "How many entries does the buffer hold now?"],
        "expected_answers": ["omar", "96"],
    },
}


def write_archive(folder: Path, *, history: Any = None, config: dict[str, Any] | None = None) -> Path:
    """Write the two files of one instance; returns that of its configuration."""
    configs, histories = folder / "test_configs", folder / "test_event_histories"
    for one in (configs, histories):
        one.mkdir(parents=True, exist_ok=True)
    shown = HISTORY if history is None else history
    (histories / "event_history_lamp.json").write_text(json.dumps(shown, indent=2), encoding="utf-8")
    path = configs / "config_lamp.yaml"
    path.write_text(yaml.safe_dump(CONFIG if config is None else config, sort_keys=False), encoding="utf-8")
    return path


def lamp(**changes: Any) -> Timeline:
    """Make the timeline as one of ours."""
    lamp_ticket = {"title": "Lamp firmware drops packets", "team": "devices"}
    days = {"start_date": "2025-03-01", "expected_finish_date": "2025-03-10"}
    opened = {**days, "lead": "ines", "status": "todo", "priority": "high", "milestone": "Spring"}
    second = {"title": "Second lamp", "team": "devices", "status": "completed", "lead": "CodeAgent"}
    fix = {"commit_id": "0f3c9aa", "author": "omar", "message": "fix: double the buffer"}
    buffer = _said(("omar", "The buffer holds 48 entries."))
    took = _said(("omar", "Took it."), ("ines", "Fine."))
    ready = _said(("pia", "Is the lamp ready?"))
    events = [
        _event(
            "e1", "2025-03-01T09:00", "ticket", description="Every third packet is lost.", **lamp_ticket, **opened
        ),
        _event(
            "e2", "2025-03-01T09:30", "message", channel="devices", messages=_said(("ines", "Hear, hear @omar."))
        ),
        _event("e3", "2025-03-02T10:00", "message", recipients=["CodeAgent"], messages=buffer),
        _event("e4", "2025-03-03T11:00", "ticket", lead="omar", status="in_progress", **lamp_ticket),
        _event("e5", "2025-03-03T11:30", "message", reply_to="e2", messages=took),
        _event("e6", "2025-03-04T12:00", "commit", files={"src/buffer.c": "int size = 96;\n"}, **fix),
        _event("e7", "2025-03-05T08:00", "message", recipients=["ines"], messages=ready),
        _event("e8", "2025-03-05T09:00", "ticket", **second),
    ]
    document: dict[str, Any] = {
        "name": "lamp",
        "events": events,
        "admins": ["CodeAgent"],
        "teams": [{"name": "sales", "members": ["pia"]}],
        "milestones": [{"name": "Spring", "start_date": "2025-03-01", "end_date": "2025-05-31"}],
        "repository": {"name": "lamp"},
        "questions": [
            {
                "id": "q1",
                "text": "Who took the ticket over?",
                "answer": "omar",
                "evidence": ["e4"],
                "source": "events",
            },
            {"id": "q2", "text": "How many entries does the buffer hold now?", "answer": "96"},
        ],
    }
    return Timeline.model_validate(document | changes)


def _event(event_id: str, at: str, kind: str, **payload: Any) -> dict[str, Any]:
    return {"id": event_id, "at": at, "payload": {"kind": kind, **payload}}


def _said(*messages: tuple[str, str]) -> list[dict[str, str]]:
    return [{"sender": sender, "text": text} for sender, text in messages]
