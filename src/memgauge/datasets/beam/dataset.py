"""BEAM: long chats with 20 questions each, two an ability (Tavakoli et al. 2025); one chat is held at a time."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import chain
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING

from memgauge.datasets.base import DatasetIdentity
from memgauge.datasets.beam.convert import understand
from memgauge.datasets.beam.folder import HOMEPAGE, ChatFolder, find_chats, locate_size, sha256_of_chats
from memgauge.datasets.beam.report import report
from memgauge.datasets.beam.rows import RowFile
from memgauge.datasets.beam.versions import BOTH, EVIDENCE
from memgauge.datasets.files import sha256_of
from memgauge.datasets.kind import DatasetKind, DatasetRequest, Option

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from memgauge.datasets.beam.batches import ChatSource
    from memgauge.datasets.beam.convert import Chat
    from memgauge.records import Case, Fact, Gold

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
    source: ChatSource
    update_evidence: str = BOTH

    def cases(self) -> Iterator[Case]:
        """Yield one conversation a chat: folders by their numbers and then names, rows as they come."""
        # Unlike the variable of a loop, map keeps nothing of the chat before.
        return map(attrgetter("case"), self._chats())

    def gold(self) -> Iterator[Gold]:
        """Yield the gold of every question; published scores follow its points, not its answer."""
        return chain.from_iterable(map(attrgetter("golds"), self._chats()))

    def truth(self) -> Iterator[Fact]:
        """Yield the statements that contradict each other; nothing else is known to be true."""
        return chain.from_iterable(map(attrgetter("facts"), self._chats()))

    def describe(self) -> Mapping[str, object]:
        """Count everything in one reading, and name every doubtful id, date and label."""
        return report(self._chats(), self.identity)

    def _chats(self) -> Iterator[Chat]:
        return map(partial(understand, update_evidence=self.update_evidence), self.source.chats())


def open_beam(request: DatasetRequest) -> Beam:
    """Find and hash the chats of a size, of the folder or of the file of rows at a path.

    Raises:
        DataError: A folder or a file is missing.
    """
    sized = request.variant in VARIANTS
    path = locate_size(request.variant, request.root) if sized else Path(request.variant)
    source: ChatSource
    if path.is_file():
        source, sha256 = RowFile(path), sha256_of(path)
    else:
        source = ChatFolder(find_chats(path))
        sha256 = sha256_of_chats(path, source.files)
    identity = DatasetIdentity(
        ref=request.ref,
        name="beam",
        sha256=sha256,
        options={"variant": request.variant if sized else "path", **request.options},
        pinned=False,  # no hash has been published
        licence=LICENCE,
        source=HOMEPAGE if sized else path.name,
    )
    return Beam(identity, source, request.options["update_evidence"])


KIND = DatasetKind(
    name="beam",
    summary="100 chats of 100 thousand to 10 million tokens, 2,000 questions on ten abilities, rubrics.",
    licence=LICENCE,
    homepage=HOMEPAGE,
    opener=open_beam,
    options={
        "update_evidence": Option.among("evidence of an update in beam", "What is evidence of an update", EVIDENCE)
    },
    variants=VARIANTS,
    paths=True,
)
