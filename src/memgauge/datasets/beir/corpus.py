"""Where every document lies, by id: texts stay on disk until a conversation is read."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from memgauge.datasets.beir.rows import fetch_rows, placed_rows
from memgauge.errors import MalformedDataError
from memgauge.records import Turn

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

WHOLE: Final = "corpus"
"""The conversation of what names none."""
SESSION: Final = "all"


class DocumentPlace(NamedTuple):
    """Where a document stands; places of one corpus sort as its files do."""

    file: int
    place: int
    home: str


@dataclass(frozen=True, eq=False)
class Corpus:
    """The documents of some files."""

    files: tuple[Path, ...]
    places: Mapping[str, DocumentPlace]

    @classmethod
    def read(cls, files: tuple[Path, ...]) -> Corpus:
        """Read where every document lies.

        Raises:
            MalformedDataError: One has no id, or that of another; file and line are named.
        """
        places: dict[str, DocumentPlace] = {}
        for number, path in enumerate(files):
            for where, place, row in placed_rows(path):
                key = key_of(row, where)
                if key in places:
                    raise MalformedDataError(f"{where}: _id: {key!r} occurs twice.", "Name every document once.")
                places[key] = DocumentPlace(number, place, home_of(row))
        return cls(files, places)

    def turns(self, documents: Iterable[str]) -> tuple[Turn, ...]:
        """Read the texts of *documents*, in the order of the files."""
        wanted: defaultdict[int, list[int]] = defaultdict(list)
        for key in documents:
            wanted[self.places[key].file].append(self.places[key].place)
        return tuple(
            Turn(key_of(row, str(self.files[number])), "document", text_of(row), SESSION)
            for number in sorted(wanted)
            for row in fetch_rows(self.files[number], wanted[number])
        )


def text_of(row: Mapping[str, Any]) -> str:
    """Write a document as models are given it: title, blank, text."""
    return " ".join(filter(None, (str(row.get("title") or ""), str(row.get("text") or ""))))


def key_of(row: Mapping[str, Any], where: str) -> str:
    """Return the id of a document or query.

    Raises:
        MalformedDataError: There is none.
    """
    key = row.get("_id", row.get("id"))
    if not isinstance(key, str | int) or isinstance(key, bool) or key == "":
        raise MalformedDataError(f"{where}: _id: it is missing.", "Name every document and query.")
    return str(key)


def home_of(row: Mapping[str, Any]) -> str:
    """Return the conversation that a row names itself."""
    metadata = row.get("metadata")
    return str(metadata.get("conversation", WHOLE)) if isinstance(metadata, dict) else WHOLE
