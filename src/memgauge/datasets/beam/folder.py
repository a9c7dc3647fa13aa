"""BEAM as its repository publishes it: a folder a size, in it a folder a chat, in that two files that are read."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from memgauge.datasets.beam.batches import CheckedChat, batches_of
from memgauge.datasets.beam.schema import json_or_literal, probes_of
from memgauge.datasets.files import search_roots, sha256_of
from memgauge.datasets.places import FieldPath
from memgauge.errors import DataNotFoundError, MalformedDataError
from memgauge.text.jsons import json_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

HOMEPAGE = "https://github.com/mohammadtavakoli78/BEAM"

_WHOLE = "chat.json"
_TRUNCATED = "chat_trunecated.json"
"""Spelt like this upstream; where it exists, the questions were made for it."""


class ChatFiles(NamedTuple):
    """The two files of a chat that are read."""

    name: str
    """Of its folder; upstream, a number."""
    chat: Path
    questions: Path


@dataclass(frozen=True)
class ChatFolder:
    """The chats of a folder."""

    files: tuple[ChatFiles, ...]

    def chats(self) -> Iterator[CheckedChat]:
        """Read chat by chat.

        Raises:
            MalformedDataError: One of the two files of a chat is broken; the message names the file and the field.
        """
        return map(_read, self.files)


def _read(files: ChatFiles) -> CheckedChat:
    try:
        chat = json_of(files.chat.read_bytes())
    except ValueError as error:
        raise MalformedDataError(f"{files.chat} is not JSON: {error}.", "Fetch it again.") from error
    batches = batches_of(FieldPath(str(files.chat)), chat)
    try:
        content = files.questions.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise MalformedDataError(
            f"{files.questions} is not UTF-8: byte {error.start}.", "Fetch it again."
        ) from error
    place = FieldPath(str(files.questions))
    probes = probes_of(place, json_or_literal(place.file, content))
    return CheckedChat(files.name, batches, probes, truncated=files.chat.name == _TRUNCATED)


def locate_size(size: str, root: Path | None = None) -> Path:
    """Find the folder of one size below *root* or the usual folders.

    Raises:
        DataNotFoundError: It is in none of them.
    """
    roots = search_roots() if root is None else (root,)
    places = [place for r in roots for place in (r / "beam" / size, r / size)]
    for place in places:
        if place.is_dir():
            return place
    looked = ", ".join(str(place) for place in places)
    raise DataNotFoundError(
        f"No folder {size} for dataset beam. Looked at: {looked}.",
        f"Clone {HOMEPAGE} and set MEMGAUGE_DATA to its folder chats.",
    )


def find_chats(folder: Path) -> tuple[ChatFiles, ...]:
    """List the chats of *folder*, numbers in their order and then names.

    Raises:
        DataNotFoundError: There is no chat in it, or one without its questions.
    """
    if not folder.is_dir():
        raise DataNotFoundError(
            f"No folder or file at {folder.absolute()}.",
            "Check the path in beam:<folder of chats or file of rows>.",
        )
    chats = tuple(
        ChatFiles(place.name, place / name, place / "probing_questions" / "probing_questions.json")
        for place in sorted(folder.iterdir(), key=_rank)
        if (name := next((n for n in (_TRUNCATED, _WHOLE) if (place / n).is_file()), None))
    )
    if not chats:
        raise DataNotFoundError(
            f"No chat in {folder}: folders that hold a {_WHOLE} are wanted.", "Name the folder above the chats."
        )
    for chat in chats:
        if not chat.questions.is_file():
            raise DataNotFoundError(f"Chat {chat.name} has no {chat.questions}.", f"Take it from {HOMEPAGE}.")
    return chats


def sha256_of_chats(folder: Path, chats: Iterable[ChatFiles]) -> str:
    """Hash what is read: the path below *folder* and the hash of every file, in the order of their paths."""
    files = {path.relative_to(folder).as_posix(): path for chat in chats for path in (chat.chat, chat.questions)}
    listing = "".join(f"{sha256_of(path)}  {name}\n" for name, path in sorted(files.items()))
    return hashlib.sha256(listing.encode()).hexdigest()


def _rank(place: Path) -> tuple[int, int, str]:
    name = place.name
    return (0, int(name), name) if name.isascii() and name.isdigit() else (1, 0, name)
