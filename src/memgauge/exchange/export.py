"""Runs and datasets as files that other tools read, so that they can check our numbers."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

import numpy as np

from memgauge.exchange.table import FIELDS, guarded
from memgauge.records import EvidencePolicy, Form, Target
from memgauge.records.contracts import credits_form
from memgauge.runs.record.files import write_atomically

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from memgauge.datasets.base import Dataset
    from memgauge.runs.record.store import Run

    Writer = Callable[[Run, Dataset, Path, Target], list[Path]]


def to_trec(run: Run, dataset: Dataset, folder: Path, target: Target) -> list[Path]:
    """Write ``run.trec`` and ``qrels.trec``: every credited memory is relevant, and scores only say the order.

    A memory that stands for several evidence turns is one relevant document there, and an evidence turn with
    several memories is several: equal numbers are to be expected where neither occurs.
    """
    lines = [
        f"{question} Q0 {_plain(hit['memory'])} {hit['rank']} {run.manifest.limits.k - hit['rank'] + 1} memgauge"
        for question, hits in _hits(run).items()
        for hit in hits
    ]
    judged = []
    anchors = {gold.question: set(gold.anchors(EvidencePolicy.STRICT)) for gold in dataset.gold()}
    for question, conversation in _asked(run):
        for memory, sources in _stored(run, conversation, target):
            if anchors[question] & set(sources):
                judged.append(f"{question} 0 {_plain(memory)} 1")
    return _write(folder, {"run.trec": lines, "qrels.trec": judged})


def to_beir(run: Run, dataset: Dataset, folder: Path, target: Target) -> list[Path]:
    """Write the dataset that *run* was made on as a BEIR folder; *target* is always the turn itself."""
    del run, target
    corpus, queries, qrels = [], [], ["query-id\tcorpus-id\tscore"]
    golds = {gold.question: gold for gold in dataset.gold()}
    for case in dataset.cases():
        home = case.conversation.id
        mine = {"conversation": home}
        corpus += [
            _json(_id=f"{home}/{turn.id}", title="", text=turn.text, metadata=mine)
            for turn in case.conversation.turns()
        ]
        queries += [_json(_id=q.id, text=q.text, metadata=mine) for q in case.questions]
        for question in case.questions:
            anchors = golds[question.id].anchors(EvidencePolicy.STRICT)
            qrels += [f"{question.id}\t{home}/{turn}\t1" for turn in anchors]
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
        sheet.writerow({name: guarded(each) if isinstance(each, str) else each for name, each in flat.items()})
    path = folder / "run.csv"
    folder.mkdir(parents=True, exist_ok=True)
    write_atomically(path, text.getvalue())
    return [path]


EXPORTERS: Mapping[str, Writer] = {"trec": to_trec, "beir": to_beir, "jsonl": to_jsonl, "csv": to_csv}
"""What `memgauge runs export` writes."""


def _table(run: Run) -> Iterator[dict[str, Any]]:
    """Yield the lines of our own layout: hits, failed and empty questions, then what was never returned."""
    hits = _hits(run)
    written: set[tuple[str, str]] = set()
    homes = dict(_asked(run))
    columns = (run.questions[name].tolist() for name in ("question", "outcome", "reason"))
    for question, outcome, reason in zip(*columns, strict=True):
        if not hits[question]:
            yield {"question": question, "outcome": outcome, "reason": reason or ""}
        for hit in hits[question]:
            key = homes[question], hit["memory"]
            whole = {} if key in written else _memory(hit)
            written.add(key)
            ranked = {"question": question, "rank": hit["rank"], "memory": hit["memory"]}
            yield {**ranked, **whole, "score": hit["score"]}
    for row in run.stored_texts():
        if (row["conversation"], row["memory"]) not in written:
            written.add((row["conversation"], row["memory"]))
            yield {"conversation": row["conversation"], "memory": row["memory"], **_memory(row)}


def _memory(row: Mapping[str, Any]) -> dict[str, Any]:
    form, sources = str(Form(row["form"])), list(row["sources"])
    return {"text": row["text"], "form": form, "sources": sources, "lineage": row["lineage"]}


def _hits(run: Run) -> dict[str, list[dict[str, Any]]]:
    return run.hits_of(run.questions["question"].tolist(), run.manifest.limits.k)


def _asked(run: Run) -> list[tuple[str, str]]:
    columns = (run.questions[name].tolist() for name in ("question", "conversation"))
    return list(zip(*columns, strict=True))


def _stored(run: Run, conversation: str, target: Target) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield the credited memories of one conversation, each id once."""
    seen = set()
    for row in run.stored_texts():
        if row["conversation"] == conversation and credits_form(target, row["form"]) and row["memory"] not in seen:
            seen.add(row["memory"])
            yield row["memory"], row["sources"]


def _plain(name: str) -> str:
    """Write an id without blanks, which separate columns."""
    return "_".join(name.split())


def _json(**row: Any) -> str:
    return json.dumps({k: v for k, v in row.items() if v is not None}, ensure_ascii=False, default=_number)


def _number(value: object) -> object:
    return value.item() if isinstance(value, np.generic) else str(value)


def _write(folder: Path, files: Mapping[str, Sequence[str]]) -> list[Path]:
    made = []
    for name, lines in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, "".join(f"{line}\n" for line in lines))
        made.append(path)
    return made
