"""Load a trace: 120,000 hits of 2,000 questions as columns of question, rank and memory."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from bench.agree import Values
from bench.row import Job, Row, floor, ours, peer

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from numpy.typing import NDArray

COLUMNS = ("question", "rank", "memory")


def share(folder: Path) -> None:
    """Make a sealed run, and write its hits as lines of JSON; those of a random memory pack worst."""
    from bench.bulk import make_run
    from memgauge.runs.record.store import load

    made = make_run(folder / "sealed", "random")
    made.rename(folder / "run")
    hits = load(folder / "run").hits
    rankings: dict[int, list[dict[str, int]]] = {}
    for question, rank, memory in zip(*(hits[name].tolist() for name in COLUMNS), strict=True):
        rankings.setdefault(question, []).append({"rank": rank, "memory": memory})
    lines = (json.dumps({"question": question, "hits": rows}) for question, rows in rankings.items())
    (folder / "hits.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


def table(columns: Any) -> NDArray[np.int64]:
    """Lay columns side by side."""
    return np.stack([np.asarray(columns[name], dtype=np.int64) for name in COLUMNS])


def memgauge(folder: Path) -> Job:
    """Open a sealed run and read its hits."""
    from memgauge.runs.record.store import load

    return Job(lambda: load(folder / "run").hits, table)


def pandas(folder: Path) -> Job:
    """Read the same file of the run."""
    import pandas as pd

    path, names = folder / "run" / "hits.parquet", list(COLUMNS)

    def run() -> dict[str, Any]:
        frame = pd.read_parquet(path, columns=names, engine="pyarrow")
        return {name: frame[name].to_numpy() for name in names}

    return Job(run, table)


def lines(folder: Path, parse: Callable[[Any], Any]) -> Job:
    """Parse one line a question and make columns."""
    path = folder / "hits.jsonl"

    def run() -> dict[str, Any]:
        parsed = [parse(line) for line in path.read_bytes().splitlines()]
        hits = [(each["question"], hit["rank"], hit["memory"]) for each in parsed for hit in each["hits"]]
        return dict(zip(COLUMNS, np.array(hits, dtype=np.int32).T, strict=True))

    return Job(run, table)


def standard_json(folder: Path) -> Job:
    """Parse with what comes with Python."""
    return lines(folder, json.loads)


def orjson(folder: Path) -> Job:
    """Parse with the fastest parser."""
    import orjson as library

    return lines(folder, library.loads)


def moved(folder: Path) -> Job:
    """Read the bytes of the file, and write columns of that size."""
    from memgauge.runs.record.store import load

    path, columns = folder / "run" / "hits.parquet", list(load(folder / "run").hits.values())
    return Job(lambda: (path.read_bytes(), [column.copy() for column in columns]))


ROW = Row(
    "load a sealed run: 120,000 hits",
    limit=25,
    share=share,
    agreement=Values(0),
    above=(
        "The columns are compressed on disk, and hashed before they are read. Most is what DuckDB takes to unpack "
        "them and to hand over each value beside a mark that says whether it is missing."
    ),
    sides=(
        ours(memgauge, note="checks the manifest and the seal as well"),
        peer(
            "pandas and pyarrow",
            pandas,
            note="the same file of the run",
            why="They read one file. Ours hashes the tables against the seal before it reads a number.",
        ),
        peer("orjson", orjson, note="one line a question"),
        peer("json", standard_json, note="one line a question"),
        floor("read the bytes, write the columns", moved),
    ),
)
