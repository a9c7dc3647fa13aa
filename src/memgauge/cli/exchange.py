"""`memgauge runs import` and `memgauge runs export`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from memgauge.errors import ConfigError
from memgauge.frame.choosing import finished
from memgauge.frame.console import program
from memgauge.frame.options import RUNS, DatasetRef, Flag
from memgauge.frame.output import PLAIN, Printing, present, told

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.exchange.trace import ImportReport
    from memgauge.exchange.traffic.reading import Traffic


def import_run(
    format: str,  # noqa: A002 - what a user would call it
    path: Path,
    /,
    *,
    dataset: DatasetRef = "",
    label: str = "",
    partial: Annotated[bool, Flag] = False,
    out: Path = RUNS,
    shown: Printing = PLAIN,
) -> int:
    """Make a run of a trace from elsewhere, joined to a dataset; what is unknown stays unknown.

    Answers and verdicts in the file become layers of the run. A broken file leaves nothing behind. What was
    recorded in production has no dataset, and becomes traffic: operations and their records.

    Example: memgauge runs import trec run.trec -d beir:./scifact --label theirs

    Parameters
    ----------
    format
        trec, jsonl, csv, longmemeval, amb, memorybench, mem0, or an installed one; of production: watch.
    path
        The file; the folder that `memgauge.watch` recorded in.
    dataset
        What it is about; `beir:./folder` for a collection of your own. Production has none.
    label
        What tables call it; otherwise the name of the file.
    partial
        Accept a file that lacks questions of the dataset, or knows others.
    out
        Folder that run folders are made in.
    """
    from memgauge.datasets.catalogue import open_dataset
    from memgauge.exchange.catalogue import RECORDERS
    from memgauge.exchange.freeze import import_trace

    if format in RECORDERS.names():
        traffic = RECORDERS.get(format)(path, out / (label or path.resolve().name))
        data = {"folder": str(traffic.folder)} | traffic.manifest.model_dump(mode="json")
        return present(told(data, *_traffic_lines(traffic)), shown)
    if not dataset:
        raise ConfigError(f"A file of {format} is about a dataset.", "Name it with `--dataset`.")
    opened = open_dataset(dataset, allow_unpinned=True)
    folder, report = import_trace(format, path, opened, out, label=label or path.stem, partial=partial)
    return present(told({"folder": str(folder)} | asdict(report), *_lines(folder, report)), shown)


def export_run(
    *runs: Path,
    to: Literal["trec", "beir", "jsonl", "csv", "parquet"],
    target: Literal["raw", "source", "canonical"] = "source",
    out: Path = Path("export"),
    shown: Printing = PLAIN,
) -> int:
    """Write runs for other tools, so that they can check our numbers.

    Example: memgauge runs export runs/before --to trec

    Parameters
    ----------
    runs
        Run folders, folders of them, or patterns (`'runs/*bm25*'`); `runs` when none is named.
    to
        trec (run and qrels), beir (the dataset's own folder), jsonl or csv (the layout that `memgauge runs import`
        reads), or parquet (a row for every hit, for data frames).
    target
        Which memories qrels call relevant.
    out
        Folder of the files; of several runs, each has a folder of its own in it.
    """
    from memgauge.datasets.catalogue import open_dataset
    from memgauge.exchange.export import EXPORTERS
    from memgauge.records import Target
    from memgauge.runs.record.store import load

    folders = finished(runs)
    made: list[Path] = []
    for folder in folders:
        opened = load(folder)
        dataset = open_dataset(opened.manifest.dataset.ref, allow_unpinned=True)
        into = out / folder.resolve().name if len(folders) > 1 else out
        made += EXPORTERS[to](opened, dataset, into, Target(target))
    return present(told({"files": list(map(str, made))}, *map(str, made)), shown)


def _traffic_lines(traffic: Traffic) -> Iterator[str]:
    manifest, ledger = traffic.manifest, traffic.ledger
    yield f"{traffic.folder}: {manifest.operations:,} operations with {manifest.records:,} records"
    for dialect, kinds in traffic.identity.dialects.items():
        yield f"{dialect}: {', '.join(f'{count:,} {kind}' for kind, count in kinds.items())}."
    yield f"Read: {ledger.rows:,} lines of {len(traffic.identity.sources):,} files."
    yield from (f"Noted: {count:,} ({what})." for what, count in ledger.noted.items())
    yield from (f"Left out: {count:,} ({reason})." for reason, count in ledger.left_out.items())


def _lines(folder: Path, report: ImportReport) -> Iterator[str]:
    yield f"{folder}: {report.questions:,} questions of {report.dataset} (sha256 {report.dataset_sha256[:12]})"
    joined = f"{report.by_id:,} joined by id, {report.by_text:,} by text"
    yield f"{report.source} (sha256 {report.sha256[:12]}): {report.rows:,} rows, {joined}."
    yield from (f"Left out: {n:,} ({reason})." for reason, n in report.dropped.items())
    if report.missing:
        yield f"{report.missing:,} questions of the dataset are not in it."
    yield f"Fields found: {', '.join(report.fields)}."
    yield f"Next: {program()} score {folder}"
