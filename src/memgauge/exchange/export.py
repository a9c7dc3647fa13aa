"""Runs and datasets as files that other tools read, so that they can check our numbers."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import defaultdict
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import numpy as np

from memgauge.exchange.table import FIELDS, guarded
from memgauge.exchange.trec import as_column
from memgauge.records import EvidencePolicy, Form, Target
from memgauge.records.contracts import credits_form
from memgauge.runs.record.database import connect
from memgauge.runs.record.files import write_atomically
from memgauge.text.databases import writing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from memgauge.datasets.base import Dataset
    from memgauge.runs.record.store import Run

    Writer = Callable[[Run, Dataset, Path, Target], list[Path]]


_LOST = "never-stored"


def to_trec(run: Run, dataset: Dataset, folder: Path, target: Target) -> list[Path]:
    """Write ``run.trec`` and ``qrels.trec``: every credited memory is relevant, and scores only say the order.

    A memory that stands for several evidence turns is one relevant document there, and an evidence turn with
    several memories is several: equal numbers are to be expected where neither occurs. Evidence of which no memory
    is left is relevant too, under a name that no list holds: what was lost counts as missed.
    """
    k = run.manifest.limits.k
    lines = [
        f"{as_column(question)} Q0 {as_column(memory)} {rank} {k - rank + 1} memgauge"
        for question, rank, memory in run.ranked(k)
    ]
    anchors = {gold.question: gold.anchors(EvidencePolicy.STRICT) for gold in dataset.gold()}
    descending = _descending(run, target)
    qrels = [
        f"{as_column(question)} 0 {as_column(memory)} 1"
        for question, conversation in _asked(run)
        for memory in (
            *_relevant(descending[conversation], anchors[question]),
            *_lost(descending[conversation], anchors[question], conversation),
        )
    ]
    return _write(folder, {"run.trec": lines, "qrels.trec": qrels})


def to_beir(run: Run, dataset: Dataset, folder: Path, target: Target) -> list[Path]:
    """Write the dataset that *run* was made on as a BEIR folder; *target* is always the turn itself."""
    del run, target
    corpus, queries, qrels = [], [], ["query-id\tcorpus-id\tscore"]
    golds = {gold.question: gold for gold in dataset.gold()}
    for case in dataset.cases():
        home = case.conversation.id
        metadata = {"conversation": home}
        corpus += [
            _json(_id=_in_line(f"{home}/{turn.id}"), title="", text=turn.text, metadata=metadata)
            for turn in case.conversation.turns()
        ]
        queries += [_json(_id=_in_line(q.id), text=q.text, metadata=metadata) for q in case.questions]
        for question in case.questions:
            anchors = golds[question.id].anchors(EvidencePolicy.STRICT)
            qrels += [f"{_in_line(question.id)}\t{_in_line(f'{home}/{turn}')}\t1" for turn in anchors]
    return _write(folder, {"corpus.jsonl": corpus, "queries.jsonl": queries, "qrels/test.tsv": qrels})


def to_jsonl(run: Run, dataset: Dataset, folder: Path, target: Target) -> list[Path]:
    """Write our own layout as JSON lines; importing it gives the same lists again."""
    del dataset, target
    return _write(folder, {"run.jsonl": [_json(**row) for row in _table(run)]})


def to_csv(run: Run, dataset: Dataset, folder: Path, target: Target) -> list[Path]:
    """Write our own layout as CSV."""
    del dataset, target
    text = io.StringIO()
    sheet = csv.DictWriter(text, FIELDS, lineterminator="\r\n")  # which also has a bare \r quoted
    sheet.writeheader()
    for row in _table(run):
        flat = row | ({"sources": " ".join(row["sources"])} if "sources" in row else {})
        sheet.writerow({name: guarded(value) if isinstance(value, str) else value for name, value in flat.items()})
    path = folder / "run.csv"
    folder.mkdir(parents=True, exist_ok=True)
    write_atomically(path, text.getvalue())
    return [path]


def to_parquet(run: Run, dataset: Dataset, folder: Path, target: Target) -> list[Path]:
    """Write a row for every hit with its memory, and one for every question without hits, for data frames."""
    del dataset, target
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "run.parquet"
    rows = run.named(
        "SELECT q.question, q.conversation, h.rank, m.memory, m.text, m.form, m.sources, m.lineage, h.score, "
        "q.outcome, q.reason FROM {questions} q LEFT JOIN {hits} h ON h.question = q.row "
        "LEFT JOIN {memories} m ON h.memory = m.row WHERE q.counts ORDER BY q.row, h.rank"
    )
    with connect() as database, writing(path):
        database.execute(f"COPY ({rows}) TO $1 (FORMAT parquet, COMPRESSION zstd)", [str(path)])
    return [path]


EXPORTERS: Mapping[str, Writer] = {
    "trec": to_trec,
    "beir": to_beir,
    "jsonl": to_jsonl,
    "csv": to_csv,
    "parquet": to_parquet,
}
"""What `memgauge runs export` writes."""
LEFT_OUT: Mapping[str, str] = {
    "beir": (
        "BEIR has no place for who spoke, when and in which session, nor for categories, answers and questions "
        "without one: texts, questions and evidence are written."
    ),
}
"""What a format has no place for."""


def _table(run: Run) -> Iterator[dict[str, Any]]:
    """Yield the lines of our own layout: hits, failed and empty questions, then what was never returned."""
    hits = _hits(run)
    written_keys: set[tuple[str, str]] = set()
    homes = dict(_asked(run))
    columns = (run.questions[name].tolist() for name in ("question", "outcome", "reason"))
    for question, outcome, reason in zip(*columns, strict=True):
        if not hits[question]:
            yield {"question": question, "outcome": outcome, "reason": reason or ""}
        for hit in hits[question]:
            key = homes[question], hit["memory"]
            content = {} if key in written_keys else _memory(hit)
            written_keys.add(key)
            place = {"question": question, "rank": hit["rank"], "memory": hit["memory"]}
            yield {**place, **content, "score": hit["score"]}
    for row in run.stored_texts():
        if (row["conversation"], row["memory"]) not in written_keys:
            written_keys.add((row["conversation"], row["memory"]))
            yield {"conversation": row["conversation"], "memory": row["memory"], **_memory(row)}


def _memory(row: Mapping[str, Any]) -> dict[str, Any]:
    form, sources = str(Form(row["form"])), list(row["sources"])
    return {"text": row["text"], "form": form, "sources": sources, "lineage": row["lineage"]}


def _hits(run: Run) -> dict[str, list[dict[str, Any]]]:
    return run.hits_of(run.questions["question"].tolist(), run.manifest.limits.k)


def _asked(run: Run) -> list[tuple[str, str]]:
    columns = (run.questions[name].tolist() for name in ("question", "conversation"))
    return list(zip(*columns, strict=True))


def _descending(run: Run, target: Target) -> Mapping[str, Mapping[str, list[tuple[int, str]]]]:
    """Read once, by conversation and turn, which credited memories descend from it: place and id, each id once."""
    seen_keys: set[tuple[str, str]] = set()
    by_turn: dict[str, dict[str, list[tuple[int, str]]]] = defaultdict(lambda: defaultdict(list))
    for place, row in enumerate(run.stored_texts()):
        key = row["conversation"], row["memory"]
        if key in seen_keys or not credits_form(target, row["form"]):
            continue
        seen_keys.add(key)
        for turn in row["sources"]:
            by_turn[row["conversation"]][turn].append((place, row["memory"]))
    return by_turn


def _relevant(by_turn: Mapping[str, Sequence[tuple[int, str]]], anchors: Iterable[str]) -> list[str]:
    """Return what descends from any of *anchors*, in the order in which it was stored."""
    places = {pair for turn in anchors for pair in by_turn.get(turn, ())}
    return [memory for _, memory in sorted(places)]


def _lost(
    by_turn: Mapping[str, Sequence[tuple[int, str]]], anchors: Iterable[str], conversation: str
) -> list[str]:
    """Name the *anchors* of which nothing that is credited was stored, as no memory is named."""
    return [f"{_LOST}/{conversation}/{turn}" for turn in dict.fromkeys(anchors) if not by_turn.get(turn)]


def _in_line(name: str) -> str:
    """Write an id of BEIR, whose judgements stand in a table: what parts its cells as an address has it."""
    return re.sub(r"[\t\r\n]", lambda sign: quote(sign[0]), name)


def _json(**row: Any) -> str:
    return json.dumps({k: v for k, v in row.items() if v is not None}, ensure_ascii=False, default=_number)


def _number(value: object) -> object:
    return value.item() if isinstance(value, np.generic) else str(value)


def _write(folder: Path, files: Mapping[str, Sequence[str]]) -> list[Path]:
    paths = []
    for name, lines in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, "".join(f"{line}\n" for line in lines))
        paths.append(path)
    return paths
