"""What a part says of its queries: their texts, which documents are relevant, and in which they are searched."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memgauge.datasets.beir.corpus import home_of, key_of
from memgauge.datasets.beir.rows import rows_of
from memgauge.errors import MalformedDataError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memgauge.datasets.beir.layout import SubsetFiles


@dataclass(frozen=True)
class Query:
    """One query."""

    id: str
    text: str
    home: str
    """The conversation that its row names."""
    where: str
    """Its place, for messages."""


def read_queries(part: SubsetFiles) -> tuple[Query, ...]:
    """Read the queries of a part, in the order of its files."""
    return tuple(
        Query(key_of(row, where), str(row.get("text") or ""), home_of(row), where)
        for where, row in rows_of(part.queries)
    )


def read_judgments(part: SubsetFiles) -> Mapping[str, Sequence[str]]:
    """Read which documents are relevant for a query: those that are judged above 0.

    Raises:
        MalformedDataError: A row has no query, document or score.
    """
    judged: defaultdict[str, list[str]] = defaultdict(list)
    for where, row in rows_of(part.judgments):
        query, document, score = (row.get(name) for name in ("query-id", "corpus-id", "score"))
        if query is None or document is None or isinstance(score, bool) or not isinstance(score, int | float):
            raise MalformedDataError(f"{where}: not query-id, corpus-id, score.", "Name all three.")
        if score > 0:
            judged[str(query)].append(str(document))
    return judged


@dataclass(frozen=True)
class CandidateLists:
    """In which documents a query is searched."""

    lists: Mapping[str, frozenset[str]]
    """By query, or by scene."""

    @classmethod
    def read(cls, part: SubsetFiles) -> CandidateLists:
        """Read the lists of a part.

        Raises:
            MalformedDataError: A row is no list of documents.
        """
        lists: dict[str, frozenset[str]] = {}
        for where, row in rows_of(part.candidates):
            name, documents = _list_of(row)
            if name is None or not isinstance(documents, list):
                raise MalformedDataError(
                    f"{where}: no candidate list.",
                    "Write query-id with corpus-ids, or scene_id with candidate_doc_ids.",
                )
            lists[str(name)] = frozenset(map(str, documents))
        return cls(lists)

    def of(self, query: str) -> frozenset[str] | None:
        """Return the list of a query: its own, or that of the scene by which its id begins."""
        pieces = query.split("_")
        names = (query, *("_".join(pieces[:length]) for length in range(len(pieces) - 1, 0, -1)))
        return next((self.lists[name] for name in names if name in self.lists), None)


def _list_of(row: Mapping[str, Any]) -> tuple[Any, Any]:
    if "scene_id" in row:
        return row["scene_id"], row.get("candidate_doc_ids")
    return row.get("query-id"), row.get("corpus-ids")
