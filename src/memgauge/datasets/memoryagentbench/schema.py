"""The shape of a row of MemoryAgentBench: one long text, and parallel lists of questions and answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from pydantic import TypeAdapter

from memgauge.datasets.rowfile import stream_rows
from memgauge.datasets.strict import StrictEntry

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from memgauge.datasets.places import FieldPath

COLUMNS: Final = ("context", "questions", "answers", "metadata")


class RowMetadata(StrictEntry):
    """What a row says of itself; every list is parallel to the questions, or absent."""

    source: str
    """``factconsolidation_sh_6k``, ``ruler_qa1_197K``, ``eventqa_full``, ``icl_banking77_…``, ``recsys_…``."""
    qa_pair_ids: list[str] | None = None
    question_types: list[str] | None = None
    question_dates: list[str] | None = None


class AgentBenchRow(StrictEntry):
    """One row."""

    context: str
    questions: list[str]
    answers: list[list[str]]
    metadata: RowMetadata


class PlacedAgentRow(NamedTuple):
    """A row, where it stands, and what its conversation is called: rows of one source are numbered."""

    place: FieldPath
    conversation: str
    row: AgentBenchRow


_ROW = TypeAdapter(AgentBenchRow)
_REMEDY = "Take the file of the split as it is published."


def stream_agent_rows(path: Path) -> Iterator[PlacedAgentRow]:
    """Yield every row of a file, Parquet or JSON.

    Raises:
        MalformedDataError: A field is not what it must be; row and field are named.
    """
    seen: dict[str, int] = {}
    for place, value in stream_rows(path, COLUMNS):
        row = _checked(place, value)
        number = seen[row.metadata.source] = seen.get(row.metadata.source, 0) + 1
        name = row.metadata.source if number == 1 else f"{row.metadata.source}#{number}"
        yield PlacedAgentRow(place, name, row)


def _checked(place: FieldPath, value: object) -> AgentBenchRow:
    row = place.checked(_ROW, value, _REMEDY)
    asked = len(row.questions)
    lists = {"answers": row.answers, "metadata.qa_pair_ids": row.metadata.qa_pair_ids}
    for name, parallel in lists.items():
        if parallel is not None and len(parallel) != asked:
            raise place.at(name).wrong(f"{len(parallel)} entries beside {asked} questions", _REMEDY)
    for position, accepted in enumerate(row.answers):
        if not accepted:
            raise place.at("answers", position).wrong("no accepted answer", _REMEDY)
    return row
