"""A retrieval folder as a benchmark: documents are turns, queries are questions, judgments are evidence.

A query is searched in its candidate list, which is a conversation; without lists in the documents that name the
same ``metadata.conversation``; without that in everything. A judgment above 0 is evidence.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memgauge.datasets.base import DatasetIdentity
from memgauge.datasets.beir.assemble import Assembled, assemble
from memgauge.datasets.beir.layout import SubsetFiles, parts_of
from memgauge.datasets.beir.tasks import read_task, tasks
from memgauge.datasets.entries import EntryStream
from memgauge.datasets.files import sha256_of
from memgauge.datasets.kind import DatasetKind, DatasetRequest, Option

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator, Sequence

    from memgauge.datasets.entries import Entry


@dataclass(frozen=True)
class Beir(EntryStream):
    """An opened folder; its texts are read anew for every iteration, those of one conversation at a time."""

    identity: DatasetIdentity
    folder: Path
    assembled: Assembled

    def entries(self, oddities: Counter[str]) -> Iterator[Entry]:
        """Yield every conversation with its questions and what was judged."""
        oddities.update(self.assembled.counts)
        return self.assembled.entries()


def open_beir(request: DatasetRequest) -> Beir:
    """Read and hash the folder.

    Raises:
        DataNotFoundError: One of its files is missing.
        MalformedDataError: A line does not fit; file and line are named.
    """
    folder, options = Path(request.variant), request.options
    parts = parts_of(folder, options["subset"])
    task = tasks().get(options["task"])
    changed = {name: value for name, value in options.items() if value != OPTIONS[name].default}
    identity = DatasetIdentity(
        ref=request.ref,
        name="beir",
        sha256=_digest(parts),
        options={"variant": "path", **changed},
        pinned=False,
        licence=task.licence if task else "that of its source",
        source=f"{task.path}@{task.revision}" if task else folder.name,
    )
    return Beir(identity, folder, assemble(parts, lists=options["candidates"] == "lists"))


def _digest(parts: Sequence[SubsetFiles]) -> str:
    digest = hashlib.sha256()
    for path in dict.fromkeys(path for part in parts for path in part.files()):
        digest.update(bytes.fromhex(sha256_of(path)))
    return digest.hexdigest()


OPTIONS = {
    "subset": Option("", "One subset of the folder; all of them without it, each a category."),
    "task": Option("", "Which task of LMEB it is, for licence and source: see `memgauge data tasks`.", read_task),
    "candidates": Option.among(
        "use of candidate lists",
        "What a query is searched in",
        {"lists": "its candidate list, where there are lists", "whole": "everything, at once"},
    ),
}
KIND = DatasetKind(
    name="beir",
    summary="A folder of corpus, queries and judgments, as BEIR, MTEB and LMEB lay it out.",
    licence="that of its source",
    homepage="https://github.com/beir-cellar/beir",
    opener=open_beir,
    options=OPTIONS,
    paths=True,
)
