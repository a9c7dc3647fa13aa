"""HaluMem: simulated users over years of chat, asked right after each session (Chen et al. 2025), streamed."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING

from memgauge.datasets.base import DatasetIdentity
from memgauge.datasets.files import FileSpec, FoundFile, locate, sha256_of, verify
from memgauge.datasets.halumem.convert import DIALOGUE, POINTS, UserLine, entry_of, points_of
from memgauge.datasets.halumem.report import Census
from memgauge.datasets.halumem.schema import stream_users
from memgauge.datasets.kind import DatasetKind, DatasetRequest, Option
from memgauge.datasets.tally import tally
from memgauge.errors import DataNotFoundError
from memgauge.registry import unknown_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from memgauge.datasets.halumem.schema import UserEntry
    from memgauge.records import Case, Gold, Point

_BASE = "https://huggingface.co/datasets/IAAR-Shanghai/HaluMem/resolve/main"
_NOTE = "No hash has been published that is known here, so a copy stays unpinned."
LICENCE = "CC BY-NC-ND 4.0"
VARIANTS: dict[str, str] = {
    "medium": "20 users, 1,387 sessions",
    "long": "the same users with 1,030 sessions of distraction more",
}
FILES: dict[str, FileSpec] = {
    "medium": FileSpec("HaluMem-Medium.jsonl", None, f"{_BASE}/HaluMem-Medium.jsonl", "medium", _NOTE),
    "long": FileSpec("HaluMem-Long.jsonl", None, f"{_BASE}/HaluMem-Long.jsonl", "long", _NOTE),
}
UNITS: dict[str, str] = {
    DIALOGUE: "the messages; evidence names sessions only",
    POINTS: "the memory points of each session, traps included; evidence names points",
}


@dataclass(frozen=True)
class HaluMem:
    """The opened benchmark; every iteration reads the file anew and holds one user."""

    identity: DatasetIdentity
    path: Path
    units: str

    def cases(self) -> Iterator[Case]:
        """Yield one conversation a user, with its questions, in the order of the file."""
        return map(itemgetter(0), map(self._entry, stream_users(self.path)))

    def gold(self) -> Iterator[Gold]:
        """Yield the gold of every question."""
        return chain.from_iterable(map(itemgetter(1), map(self._entry, stream_users(self.path))))

    def points(self) -> Iterator[Point]:
        """Yield what every session gives a memory to keep, traps included."""
        return chain.from_iterable(points_of(user) for _, user in stream_users(self.path))

    def describe(self) -> Mapping[str, object]:
        """Count everything in one reading, and how much evidence is found again in memory points."""
        census = Census()

        def counted(numbered: tuple[int, UserEntry]) -> tuple[Case, tuple[Gold, ...]]:
            census.add(numbered[1])
            return self._entry(numbered)

        counts = tally(map(counted, stream_users(self.path)), self.identity)
        return {**counts, "users": counts["conversations"], "units": self.units, **census.counts()}

    def _entry(self, numbered: tuple[int, UserEntry]) -> tuple[Case, tuple[Gold, ...]]:
        line, user = numbered
        return entry_of(UserLine(self.path, line), user, self.units)


def open_halumem(request: DatasetRequest) -> HaluMem:
    """Find and hash the file of a variant, or the file at a path.

    Raises:
        DataError: The file is missing.
    """
    found = _find(request)
    known = FILES.get(request.variant)
    identity = DatasetIdentity(
        ref=request.ref,
        name="halumem",
        sha256=found.sha256,
        options={"variant": request.variant if known else "path", **request.options},
        pinned=found.pinned,
        licence=LICENCE,
        source=known.url if known else found.path.name,
    )
    return HaluMem(identity, found.path, request.options["units"])


def _find(request: DatasetRequest) -> FoundFile:
    if spec := FILES.get(request.variant):
        path = locate("halumem", spec, request.root)
        return verify("halumem", spec, path, allow_unpinned=request.allow_unpinned)
    path = Path(request.variant)
    if not path.is_file():
        raise DataNotFoundError(f"No file at {path.absolute()}.", "Check the path in halumem:<path>.")
    return FoundFile(path, sha256_of(path), pinned=False)


def read_units(text: str) -> str:
    """Read what a turn is.

    Raises:
        UnknownNameError: It is neither of the two.
    """
    if text not in UNITS:
        raise unknown_name("unit of halumem", text, UNITS)
    return text


KIND = DatasetKind(
    name="halumem",
    summary="20 simulated users over years of chat, 3,467 questions of six types, memory points by session.",
    licence=LICENCE,
    homepage="https://github.com/MemTensor/HaluMem",
    opener=open_halumem,
    files=tuple(FILES.values()),
    options={
        "units": Option(
            DIALOGUE,
            "What a turn is: " + "; ".join(f"{name} ({what})" for name, what in UNITS.items()),
            read_units,
        )
    },
    variants=VARIANTS,
    paths=True,
)
