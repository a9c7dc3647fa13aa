"""The shape of a HaluMem file, as far as it is read: one JSON object a line, one user each."""

from __future__ import annotations

from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Annotated

from pydantic import AfterValidator, BaseModel, BeforeValidator, ValidationError

from memgauge.datasets.places import REMEDY, FieldPath
from memgauge.errors import MalformedDataError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


_EMPTY = BeforeValidator(lambda value: [] if value is None else value)
"""A list that may also be null."""


class HaluMemMessage(BaseModel):
    """One message of a dialogue."""

    role: str
    content: str
    timestamp: str


class PointEntry(BaseModel):
    """One memory point: what a memory system should (or, for interference, should not) take from a session."""

    memory_content: str
    memory_type: Annotated[str, AfterValidator(lambda text: text.strip("[] "))]
    """``Persona Memory``, ``Event Memory`` or ``Relationship Memory``; some files put it in brackets."""
    memory_source: str
    timestamp: str
    is_update: bool = False
    """Written as the text ``True`` or ``False``."""
    original_memories: Annotated[list[str], _EMPTY] = []
    importance: float = 1.0


class EvidenceEntry(BaseModel):
    """One piece of evidence: a text, without any id."""

    memory_content: str


class HaluMemQuestion(BaseModel):
    """One question, asked right after its session."""

    question: str
    answer: str
    question_type: str
    evidence: Annotated[list[EvidenceEntry], _EMPTY] = []


class SessionEntry(BaseModel):
    """One sitting; the long variant mixes in sessions that are only to be read, without points and questions."""

    start_time: str
    end_time: str
    dialogue: list[HaluMemMessage]
    memory_points: Annotated[list[PointEntry], _EMPTY] = []
    questions: Annotated[list[HaluMemQuestion], _EMPTY] = []
    is_generated_qa_session: bool = False

    def lacks(self, field: str) -> bool:
        """Whether *field* is not written at all, which differs from a list with nothing in it."""
        return field not in self.model_fields_set


class UserEntry(BaseModel):
    """One user with all sessions."""

    uuid: str
    persona_info: str
    sessions: list[SessionEntry]


def stream_users(path: Path) -> Iterator[tuple[int, UserEntry]]:
    """Yield the users of *path*, each with the number of its line; no more than one is held.

    Raises:
        MalformedDataError: A line is not the JSON object of a user, or is one that was there before, or there is
            none; the message names the place.
    """
    with path.open("rb") as handle:
        # Unlike the variable of a loop, map and filter keep nothing of the line before.
        users = map(partial(_once, path, {}), filter(None, map(partial(_user, path), count(1), handle)))
        first = next(users, None)
        if first is None:
            raise MalformedDataError(f"{path} holds no user: one JSON object a line is wanted.", "Fetch it again.")
        yield first
        del first
        yield from users


def _user(path: Path, number: int, line: bytes) -> tuple[int, UserEntry] | None:
    if not line.strip():
        return None
    try:
        return number, UserEntry.model_validate_json(line)
    except ValidationError as error:
        first = error.errors()[0]
        if first["loc"]:
            raise FieldPath(f"{path}, line {number}").invalid(error) from error
        raise MalformedDataError(f"{path}, line {number}: {first['msg']}.", REMEDY) from error


def _once(path: Path, seen: dict[str, int], user: tuple[int, UserEntry]) -> tuple[int, UserEntry]:
    """Refuse a user that was there before: conversations, questions and points are named after it."""
    number, entry = user
    before = seen.setdefault(entry.uuid, number)
    if before != number:
        place = FieldPath(f"{path}, line {number}", ("uuid",))
        raise place.wrong(f"{entry.uuid!r} is also the user of line {before}", "Drop one of the lines.")
    return user
