"""BEAM: long chats with 20 questions each, two an ability (Tavakoli et al. 2025); one chat is held at a time."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memgauge.datasets.base import DatasetIdentity
from memgauge.datasets.beam.convert import read
from memgauge.datasets.beam.folder import HOMEPAGE, find_chats, locate_size, sha256_of_chats
from memgauge.datasets.beam.report import report
from memgauge.datasets.kind import DatasetKind, Request

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from memgauge.datasets.beam.convert import Chat
    from memgauge.datasets.beam.folder import ChatFiles
    from memgauge.records import Case, Gold

LICENCE = "not stated (a derived copy declares CC BY-SA 4.0)"
VARIANTS: dict[str, str] = {
    "100K": "20 chats of 100 thousand tokens (128K in the paper)",
    "500K": "35 chats of 500 thousand tokens",
    "1M": "35 chats of a million tokens",
    "10M": "10 chats of ten million tokens, in plans",
}


@dataclass(frozen=True)
class Beam:
    """The opened benchmark; every iteration reads the files anew."""

    identity: DatasetIdentity
    files: tuple[ChatFiles, ...]

    def cases(self) -> Iterator[Case]:
        """Yield one conversation a chat, numbers in their order and then names."""
        return (chat.case for chat in self._chats())

    def gold(self) -> Iterator[Gold]:
        """Yield the gold of every question; published scores follow its points, not its answer."""
        return (gold for chat in self._chats() for gold in chat.golds)

    def describe(self) -> Mapping[str, object]:
        """Count everything in one reading, and name every doubtful id, date and label."""
        return report(self._chats(), self.identity)

    def _chats(self) -> Iterator[Chat]:
        return map(read, self.files)


def open_beam(request: Request) -> Beam:
    """Find and hash the chats of a size, or of the folder at a path.

    Raises:
        DataError: A folder or a file is missing.
    """
    sized = request.variant in VARIANTS
    folder = locate_size(request.variant, request.root) if sized else Path(request.variant)
    files = find_chats(folder)
    identity = DatasetIdentity(
        ref=request.ref,
        name="beam",
        sha256=sha256_of_chats(folder, files),
        options={"variant": request.variant if sized else "path"},
        pinned=False,  # no hash of the folder has been published
        licence=LICENCE,
        source=HOMEPAGE if sized else folder.name,
    )
    return Beam(identity, files)


KIND = DatasetKind(
    name="beam",
    summary="100 chats of 100 thousand to 10 million tokens, 2,000 questions on ten abilities, rubrics.",
    licence=LICENCE,
    homepage=HOMEPAGE,
    opener=open_beam,
    variants=VARIANTS,
    paths=True,
)
