"""The shape of a chat of REALTALK, as far as it is read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from pydantic import TypeAdapter, field_validator

from memgauge.datasets.places import FieldPath
from memgauge.datasets.strict import StrictEntry
from memgauge.text.jsons import json_file

if TYPE_CHECKING:
    from pathlib import Path

SESSION: Final = re.compile(r"session_(\d{1,9})")


class ChatTurn(StrictEntry):
    """One message."""

    clean_text: str
    speaker: str
    date_time: str
    dia_id: str
    blip_caption: str | None = None


class ChatQuestion(StrictEntry):
    """One question with its labels."""

    question: str
    answer: str
    evidence: list[str]
    category: int

    @field_validator("category")
    @classmethod
    def _known(cls, value: int) -> int:
        if value not in CATEGORIES:
            raise ValueError(f"there are {', '.join(map(str, CATEGORIES))}")
        return value


CATEGORIES: Final = {1: "multi-hop", 2: "temporal", 3: "commonsense"}
_TURNS = TypeAdapter(list[ChatTurn])
_QUESTIONS = TypeAdapter(list[ChatQuestion])
_CHAT = TypeAdapter(dict[str, object])


class ChatFile:
    """One file: its sessions by key, in the order of their numbers, and what is asked."""

    def __init__(self, path: Path) -> None:
        """Read and check the file.

        Raises:
            MalformedDataError: It is not JSON, or a field is not what it must be; the message names the place.
        """
        self.place = FieldPath(str(path))
        content = self.place.checked(_CHAT, json_file(path, "Bring the file again."))
        numbered = sorted((int(match[1]), key) for key in content if (match := SESSION.fullmatch(key)))
        self.sessions = {key: self.place.at(key).checked(_TURNS, content[key]) for _, key in numbered}
        self.questions = self.place.at("qa").checked(_QUESTIONS, content.get("qa"))
