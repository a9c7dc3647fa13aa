"""Looking through files: at one moment, all that a system keeps or has written."""

from __future__ import annotations

from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TYPE_CHECKING

from memgauge.show.numbers import listed
from memgauge.studies.erasure.places import places
from memgauge.studies.erasure.record import Moment, ResidueSpot
from memgauge.studies.erasure.residue import LARGEST, ResidueSearch, read_start, unread_codecs
from memgauge.studies.erasure.spelled import UNPACKED
from memgauge.text.archives import LARGEST as UNPACKS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from memgauge.studies.erasure.people import AuditedPeople
    from memgauge.studies.erasure.places import LookedRoots, StoredPlace
    from memgauge.studies.erasure.residue import SearchedFile


@dataclass(frozen=True)
class FilesSeen:
    """What one look through files saw."""

    files: int
    bytes: int
    residue: tuple[ResidueSpot, ...]
    names: tuple[ResidueSpot, ...]
    """The same for the subject's name and the ids of its memories."""
    marked: tuple[str, ...]
    """Files in which a search of ours was written down."""
    unread: tuple[tuple[str, str], ...]
    """Files that were not read, or not in full, and why."""


class FileLook:
    """Looks through the same files for the same values again and again."""

    def __init__(self, people: AuditedPeople, *, masked: bool) -> None:
        """Know whom to look for; *masked* takes their texts out of paths that are shown."""
        mark = people.mark
        self._masked = tuple(each.text for each in people.subject.sought) if masked else ()
        sought = (*people.subject.sought, *people.names, mark)
        self._search = ResidueSearch(sought)
        self._mark = mark.label
        self._names = {each.label for each in people.names}

    def _shown(self, place: StoredPlace) -> StoredPlace:
        for text in self._masked:
            place = replace(place, shown=place.shown.replace(text, "…"))
        return place

    def at(self, moment: Moment, roots: LookedRoots, written: Iterable[Path]) -> FilesSeen:
        """Read every file that is there."""
        files, read = 0, 0
        grouped: defaultdict[tuple[str, str, str, str], set[str]] = defaultdict(set)
        marked: dict[str, None] = {}
        unread: dict[str, str] = {}
        for place in map(self._shown, places(roots, written)):
            try:
                searched = self._search.in_file(place.file)
                codecs = unread_codecs(place.file)
            except OSError as error:
                unread[place.shown] = f"it cannot be read: {error.strerror}"
                continue
            files, read = files + 1, read + searched.bytes
            if problem := _unread(searched, codecs):
                unread[place.shown] = problem
            for spot in searched.spots:
                if spot.label == self._mark:
                    marked[place.shown] = None
                else:
                    grouped[(place.shown, place.kind, spot.spot, spot.form)].add(spot.label)
        rows = [(key, labels) for key, labels in sorted(grouped.items())]
        return FilesSeen(
            files,
            read,
            tuple(_spots(moment, ((key, labels - self._names) for key, labels in rows))),
            tuple(_spots(moment, ((key, labels & self._names) for key, labels in rows))),
            tuple(marked),
            tuple(unread.items()),
        )


def _unread(searched: SearchedFile, codecs: Sequence[str]) -> str:
    """Say why a file was not looked through whole."""
    if searched.bytes >= LARGEST:
        return f"only its first {LARGEST >> 20} MiB were read"
    parts = []
    if searched.bytes > UNPACKED:
        parts.append(f"only its first {UNPACKED >> 20} MiB were looked through for what lies packed")
    if searched.cut:
        parts.append(
            f"of what is packed by {listed(searched.cut)} only the first {UNPACKS >> 20} MiB were unpacked"
        )
    if codecs:
        parts.append(f"it may hold data packed as {listed(codecs)}, which is not unpacked")
    return "; ".join(parts)


def contents(roots: LookedRoots, written: Iterable[Path]) -> Mapping[str, str]:
    """Return a digest of every file that can be read and is not empty, by how it is shown."""
    digests: dict[str, str] = {}
    for place in places(roots, written):
        with suppress(OSError):  # a look says of it that it cannot be read
            if data := read_start(place.file):
                digests[place.shown] = sha256(data).hexdigest()
    return digests


def _spots(moment: Moment, rows: Iterable[tuple[tuple[str, str, str, str], set[str]]]) -> Iterable[ResidueSpot]:
    return (ResidueSpot(moment, *key, tuple(sorted(labels))) for key, labels in rows if labels)
