"""Where RHELM's files lie: a folder, or the archive of one, which is read person by person and never unpacked."""

from __future__ import annotations

import hashlib
import re
import tarfile
import zlib
from collections import defaultdict
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from memgauge.datasets.files import search_roots
from memgauge.errors import DataNotFoundError, MalformedDataError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

HOMEPAGE: Final = "https://github.com/microsoft/RHELM"
LARGEST: Final = 64 << 20
"""Bytes of one file; the largest upstream has less than one of them."""
_ASKED: Final = re.compile(r"QA_final/low_score_qa_(.+)_all_validated\.jsonl")
_OF_PERSON: Final = re.compile(r"(?:conversations|emails|attachments)/([^/]+)/[^/]+")
_PLACE: Final = re.compile(r"(?:.*/)?((?:QA_final/[^/]+|(?:conversations|emails|attachments)/[^/]+/[^/]+))")


class PersonFile(NamedTuple):
    """One file of a person."""

    name: str
    """Its path below the folder of data."""
    content: bytes


class RhelmSource(Protocol):
    """A folder or an archive."""

    @property
    def path(self) -> Path:
        """Return where it lies."""
        ...

    def names(self) -> list[str]:
        """List the files of RHELM in it, sorted."""
        ...

    def read(self, names: Iterable[str]) -> Iterator[PersonFile]:
        """Read files in whatever order is quick."""
        ...


@dataclass(frozen=True)
class RhelmFolder:
    """The official tree: ``QA_final``, ``conversations``, ``emails`` and ``attachments``."""

    path: Path

    def names(self) -> list[str]:
        """List what is there."""
        paths = (each.relative_to(self.path).as_posix() for each in self.path.rglob("*") if each.is_file())
        return sorted(name for name in paths if _PLACE.fullmatch(name) and not name.startswith("."))

    def read(self, names: Iterable[str]) -> Iterator[PersonFile]:
        """Read one file after the other."""
        return (PersonFile(name, (self.path / name).read_bytes()) for name in names)


@dataclass(frozen=True)
class RhelmArchive:
    """A tar archive of the official tree, compressed or not, below whatever folder."""

    path: Path

    def names(self) -> list[str]:
        """List what is in it.

        Raises:
            MalformedDataError: It is no archive, or one file is larger than any of RHELM.
        """
        return sorted(self._members)

    def read(self, names: Iterable[str]) -> Iterator[PersonFile]:
        """Read files in the order of the archive, for going back means to unpack from its beginning."""
        members = self._members
        with _opened(self.path) as tar:
            for name in sorted(names, key=lambda name: members[name].offset):
                handle = tar.extractfile(members[name])
                if handle is not None:
                    yield PersonFile(name, handle.read())

    @cached_property
    def _members(self) -> Mapping[str, tarfile.TarInfo]:
        with _opened(self.path) as tar:
            return _members(self.path, tar)


@contextmanager
def _opened(path: Path) -> Iterator[tarfile.TarFile]:
    try:
        with tarfile.open(path) as tar:
            yield tar
    except (tarfile.TarError, zlib.error, EOFError) as error:
        raise MalformedDataError(f"{path} cannot be read as an archive: {error}.", "Fetch it again.") from error


def _members(path: Path, tar: tarfile.TarFile) -> Mapping[str, tarfile.TarInfo]:
    members: dict[str, tarfile.TarInfo] = {}
    for member in tar:
        place = _PLACE.fullmatch(member.name)
        if place is None or not member.isfile() or place[1].rpartition("/")[2].startswith("."):
            continue
        if member.size > LARGEST:
            raise MalformedDataError(
                f"{path}: {member.name} has {member.size:,} bytes, more than any file of RHELM.", "Fetch it again."
            )
        members[place[1]] = member
    return members


def people_in(source: RhelmSource) -> Mapping[str, list[str]]:
    """Return the files of every person, by name and sorted.

    Raises:
        DataNotFoundError: There are no questions, or a person that is asked about has no conversations.
    """
    names = source.names()
    files: defaultdict[str, list[str]] = defaultdict(list)
    for name in names:
        if match := _OF_PERSON.fullmatch(name):
            files[match[1]].append(name)
    people = {}
    for name in names:
        if match := _ASKED.fullmatch(name):
            if not any(each.startswith("conversations/") for each in files[match[1]]):
                raise DataNotFoundError(
                    f"{source.path}: {name} asks about {match[1]}, of whom there are no conversations.",
                    f"Take the whole folder `data` of {HOMEPAGE}.",
                )
            people[match[1]] = [name, *files[match[1]]]
    if not people:
        raise DataNotFoundError(
            f"No questions in {source.path}: QA_final/low_score_qa_NAME_all_validated.jsonl is wanted.",
            f"Name the folder `data` of {HOMEPAGE}, or an archive of it.",
        )
    return people


def sha256_of_files(source: RhelmSource, people: Mapping[str, list[str]]) -> str:
    """Hash every file that is read, with its name: the same for a folder and for an archive of it."""
    hashes: dict[str, str] = {}
    for file in source.read(chain.from_iterable(people.values())):
        hashes[file.name] = hashlib.sha256(file.content).hexdigest()
    listing = "".join(f"{digest}  {name}\n" for name, digest in sorted(hashes.items()))
    return hashlib.sha256(listing.encode()).hexdigest()


def locate_rhelm(variant: str, root: Path | None = None) -> RhelmSource:
    """Find the folder of data, or the archive, at a path or in the usual folders.

    Raises:
        DataNotFoundError: It is in none of them.
    """
    roots = search_roots() if root is None else (root,)
    named = [Path(variant), *(each / variant for each in roots), *(each / "rhelm" / variant for each in roots)]
    usual = [each / part for each in roots for part in ("rhelm/data", "rhelm", "RHELM/data", "data", ".")]
    places = named if variant else usual
    for place in places:
        for folder in (place, place / "data"):
            if (folder / "QA_final").is_dir():
                return RhelmFolder(folder)
        if variant and place.is_file():
            return RhelmArchive(place)
    looked = ", ".join(str(place) for place in places)
    raise DataNotFoundError(
        f"No files of RHELM: a folder with QA_final is wanted. Looked at: {looked}.",
        f"Clone {HOMEPAGE} and name its folder data, or an archive of it: rhelm:PATH.",
    )
