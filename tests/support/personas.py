"""A small invented benchmark of questions with options, in the reshaped form of PersonaMem."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

RIGHT: Final = ("I fly a green kite", "I sail a small boat", "I paint old doors")
WRONG: Final = ("you sell used books to museums", "you bake bread", "you repair watches for the whole town")


def options_file(folder: Path) -> Path:
    """Write three personas; each says one of three hobbies, and is asked which, and once what nobody said."""
    documents, queries = [], []
    for person, hobby in enumerate(RIGHT):
        said = f"[SYSTEM] Persona of secrets\n\n[USER] User: {hobby} every week.\n\n[ASSISTANT] Assistant: Nice."
        documents.append({"id": f"p{person}_0", "content": said})
        for number, right in enumerate((hobby, "you keep bees")):
            options = (*WRONG, right)
            below = "\n".join(f"({letter}) {option}" for letter, option in zip("abcd", options, strict=True))
            queries.append(
                {
                    "id": f"p{person}_q{number}",
                    "query": f"What do I do every week?\n\n{below}",
                    "gold_answers": ["d"],
                    "gold_ids": [f"p{person}_0"],
                    "user_id": f"p{person}",
                    "meta": {"question_type": ("said", "unsaid")[number]},
                }
            )
    path = folder / "personas.json"
    path.write_text(json.dumps({"documents": documents, "queries": queries}), encoding="utf-8")
    return path
