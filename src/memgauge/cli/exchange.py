"""`memgauge runs import` and `memgauge runs export`."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from memgauge.errors import ConfigError
from memgauge.frame.choosing import finished
from memgauge.frame.console import program
from memgauge.frame.options import RUNS, DatasetRef, Flag
from memgauge.frame.output import PLAIN, Printing, present, told
from memgauge.text.shell import typed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.datasets.base import Dataset
    from memgauge.exchange.otlp.sighting import OtlpOptions
    from memgauge.exchange.trace import ImportReport
    from memgauge.exchange.traffic.freezing import FrozenTraffic
    from memgauge.exchange.traffic.reading import Traffic
    from memgauge.runs.record.store import Run

OTLP = "otlp"
TRAFFIC = Path("traffic")
"""Where traffic goes when nothing else is said."""
EVALUATED = ("nDCG@10", "Recall@10")
"""Measures whose values go with exported spans."""
SHORTEST = 16
"""Bytes of the shortest key."""


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class ProductionOptions:
    """How production is read, whose names nobody keeps or hides for its owner."""

    pseudonyms: Path | None = None
    """Of spans: a file with a key of yours, under which users, conversations, agents, stores, memories and texts
    are hashed; it is read and never stored."""
    plain_ids: Annotated[bool, Flag] = False
    """Of spans: leave names as they are."""
    with_text: Annotated[bool, Flag] = False
    """Of spans: keep queries and contents, and not only their hashes and lengths."""
    scope_from: str = ""
    """Of spans: the attributes that name a user, with commas between; otherwise `user.id` and its like."""
    traffic: Path = TRAFFIC
    """Of production: folder that folders of traffic are made in."""

    @property
    def otlp(self) -> OtlpOptions:
        """Return how spans are read.

        Raises:
            ConfigError: How names are kept was not said, or in two ways.
        """
        from memgauge.exchange.otlp.facts import USER
        from memgauge.exchange.otlp.sighting import OtlpOptions
        from memgauge.text.pseudonyms import Pseudonyms

        if (self.pseudonyms is None) is not self.plain_ids:
            raise ConfigError(
                "Spans name users, conversations and memories.",
                "Hash the names with --pseudonyms KEYFILE (a file of your own with a long random text), or keep "
                "them with --plain-ids.",
            )
        secret = None if self.pseudonyms is None else _secret(self.pseudonyms)
        users = tuple(filter(None, (name.strip() for name in self.scope_from.split(","))))
        return OtlpOptions(Pseudonyms(secret), texts=self.with_text, scope_from=users or USER)


_PRODUCTION = ProductionOptions()


def _secret(key: Path) -> bytes:
    """Read a key.

    Raises:
        ConfigError: There is none, or it can be guessed.
    """
    try:
        secret = key.read_bytes().strip()
    except OSError as error:
        raise ConfigError(f"The key {key} cannot be read: {error.strerror}.", "Name a file with a key.") from error
    if len(secret) < SHORTEST:
        raise ConfigError(
            f"The key in {key} has {len(secret)} bytes; names could be guessed.", f"Take {SHORTEST} or more."
        )
    return secret


def import_run(
    format: str,  # noqa: A002 - what a user would call it
    /,
    *paths: Path,
    dataset: DatasetRef = "",
    label: str = "",
    partial: Annotated[bool, Flag] = False,
    production: ProductionOptions = _PRODUCTION,
    out: Path = RUNS,
    shown: Printing = PLAIN,
) -> int:
    """Make a run of a trace from elsewhere; what is unknown stays unknown.

    A file of results is joined to a dataset; its answers and verdicts become layers of the run. Spans of
    OpenTelemetry (`otlp`, one file or several) and what `memgauge.watch` recorded (`watch`, a folder) become
    traffic, a dataset without gold, and a run. A broken file leaves nothing behind.

    Example: memgauge runs import trec run.trec -d beir:./scifact --label theirs

    Parameters
    ----------
    format
        trec, jsonl, csv, longmemeval, amb, aml, memorybench, mem0, otlp, watch, or an installed one.
    paths
        The file; of spans, all files together; the folder that a host recorded in, or of files of `aml`.
    dataset
        What it is about; `beir:./folder` for a collection of your own. Spans need none; with one, those that
        `runs export --to otlp` wrote are joined to it.
    label
        What tables call it; otherwise the name of the file.
    partial
        Accept a file that lacks questions of the dataset, or knows others.
    out
        Folder that run folders are made in.
    """
    from memgauge.exchange.catalogue import WATCH, require_format

    require_format(format)
    if format == OTLP and not dataset:
        return _import_spans(paths, production.otlp, label, production.traffic, out, shown)
    if format == WATCH:
        return _import_watched(paths, dataset, label, production.traffic, out, shown)
    from memgauge.datasets.catalogue import open_dataset
    from memgauge.exchange.freeze import import_trace

    if len(paths) != 1 or not dataset:
        raise ConfigError(
            f"{format} is one file about one dataset.",
            f"For example: {program()} runs import {format} FILE -d DATASET.",
        )
    (path,) = paths
    opened = open_dataset(dataset, allow_unpinned=True)
    folder, report = import_trace(format, path, opened, out, label=label or path.stem, partial=partial)
    return present(told({"folder": str(folder)} | asdict(report), *_lines(folder, report)), shown)


def _import_spans(
    paths: tuple[Path, ...], options: OtlpOptions, label: str, traffic: Path, out: Path, shown: Printing
) -> int:
    from memgauge.exchange.otlp.arriving import arrive

    if not paths:
        raise ConfigError("No file of spans is named.", f"For example: {program()} runs import otlp data.json.")
    return _arrived(*arrive(paths, options, traffic, out, label or paths[0].stem), shown)


def _import_watched(
    paths: tuple[Path, ...], dataset: str, label: str, traffic: Path, out: Path, shown: Printing
) -> int:
    from memgauge.exchange.watched import arrive_watched

    if len(paths) != 1 or dataset:
        raise ConfigError(
            "What was watched is one folder, about no dataset.",
            f"For example: {program()} runs import watch production.",
        )
    (source,) = paths
    return _arrived(*arrive_watched(source, traffic, out, label or source.resolve().name), shown)


def _arrived(arrived: Traffic, frozen: FrozenTraffic, shown: Printing) -> int:
    data = {"traffic": str(arrived.folder), "dataset": frozen.dataset, "folder": str(frozen.run)}
    lines = _traffic_lines(arrived, frozen)
    return present(told(data | arrived.manifest.model_dump(mode="json"), *lines), shown)


def _traffic_lines(arrived: Traffic, frozen: FrozenTraffic) -> Iterator[str]:
    manifest, ledger = arrived.manifest, arrived.ledger
    yield f"These are traced, sampled operations, and no others (sampling: {arrived.identity.sampling})."
    yield f"{arrived.folder}: {manifest.operations:,} operations with {manifest.records:,} records."
    if arrived.identity.recorder == OTLP:
        yield f"{ledger.rows:,} lines, {ledger.spans:,} spans, {ledger.duplicates:,} of them copies."
    else:
        yield f"{ledger.rows:,} lines of {len(arrived.identity.sources):,} files."
    for dialect, kinds in arrived.identity.dialects.items():
        yield f"{dialect}: {', '.join(f'{n:,} {kind}' for kind, n in kinds.items())}."
    if ledger.orphans:
        yield f"The parent of {ledger.orphans:,} operations was never seen."
    yield from (f"Left out: {n:,} ({reason})." for reason, n in ledger.left_out.items())
    yield from (f"Not known, and not guessed: {n:,} ({name})." for name, n in ledger.unknown.items())
    yield from (f"Noted: {n:,} ({note})." for note, n in ledger.noted.items())
    if ledger.unparsable:
        yield f"{ledger.unparsable:,} lists of records could not be read."
    yield f"{frozen.run}: its run, on {frozen.dataset} (no gold)."
    yield f"Next: {program()} study production health {typed(arrived.folder)}"


def export_run(
    *runs: Path,
    to: Literal["trec", "beir", "jsonl", "csv", "parquet", "otlp"],
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
        reads), parquet (a row for every hit, for data frames), or otlp (spans of OpenTelemetry's memory
        operations, with the values of measures as `gen_ai.evaluation.result` events).
    target
        Which memories qrels call relevant.
    out
        Folder of the files; of several runs, each has a folder of its own in it.
    """
    from memgauge.datasets.catalogue import open_dataset
    from memgauge.exchange.export import EXPORTERS, LEFT_OUT
    from memgauge.records import Target
    from memgauge.runs.record.store import load

    folders = finished(runs)
    made: list[Path] = []
    for folder in folders:
        opened = load(folder)
        dataset = open_dataset(opened.manifest.dataset.ref, allow_unpinned=True)
        into = out / folder.resolve().name if len(folders) > 1 else out
        if to == OTLP:
            made.append(_spans(opened, dataset, into))
        else:
            made += EXPORTERS[to](opened, dataset, into, Target(target))
    if to in LEFT_OUT:
        shown.tell(LEFT_OUT[to])
    return present(told({"files": list(map(str, made))}, *map(str, made)), shown)


