"""`memgauge data table | tasks | doubts`: what datasets can measure, and what is known to be wrong with them."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memgauge.errors import DataNotFoundError
from memgauge.frame.console import working
from memgauge.frame.options import DatasetRef
from memgauge.frame.output import SHOWN, Output, present

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.datasets.abilities import Abilities
    from memgauge.datasets.floors import DataFloors
    from memgauge.show import Document, Table

NOT_HERE = "not here"
YOURS = frozenset({"beir", "changed", "own"})
"""Datasets that are nothing without a folder or another dataset."""
_NOTE = (
    "Silence: the share of questions where returning nothing is right. Random, grep: Recall@10 of an order by "
    "chance, and by how many words turns share with the question. Longest: how often the longest option is right."
)


@dataclass(frozen=True)
class _DatasetRow:
    """One dataset."""

    ref: str
    licence: str
    abilities: Abilities
    floors: DataFloors | None
    measured: str
    """What opens that of which the floors are: the whole, or a piece of it."""
    why: str
    """Why there are no floors."""


def table(*dataset: DatasetRef, output: Output = SHOWN) -> int:
    """Show what every dataset can measure, its known defects, and what is scored on it without a memory.

    Floors are computed where the data lies here. A score that does not rise above them shows nothing.

    Example: memgauge data table locomo synthetic:tiny

    Parameters
    ----------
    dataset
        Datasets, as `name`, `name:variant` or `name:variant,option=value`; all of them where none is named.
    """
    from memgauge.datasets.catalogue import DATASETS

    rows = []
    for ref in dataset or DATASETS.names():
        with working(f"reading {ref}"):
            rows.append(_row(ref, named=bool(dataset)))
    return present(_document(rows), output, name="datasets")


def _row(ref: str, *, named: bool) -> _DatasetRow:
    """Read one dataset; one that was named must be there, and of all others it is said that they are not."""
    from memgauge.datasets.abilities import Abilities, abilities
    from memgauge.datasets.catalogue import DATASETS, open_dataset
    from memgauge.datasets.floors import floors_of
    from memgauge.registry import parse_ref

    kind = DATASETS.get(parse_ref(ref).name)
    known = abilities().get(kind.name, Abilities())
    if not named and kind.name in YOURS:
        return _DatasetRow(ref, kind.licence, known, None, "", "yours to name")
    for place in (ref,) if named else filter(None, (ref, known.sample)):
        try:
            return _DatasetRow(
                ref, kind.licence, known, floors_of(open_dataset(place, allow_unpinned=True)), place, ""
            )
        except DataNotFoundError:
            if named:
                raise
    return _DatasetRow(ref, kind.licence, known, None, "", NOT_HERE)


def _document(rows: Sequence[_DatasetRow]) -> Document:
    from memgauge.results import ReadyData
    from memgauge.show import Column, Document, Kind, Table

    def prose(key: str, title: str, heads: Sequence[str], cells: Sequence[Sequence[str]]) -> Table:
        columns = (Column("dataset", Kind.TEXT), *(Column(head, Kind.PROSE) for head in heads))
        return Table.of(key, title, columns, [(row.ref, *line) for row, line in zip(rows, cells, strict=True)])

    heads = ("evidence", "abstention", "time", "updates")
    can = [[getattr(row.abilities, head) for head in heads] for row in rows]
    known = [(row.licence, row.abilities.run_on, row.abilities.defects) for row in rows]
    blocks = (
        prose("abilities", "What each can measure", heads, can),
        _floors(rows),
        prose("defects", "Licences and known defects", ("licence", "read here", "known defects"), known),
    )
    return Document("What datasets can measure", blocks=blocks, data=ReadyData(list(map(_data, rows))))


def _floors(rows: Sequence[_DatasetRow]) -> Table:
    from memgauge.show import Column, Kind, Table

    heads = {"empty": "silence", "random": "random", "longest": "longest", "grep": "grep"}
    columns = (
        Column("dataset", Kind.TEXT),
        Column("questions", Kind.COUNT),
        *(Column(head, Kind.SHARE) for head in heads.values()),
    )
    cells = [
        (row.ref, row.floors.questions, *(getattr(row.floors, name) for name in heads))
        for row in rows
        if row.floors
    ]
    without = [f"{row.ref} ({row.why})" for row in rows if row.why]
    pieces = [row.measured for row in rows if row.measured not in {row.ref, ""}]
    note = f"{_NOTE} Of a piece: {', '.join(pieces)}." if pieces else _NOTE
    note = f"{note} Without figures: {', '.join(without)}." if without else note
    return Table.of("floors", "What is scored without a memory", columns, cells, note)


def _data(row: _DatasetRow) -> dict[str, object]:
    return {
        "dataset": row.ref,
        "licence": row.licence,
        **asdict(row.abilities),
        "run_on": row.abilities.run_on,
        "floors": asdict(row.floors) if row.floors else None,
        "floors_of": row.measured,
        "why_no_floors": row.why,
    }


def tasks(*, output: Output = SHOWN) -> int:
    """List the 22 tasks of LMEB that `beir:FOLDER,task=NAME` reads, and what each may be used for.

    Example: memgauge data tasks
    """
    from memgauge.datasets.beir.tasks import tasks as known
    from memgauge.results import ReadyData
    from memgauge.show import Column, Document, Kind, Table

    rows = [
        (task.name, task.memory, len(task.subsets), f"{task.licence}: {task.use}", task.path)
        for task in known().values()
    ]
    columns = (
        *Column.each(Kind.TEXT, "task", "memory"),
        Column("subsets", Kind.COUNT),
        *Column.each(Kind.PROSE, "licence and use", "on the hub"),
    )
    data = [{**asdict(task), "use": task.use} for task in known().values()]
    shown = Document("Tasks of LMEB", blocks=(Table.of("tasks", "", columns, rows),), data=ReadyData(data))
    return present(shown, output, name="tasks")


def doubts(file: Path, *, output: Output = SHOWN) -> int:
    """Read a file of doubts about labels: of which questions, of which kind, named by how many, and what counts.

    Example: memgauge data doubts errata-more.json

    Parameters
    ----------
    file
        A list of doubts, as their readers publish them.
    """
    from memgauge.datasets.doubts import read_doubts
    from memgauge.datasets.errata import DISPUTED, LEAVE_THE_ANSWER
    from memgauge.results import ReadyData
    from memgauge.show import Column, Document, Kind, Table

    doubts = read_doubts(file)
    columns = (
        Column("dataset", Kind.TEXT),
        *Column.each(Kind.PROSE, "question", "kind", "what follows"),
        Column("readers", Kind.COUNT),
    )
    follows = {True: "the answer is in doubt", False: "the answer stands"}
    data = [
        {**asdict(doubt), "corrupts_answer": doubt.kind not in LEAVE_THE_ANSWER, "counts": doubt.kind != DISPUTED}
        for doubt in doubts
    ]
    rows = [
        (
            doubt.dataset,
            " ".join(filter(None, (doubt.persona, doubt.question))),
            doubt.kind,
            "nothing: it counts as no doubt"
            if doubt.kind == DISPUTED
            else follows[doubt.kind not in LEAVE_THE_ANSWER],
            doubt.readers,
        )
        for doubt in doubts
    ]
    shown = Document("Doubts about labels", blocks=(Table.of("doubts", "", columns, rows),), data=ReadyData(data))
    return present(shown, output, name="doubts")
