"""HaluMem: simulated users over years of chat, asked right after each session (Chen et al. 2025), streamed."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from operator import itemgetter
from typing import TYPE_CHECKING

from memgauge.datasets.files import NO_HASH, FileSpec, find_published
from memgauge.datasets.halumem.convert import DIALOGUE, POINTS, entry_of, points_of
from memgauge.datasets.halumem.report import Census
from memgauge.datasets.halumem.schema import stream_users
from memgauge.datasets.kind import DatasetKind, Option
from memgauge.datasets.places import FieldPath
from memgauge.datasets.tally import tally

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from memgauge.datasets.base import DatasetIdentity
    from memgauge.datasets.halumem.schema import UserEntry
    from memgauge.records import Case, Gold, Point

_BASE = "https://huggingface.co/datasets/IAAR-Shanghai/HaluMem/resolve/main"
LICENCE = "CC BY-NC-ND 4.0"
VARIANTS: dict[str, str] = {
    "medium": "20 users, 1,387 sessions",
    "long": "the same users with 1,030 sessions of distraction more",
}
FILES: dict[str, FileSpec] = {
    "medium": FileSpec("HaluMem-Medium.jsonl", None, f"{_BASE}/HaluMem-Medium.jsonl", "medium", NO_HASH),
    "long": FileSpec("HaluMem-Long.jsonl", None, f"{_BASE}/HaluMem-Long.jsonl", "long", NO_HASH),
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
        return entry_of(FieldPath(f"{self.path}, line {line}"), user, self.units)


KIND = DatasetKind(
    name="halumem",
    summary="20 simulated users over years of chat, 3,467 questions of six types, memory points by session.",
    licence=LICENCE,
    homepage="https://github.com/MemTensor/HaluMem",
    opener=lambda request: HaluMem(*find_published("halumem", FILES, LICENCE, request), request.options["units"]),
    files=tuple(FILES.values()),
    options={"units": Option.among("unit of halumem", "What a turn is", UNITS)},
    variants=VARIANTS,
    paths=True,
)
