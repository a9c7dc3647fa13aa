"""A folder in BEIR's layout as a benchmark: documents are turns, queries are questions, judgments are evidence.

``corpus.jsonl`` holds ``_id, title, text, metadata``; ``queries.jsonl`` ``_id, text, metadata``;
``qrels/test.tsv`` ``query-id, corpus-id, score`` below a heading. Documents of one ``metadata.conversation``
belong together, and so do queries; without it everything is one conversation. A judgment above 0 is evidence.
"""

from __future__ import annotations

import csv
import hashlib
import re
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memgauge.datasets.base import DatasetIdentity
from memgauge.datasets.kind import DatasetKind, DatasetRequest
from memgauge.datasets.places import objects_of
from memgauge.datasets.tally import tally
from memgauge.errors import DataNotFoundError, MalformedDataError
from memgauge.records import Case, Conversation, Evidence, Gold, Question, Session, Turn
from memgauge.text.jsons import json_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

CORPUS, QUERIES, QRELS = "corpus.jsonl", "queries.jsonl", "qrels/test.tsv"
_SCORE = re.compile(r"-?[0-9]{1,9}")
WHOLE = "corpus"
"""The conversation of what names none."""


@dataclass(frozen=True, eq=False)
class Beir:
    """An opened folder."""

    identity: DatasetIdentity
    entries: tuple[tuple[Case, tuple[Gold, ...]], ...]

    def cases(self) -> Iterator[Case]:
        """Yield every conversation with its questions."""
        return (case for case, _ in self.entries)

    def gold(self) -> Iterator[Gold]:
        """Yield the gold of every question."""
        return (gold for _, golds in self.entries for gold in golds)

    def describe(self) -> Mapping[str, object]:
        """Count everything."""
        return tally(iter(self.entries), self.identity)


def open_beir(request: DatasetRequest) -> Beir:
    """Read and hash the folder.

    Raises:
        DataNotFoundError: One of its files is missing.
        MalformedDataError: A line does not fit; file and line are named.
    """
    folder = Path(request.variant)
    digest = hashlib.sha256()
    for name in (CORPUS, QUERIES, QRELS):
        path = folder / name
        if not path.is_file():
            raise DataNotFoundError(
                f"There is no {path}.", "Name a folder: beir:./path, with corpus, queries and qrels."
            )
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    identity = DatasetIdentity(
        ref=request.ref,
        name="beir",
        sha256=digest.hexdigest(),
        options={"variant": "path"},
        pinned=False,
        licence="that of its source",
        source=folder.name,
    )
    return Beir(identity, tuple(_entries(folder)))


def _entries(folder: Path) -> Iterator[tuple[Case, tuple[Gold, ...]]]:
    documents: defaultdict[str, list[Turn]] = defaultdict(list)
    known: dict[str, str] = {}
    for where, row in objects_of(json_lines(folder / CORPUS), folder / CORPUS):
        home, key = _home(row), _key(row, where)
        if key in known:
            raise MalformedDataError(f"{where}: _id: {key!r} occurs twice.", "Name every document once.")
        known[key] = home
        text = " ".join(filter(None, (str(row.get("title") or ""), str(row.get("text") or ""))))
        documents[home].append(Turn(key, "document", text, "all"))
    judged = _judged(folder / QRELS)
    questions: defaultdict[str, list[Question]] = defaultdict(list)
    for where, row in objects_of(json_lines(folder / QUERIES), folder / QUERIES):
        key, home = _key(row, where), _home(row)
        if home not in documents:
            raise MalformedDataError(
                f"{where}: there is no document of {home!r}.", "Name a conversation that has some."
            )
        questions[home].append(Question(key, home, str(row.get("text", "")), "query"))
    for home, turns in documents.items():
        conversation = Conversation(home, (Session("all", None, tuple(turns)),))
        golds = tuple(_gold(question, judged.get(question.id, ()), known) for question in questions[home])
        yield Case(conversation, tuple(questions[home])), golds


def _gold(question: Question, documents: tuple[str, ...] | list[str], known: Mapping[str, str]) -> Gold:
    evidence = (
        Evidence(
            name,
            exact=known.get(name) == question.conversation,
            turns=(name,) if known.get(name) == question.conversation else (),
        )
        for name in documents
    )
    return Gold(question.id, tuple(evidence))


def _judged(path: Path) -> dict[str, list[str]]:
    judged: defaultdict[str, list[str]] = defaultdict(list)
    number = 1
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = csv.reader(file, delimiter="\t")
            next(rows, None)
            for number, row in enumerate(rows, 2):
                if len(row) != 3 or not _SCORE.fullmatch(row[2]):
                    raise MalformedDataError(
                        f"{path}:{number}: not query-id, corpus-id, score.", "Separate them by tabs."
                    )
                if int(row[2]) > 0:
                    judged[row[0]].append(row[1])
    except (csv.Error, UnicodeDecodeError) as error:
        raise MalformedDataError(
            f"{path}: behind line {number}: not a table: {error}.", "Write it as UTF-8, values between tabs."
        ) from error
    return judged


def _key(row: Mapping[str, Any], where: str) -> str:
    key = row.get("_id")
    if not isinstance(key, str) or not key:
        raise MalformedDataError(f"{where}: _id: it is missing.", "Name every document and query.")
    return key


def _home(row: Mapping[str, Any]) -> str:
    metadata = row.get("metadata")
    return str(metadata.get("conversation", WHOLE)) if isinstance(metadata, dict) else WHOLE


KIND = DatasetKind(
    name="beir",
    summary="A folder in BEIR's layout: corpus, queries and judgments of your own.",
    licence="that of its source",
    homepage="https://github.com/beir-cellar/beir",
    opener=open_beir,
    paths=True,
)
