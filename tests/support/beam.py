"""Chats and questions in the shapes of BEAM, written by us."""

from __future__ import annotations

from typing import Any

from memgauge.datasets.beam.schema import ABILITIES


def said(number: int, text: str, **more: Any) -> dict[str, Any]:
    """One message as BEAM writes it: even numbers are the user's."""
    return {"role": "assistant" if number % 2 else "user", "id": number, "content": text, **more}


def batch(number: int, anchor: str | None, *messages: dict[str, Any]) -> dict[str, Any]:
    """One batch as BEAM writes it: a turn is a list of messages, and the first message has the only date."""
    first = messages[0] | {"time_anchor": anchor, "index": "1,1", "question_type": "main_question"}
    return {"batch_number": number, "time_anchor": None, "turns": [[first, *messages[1:2]], list(messages[2:])]}


def chat() -> list[dict[str, Any]]:
    """A chat of two batches, with markers of every known kind."""
    return [
        batch(
            1,
            "March-15-2024",
            said(0, "I plan a shed. ->-> 1,1"),
            said(1, "Good.\n->-> 1,N/A\nand more"),
            said(2, "It gets\ntwo windows.  ->->2,3)"),
            said(3, "Fine -> go on."),
        ),
        batch(2, "April-05-2024", said(4, "Make it three windows."), said(5, "Done.")),
    ]


def probes(**sources: Any) -> dict[str, list[dict[str, Any]]]:
    """One question an ability as BEAM writes it; *sources* replaces the source ids of an ability."""
    shapes: dict[str, Any] = {
        "contradiction_resolution": {"first_statement": [2], "second_statement": [4]},
        "event_ordering": [[0, 2], 4],
        "information_extraction": [2],
        "instruction_following": [0],
        "knowledge_update": {"original_info": [2], "updated_info": [4]},
        "multi_session_reasoning": [2, 4, 4],
        "preference_following": [],
        "temporal_reasoning": {"first_event": [0], "second_event": [4]},
        "summarization": [1, 5],
    } | sources
    return {
        ability: [
            {
                "question": f"About {ability}?",
                field: f"Gold of {ability}.",
                "difficulty": "",
                "rubric": [f"LLM response should state: {ability}", "and more"],
            }
            | ({"source_chat_ids": shapes[ability]} if ability in shapes else {})
        ]
        for ability, field in ABILITIES.items()
    }
