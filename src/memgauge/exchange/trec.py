"""TREC runs: ``qid Q0 docid rank score tag`` a line, where documents are the dataset's own turns.

The order of the ranks decides; they begin at 1, or at 0 in the whole file, and leave none out. trec_eval sorts by
score and breaks ties by document id instead, and never reads the rank; where both disagree, scores of other tools
will too.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, unquote

from memgauge.errors import MalformedDataError
from memgauge.exchange.reading import RANK, read_text, require_unbroken, score
from memgauge.exchange.trace import FileLocation, Joining, TracedMemory
from memgauge.records import Form, Lineage

if TYPE_CHECKING:
    from collections.abc import Container
    from pathlib import Path

    from memgauge.exchange.trace import JoinedDataset

COLUMNS = ("qid", "Q0", "docid", "rank", "score", "tag")
DISAGREE: Final = "a higher score stands at a lower rank: ranks decide here, scores in trec_eval"
_PARTING: Final = re.compile(r"\s|%(?=[0-9A-Fa-f]{2})")


def as_column(name: str) -> str:
    """Write a name in one column, no two alike: blanks as an address has them, and what could be read as one."""
    return _PARTING.sub(lambda sign: quote(sign[0]), name)


def _named(column: str, known: Container[str]) -> str:
    """Read a name: as it stands where somebody is called so, else as :func:`as_column` writes it."""
    return column if column in known else unquote(column)


def read_trec(path: Path, target: JoinedDataset) -> Joining:
    """Read a TREC run.

    Raises:
        MalformedDataError: A line does not have six columns, a rank or a document occurs twice, a rank is left
            out, or a document is no turn of the question's conversation.
    """
    joining = Joining(target)
    hits_by_question: dict[str, dict[int, TracedMemory]] = {}
    places: defaultdict[str, dict[int, FileLocation]] = defaultdict(dict)
    for number, line in enumerate(read_text(path).split("\n"), 1):
        if not line.strip():
            continue
        place, columns = FileLocation(path, number), line.split()
        if len(columns) != len(COLUMNS):
            raise MalformedDataError(f"{place}: {len(columns)} columns where 6 are expected.", " ".join(COLUMNS))
        name, _, document, rank, value, _ = columns
        question = joining.find(place, _named(name, target.questions))
        if question is None:
            continue
        document = _named(document, target.turns[question.conversation])
        if document not in target.turns[question.conversation]:
            raise MalformedDataError(
                f"{place}: docid: {document!r} is no turn of {question.conversation}.",
                "Documents have to be named as the dataset names its turns.",
            )
        hits = hits_by_question.setdefault(question.id, {})
        if not RANK.fullmatch(rank) or int(rank) in hits:
            raise MalformedDataError(f"{place}: rank: {rank!r} is no rank, or the second one.", "Number the hits.")
        if any(item.id == document for item in hits.values()):
            raise MalformedDataError(f"{place}: docid: {document!r} is returned twice.", "Name each hit once.")
        places[question.id][int(rank)] = place
        hits[int(rank)] = TracedMemory(
            document, None, (document,), Form.RAW, Lineage.DECLARED, score(value, replace(place, field="score"))
        )
    start = min((min(ranks) for ranks in places.values()), default=1)
    for key, hits in hits_by_question.items():
        require_unbroken(places[key], min(start, 1))
        scores = [hits[rank].score or 0.0 for rank in sorted(hits)]
        joining.noted[DISAGREE] += scores != sorted(scores, reverse=True)
        joining.answer(target.questions[key], (hits[rank] for rank in sorted(hits)))
    joining.noted += Counter()  # what is true of no question is not worth a word
    joining.fields = COLUMNS
    return joining
