"""Queries that are searched in the same documents are asked about one conversation."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from memgauge.datasets.beir.corpus import SESSION, Corpus
from memgauge.datasets.beir.judged import CandidateLists, Query, read_judgments, read_queries
from memgauge.errors import MalformedDataError
from memgauge.records import Case, Conversation, Evidence, Gold, Question, Session

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memgauge.datasets.beir.layout import SubsetFiles
    from memgauge.datasets.entries import Entry

CATEGORY: Final = "query"
"""That of a query of no subset."""


@dataclass(eq=False)
class Home:
    """One conversation before its texts are read."""

    id: str
    corpus: Corpus
    documents: Sequence[str]
    """In the order of the corpus."""
    asked: list[tuple[Query, str, Sequence[str]]] = field(default_factory=list)
    """Queries, each with its category and what is relevant."""

    def entry(self, names: dict[tuple[str, str], str]) -> Entry:
        """Read the texts; *names* gives a query of a subset its id."""
        inside = frozenset(self.documents)
        questions = tuple(
            Question(names[category, query.id], self.id, query.text, category) for query, category, _ in self.asked
        )
        golds = tuple(
            Gold(
                question.id,
                tuple(
                    Evidence(key, exact=key in inside, turns=(key,) if key in inside else ()) for key in relevant
                ),
            )
            for question, (_, _, relevant) in zip(questions, self.asked, strict=True)
        )
        session = Session(SESSION, None, self.corpus.turns(self.documents))
        return Case(Conversation(self.id, (session,)), questions), golds


@dataclass(frozen=True, eq=False)
class Assembled:
    """All conversations of some parts, and what was left out of them."""

    homes: tuple[Home, ...]
    counts: Counter[str]
    names: dict[tuple[str, str], str]

    def entries(self) -> Iterator[Entry]:
        """Yield the conversations, the texts of one at a time."""
        return (home.entry(self.names) for home in self.homes)


def assemble(parts: Sequence[SubsetFiles], *, lists: bool) -> Assembled:
    """Gather the queries of *parts*; without *lists* every one is searched in everything of its conversation."""
    counts: Counter[str] = Counter()
    homes: list[Home] = []
    for files in dict.fromkeys(part.corpus for part in parts):
        corpus = Corpus.read(files)
        counts["documents"] += len(corpus.places)
        mine = [part for part in parts if part.corpus == files]
        listed = lists and any(part.candidates for part in mine)
        homes += (_listed if listed else _named)(corpus, mine, counts)
    return Assembled(_distinct(homes), counts, _names(homes))


def _named(corpus: Corpus, parts: Sequence[SubsetFiles], counts: Counter[str]) -> Iterator[Home]:
    """Yield the conversations that documents and queries name themselves."""
    documents: defaultdict[str, list[str]] = defaultdict(list)
    for key, place in corpus.places.items():
        documents[place.home].append(key)
    homes = {name: Home(name, corpus, keys) for name, keys in documents.items()}
    for part in parts:
        for query, relevant in _judged(part, counts):
            if query.home not in homes:
                raise MalformedDataError(
                    f"{query.where}: there is no document of {query.home!r}.", "Name a conversation that has some."
                )
            homes[query.home].asked.append((query, part.subset or CATEGORY, relevant))
    yield from homes.values()


def _listed(corpus: Corpus, parts: Sequence[SubsetFiles], counts: Counter[str]) -> Iterator[Home]:
    """Yield a conversation for every candidate list that a query has."""
    homes: dict[frozenset[str], Home] = {}
    for part in parts:
        candidates = CandidateLists.read(part)
        for query, relevant in _judged(part, counts):
            documents = candidates.of(query.id)
            if not documents:
                counts["queries_without_candidates"] += 1
                continue
            if documents not in homes:
                counts["candidates_unknown"] += sum(key not in corpus.places for key in documents)
                homes[documents] = _home(corpus, documents)
            homes[documents].asked.append((query, part.subset or CATEGORY, relevant))
    used = frozenset[str]().union(*homes)
    counts["documents_of_no_list"] += sum(key not in used for key in corpus.places)
    yield from (home for home in homes.values() if home.documents)


def _home(corpus: Corpus, documents: frozenset[str]) -> Home:
    name = f"set-{sha256(chr(10).join(sorted(documents)).encode()).hexdigest()[:12]}"
    known = [key for key in documents if key in corpus.places]
    return Home(name, corpus, sorted(known, key=lambda key: corpus.places[key][:2]))


def _judged(part: SubsetFiles, counts: Counter[str]) -> Iterator[tuple[Query, Sequence[str]]]:
    judgments = read_judgments(part)
    queries = read_queries(part)
    known = {query.id for query in queries}
    counts["judged_of_no_query"] += sum(key not in known for key in judgments)
    for query in queries:
        relevant = tuple(dict.fromkeys(judgments.get(query.id, ())))
        counts["queries_without_judgment"] += not relevant
        yield query, relevant


def _distinct(homes: Sequence[Home]) -> tuple[Home, ...]:
    """Tell conversations of several corpora apart."""
    seen: Counter[str] = Counter()
    for home in homes:
        seen[home.id] += 1
        if seen[home.id] > 1:
            home.id = f"{home.id}-{seen[home.id]}"
    return tuple(homes)


def _names(homes: Sequence[Home]) -> dict[tuple[str, str], str]:
    """Name queries by their ids, and by subset and id where two subsets have one."""
    asked = [(category, query.id) for home in homes for query, category, _ in home.asked]
    uses = Counter(key for _, key in asked)
    return {(category, key): key if uses[key] == 1 else f"{category}/{key}" for category, key in asked}
