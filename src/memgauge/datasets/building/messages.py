"""Chat messages as every export boils down to them, and how their texts and times are read."""

from __future__ import annotations

import json
import unicodedata
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from pydantic import AfterValidator, BeforeValidator

from memgauge.datasets.places import FieldPath
from memgauge.datasets.times import naive_utc
from memgauge.errors import DataError, DataNotFoundError, MalformedDataError
from memgauge.show.safety import plain_line
from memgauge.text.jsons import json_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pydantic import TypeAdapter

T = TypeVar("T")

USER, ASSISTANT = "user", "assistant"
_ROLES = {
    **dict.fromkeys(("user", "human", "me", "prompter"), USER),
    **dict.fromkeys(("assistant", "ai", "bot", "model", "gpt", "chatgpt", "claude"), ASSISTANT),
}
MACHINERY = frozenset({"system", "developer", "tool", "function"})
"""Roles whose messages nobody said."""
EXPORT_AGAIN = "Export the chats again, or mend that field."


@dataclass(frozen=True, slots=True)
class ExportMessage:
    """One message of an export, in the order of its session."""

    speaker: str
    role: str
    text: str
    at: datetime | None
    session: str | None = None
    """The export's own key; ``None``: sessions are to be cut where nobody spoke for long."""
    conversation: str = ""
    """The export's own key of the person; one export is usually one person."""


@dataclass(frozen=True)
class Export:
    """What one file holds."""

    messages: tuple[ExportMessage, ...]
    left_out: Mapping[str, int]
    """Messages that are not among them, by reason."""


def known_role(name: str) -> str | None:
    """Return the role that a sender is known by in exports, or ``None`` where it is a name."""
    return _ROLES.get(name.strip().casefold())


def clean(text: str) -> str:
    """Bring *text* to NFC and line feeds, without blanks around it; half a surrogate pair becomes U+FFFD."""
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return unicodedata.normalize("NFC", whole.replace("\r\n", "\n").replace("\r", "\n")).strip()


def read_time(value: object) -> datetime | None:
    """Read a time as :func:`memgauge.datasets.times.naive_utc` does, in whole seconds.

    Raises:
        ValueError: It is no time.
    """
    time = naive_utc(value)
    return time and time.replace(microsecond=0)


Time = Annotated[datetime | None, BeforeValidator(read_time)]
Text = Annotated[str, AfterValidator(clean)]
Line = Annotated[Text, AfterValidator(plain_line)]
"""A text that stands in one line where it is shown: a name, a category."""


def read_file(path: Path) -> str:
    """Return the text of *path* without a byte order mark.

    Raises:
        DataNotFoundError: There is no such file.
        DataError: It cannot be read, or is not UTF-8.
    """
    try:
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError as error:
        raise DataNotFoundError(f"There is no {path}.", "Name a file that exists.") from error
    except OSError as error:
        remedy = "Name a file; of an unpacked export, its conversations.json."
        raise DataError(f"Cannot read {path}: {error.strerror}.", remedy) from error
    except UnicodeDecodeError as error:
        remedy = "Save it as UTF-8; if it is a zip archive, unpack it and name the conversations.json inside."
        raise MalformedDataError(f"{path} is not UTF-8: byte {error.start}.", remedy) from error


def read_json(path: Path, text: str) -> Any:
    """Parse *text*, the content of *path*.

    Raises:
        MalformedDataError: It is not JSON; line and column are named.
    """
    try:
        return json_of(text)
    except json.JSONDecodeError as broken:
        where = f"line {broken.lineno}, column {broken.colno}"
        raise MalformedDataError(f"{path} is not JSON: {broken.msg} at {where}.", "Export it again.") from broken


def read_conversations(path: Path, text: str, wanted: TypeAdapter[list[T]]) -> list[T]:
    """Read *text*, the content of *path*: a list of conversations, or one.

    Raises:
        MalformedDataError: It is not JSON, or a field is not what it must be; the place is named.
    """
    data = read_json(path, text)
    return FieldPath(str(path)).checked(wanted, data if isinstance(data, list) else [data], EXPORT_AGAIN)