def _spans(run: Run, dataset: Dataset, folder: Path) -> Path:
    """Write a run as spans, each search with the values of the measures that a board shows first."""
    from memgauge.exchange.otlp.exporting import write_spans
    from memgauge.measures import parse
    from memgauge.records import Contract
    from memgauge.scoring.align import align
    from memgauge.scoring.gold import GoldTable

    gold, path = GoldTable.read(dataset), folder / "spans.jsonl"
    judged = align(run, gold, Contract(), max(run.manifest.limits.k, 10))
    evaluations: dict[str, dict[str, float | None]] = {}
    for name in EVALUATED:
        values = parse(name).rows(judged.judged).values
        for question, number in gold.number.items():
            if judged.scored[number] and not math.isnan(values[number]):
                evaluations.setdefault(question, {})[name] = float(values[number])
    write_spans(run, path, evaluations)
    return path


def _lines(folder: Path, report: ImportReport) -> Iterator[str]:
    yield f"{folder}: {report.questions:,} questions of {report.dataset} (sha256 {report.dataset_sha256[:12]})"
    joined = f"{report.by_id:,} joined by id, {report.by_text:,} by text"
    yield f"{report.source} (sha256 {report.sha256[:12]}): {report.rows:,} rows, {joined}."
    yield from (f"Left out: {n:,} ({reason})." for reason, n in report.dropped.items())
    if report.unread:
        yield f"Left out: fields that are not read ({', '.join(report.unread)})."
    yield from (f"Noted of {n:,} questions: {note}." for note, n in report.noted.items())
    if report.missing:
        yield f"{report.missing:,} questions of the dataset are not in it."
    yield f"Fields found: {', '.join(report.fields)}."
    yield f"Next: {program()} score {typed(folder)}"
