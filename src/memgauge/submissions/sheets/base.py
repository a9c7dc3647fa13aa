"""What every sheet shares: it is small, typed and frozen, and whatever is wrong with it has a file and a field."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from memgauge.errors import DataNotFoundError, MalformedDataError
from memgauge.show.safety import OBEYED
from memgauge.submissions.opening import lies, own
from memgauge.text.jsons import IDENTITY, json_of
from memgauge.text.untrusted import text_file, toml_of

if TYPE_CHECKING:
    from pathlib import Path

S = TypeVar("S", bound="Sheet")

Slug = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9.-]{0,79}$")]
"""A name that can be a folder on every system."""
Handle = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9-]{0,38}$")]
"""Who somebody is where submissions are made: no mail address stands in a sheet."""
Digest = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
"""A sha256."""
Commit = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{40}$")]
Day = Annotated[str, StringConstraints(pattern=r"^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$")]


def _plain(text: str) -> str:
    """Refuse what a page obeys, or nobody sees.

    Raises:
        ValueError: There is such a character.
    """
    if OBEYED.search(text) or "\n" in text or "\t" in text:
        raise ValueError("it holds a line end, or a character that turns or hides letters")
    return text


Line = Annotated[str, StringConstraints(min_length=1, max_length=500), AfterValidator(_plain)]
"""A sentence or two, on one line."""
LARGEST: Final = 1 << 20
"""Bytes of a sheet."""


class SheetPart(BaseModel):
    """A piece of a sheet; a key that nobody knows is refused, for it may be a known one that is misspelt."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class Sheet(SheetPart):
    """One file of a registry."""

    SCHEMA: ClassVar[str]
    """What its first line says: ``memgauge.NAME/VERSION``."""
    about: str = Field(alias="schema")

    def model_post_init(self, _: Any) -> None:
        """Refuse a sheet of another kind or version.

        Raises:
            ValueError: It says that it is one.
        """
        if self.about != self.SCHEMA:
            raise ValueError(f"schema is {self.about!r}, not {self.SCHEMA!r}")


def place_of(file: str, field: str) -> str:
    """Name a file, and the field in it where one is known."""
    return f"{file}: {field}" if field else file


@dataclass(frozen=True)
class SheetProblem:
    """One thing that is wrong with a file, and what to do."""

    file: str
    field: str
    what: str
    remedy: str = ""

    def __str__(self) -> str:
        return f"{place_of(self.file, self.field)}: {self.what}" + (f" {self.remedy}" if self.remedy else "")


def inspect_sheet(
    kind: type[S], path: Path, name: str = "", root: Path | None = None
) -> S | tuple[SheetProblem, ...]:
    """Read a sheet, or say everything that is wrong with it.

    The sheet is JSON where the file's name says so, else TOML. Problems call it *name*, by default that of the
    file. Of a registry, strangers propose files: these lie below its *root*, and no link leads there.
    """
    name = name or path.name
    try:
        if root is not None and lies(path):
            own(root, path)
        if path.stat().st_size > LARGEST:
            return (SheetProblem(name, "", f"it is larger than {LARGEST >> 20} MiB.", "Keep to what is asked."),)
        text = text_file(path)
        data = json_of(text, IDENTITY) if path.suffix == ".json" else toml_of(text)
    except OSError as error:
        return (SheetProblem(name, "", f"cannot be read: {error.strerror}.", f"Add it; it is a {kind.SCHEMA}."),)
    except (DataNotFoundError, MalformedDataError) as error:
        return (SheetProblem(name, "", error.what, error.remedy),)
    except (tomllib.TOMLDecodeError, ValueError) as error:
        written = "JSON" if path.suffix == ".json" else "TOML"
        return (SheetProblem(name, "", f"is no {written}: {error}.", "Mend what is named."),)
    return sheet_of(kind, data, name)


def sheet_of(kind: type[S], data: object, name: str) -> S | tuple[SheetProblem, ...]:
    """Check what a file says, or say everything that is wrong with it."""
    try:
        return kind.model_validate(data)
    except ValidationError as error:
        return tuple(SheetProblem(name, *_problem(kind, dict(each))) for each in error.errors())


def read_sheet(kind: type[S], path: Path, name: str = "", root: Path | None = None) -> S:
    """Read a sheet; see :func:`inspect_sheet`.

    Raises:
        MalformedDataError: It is not there, or not as its kind is; the first problem is named.
    """
    sheet = inspect_sheet(kind, path, name or str(path), root)
    if isinstance(sheet, tuple):
        raise MalformedDataError(f"{place_of(sheet[0].file, sheet[0].field)}: {sheet[0].what}", sheet[0].remedy)
    return sheet


def _problem(kind: type[Sheet], error: dict[str, Any]) -> tuple[str, str, str]:
    """Say of what pydantic found the field, what is wrong, and what to do."""
    field = ".".join(str(part) for part in error["loc"])
    if error["type"] == "extra_forbidden":
        known = ", ".join(sorted(info.alias or name for name, info in kind.model_fields.items()))
        top = len(error["loc"]) == 1
        return field, "is a key that nobody knows.", f"Known are {known}." if top else "Is it misspelt?"
    if error["type"] == "missing":
        return field, "is missing.", "Say it; where nothing is known, say so in the way that the field allows."
    message = str(error["msg"]).removeprefix("Value error, ").rstrip(".")
    given = error.get("input")
    shown = f" (it is {given!r:.80})" if isinstance(given, str | int | float | bool) else ""
    return field, f"{message[:1].lower()}{message[1:]}{shown}.", "Mend the value."
