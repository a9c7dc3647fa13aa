"""`memgauge data`: datasets."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import App

from memgauge.cli import data_table, synth
from memgauge.cli.building import build
from memgauge.errors import ConfigError, DataError
from memgauge.frame.console import downloading, working
from memgauge.frame.exits import FAILED, OK
from memgauge.frame.options import DatasetRef, Flag
from memgauge.frame.output import PLAIN, SHOWN, Output, Printing, present, told
from memgauge.show import CheckOutcome, CountedCheck
from memgauge.show.safety import plain_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memgauge.datasets.kind import DatasetKind
    from memgauge.datasets.validate import Violation
    from memgauge.show import Document

app = App("data", help="Datasets: list, compare, describe, fetch, validate, make your own, synthesise.")
app.command(build)
for _command in (
    data_table.table,
    data_table.tasks,
    data_table.doubts,
    synth.synth,
    synth.difficulty,
    synth.audit,
    synth.paraphrase,
):
    app.command(_command)


@app.command(name="list")
def list_(*, output: Output = SHOWN) -> int:
    """List every dataset, and whether it is at hand.

    Example: memgauge data list
    """
    from memgauge.datasets.catalogue import DATASETS

    return present(document([DATASETS.get(name) for name in DATASETS.names()]), output, name="datasets")


_HERE = (
    "here: yes; no: `memgauge data fetch NAME`; bring: a folder of yours; made: generated whenever it is opened"
)


def document(kinds: Sequence[DatasetKind]) -> Document:
    """List datasets: what each is, under which licence, and whether it is here."""
    from memgauge.results import ReadyData
    from memgauge.show import Column, Document, Kind, Table

    at_hand = [_at_hand(kind) for kind in kinds]
    rows = [
        (kind.name, here.partition(" ")[0].rstrip(":"), kind.summary, kind.licence, ", ".join(kind.variants), here)
        for kind, here in zip(kinds, at_hand, strict=True)
    ]
    columns = (
        *Column.each(Kind.TEXT, "dataset", "here"),
        *(Column(head, Kind.PROSE) for head in ("what it is", "licence")),
        *(Column(head, Kind.PROSE, brief=False) for head in ("variants", "at hand")),
    )
    data = [_listed(kind, here) for kind, here in zip(kinds, at_hand, strict=True)]
    return Document(
        "Datasets",
        blocks=(Table.of("datasets", "", columns, rows, _HERE),),
        data=ReadyData(data),
        next="Next: memgauge data describe NAME, or --tables for variants, files and addresses",
    )


def _listed(kind: DatasetKind, at_hand: str) -> dict[str, object]:
    return {
        "name": kind.name,
        "summary": kind.summary,
        "variants": dict(kind.variants),
        "options": {name: {"default": o.default, "help": o.help} for name, o in kind.options.items()},
        "licence": kind.licence,
        "at_hand": at_hand,
    }


@app.command
def describe(
    dataset: DatasetRef, *, allow_unpinned: Annotated[bool, Flag] = False, shown: Printing = PLAIN
) -> int:
    """Count everything that should be checked before a score is believed.

    Example: memgauge data describe locomo

    Parameters
    ----------
    dataset
        Dataset, as `name`, `name:variant` or `name:variant,option=value`.
    allow_unpinned
        Accept a file that is not the published one.
    """
    from memgauge.datasets.catalogue import open_dataset

    with working(f"reading {dataset}"):
        described = dict(open_dataset(dataset, allow_unpinned=allow_unpinned).describe())
    lines = (line for key, value in described.items() for line in _fact_lines(key, value))
    return present(told(described, *lines), shown)


@app.command
def fetch(dataset: DatasetRef, *, out: Path | None = None, shown: Printing = PLAIN) -> int:
    """Download a dataset from its own address and check it against its published hash.

    Nothing else in memgauge downloads anything.

    Example: memgauge data fetch locomo

    Parameters
    ----------
    dataset
        Dataset, as `name` or `name:variant`.
    out
        Folder to put it in; the cache when not named.
    """
    from memgauge.datasets.catalogue import DATASETS
    from memgauge.datasets.files import fetch as download
    from memgauge.registry import parse_ref

    ref = parse_ref(dataset)
    kind = DATASETS.get(ref.name)
    wanted = ref.variant or next(iter(kind.variants), "")
    files = [file for file in kind.files if file.variant in {"", wanted}]
    if not files:
        raise ConfigError(f"{dataset} has no file to fetch.", "It is generated, or lies at a path that you name.")
    shown.tell(f"{kind.name} is under {kind.licence}.")
    paths = []
    for file in files:
        with downloading(file.name) as on_progress:
            paths.append(download(kind.name, file, out, progress=on_progress))
    return present(told({"files": list(map(str, paths))}, *map(str, paths)), shown)


@app.command
def validate(
    dataset: DatasetRef, *, allow_unpinned: Annotated[bool, Flag] = False, shown: Printing = PLAIN
) -> int:
    """Check that a dataset obeys the laws that runs rely on.

    Example: memgauge data validate own:world

    Parameters
    ----------
    dataset
        Dataset, as `name`, `name:variant` or `name:variant,option=value`.
    allow_unpinned
        Accept a file that is not the published one.
    """
    from memgauge.datasets.catalogue import open_dataset
    from memgauge.datasets.validate import validate as check

    with working(f"reading {dataset}"):
        findings = check(open_dataset(dataset, allow_unpinned=allow_unpinned))
    data = {"valid": not findings, "findings": [asdict(finding) for finding in findings]}
    lines = [plain_line(f"{finding.where}: {finding.what}") for finding in findings]
    lines.append(f"{dataset}: {len(findings)} findings" if findings else f"{dataset}: valid")
    made = told(data, *lines, checks=_laws(dataset, findings))
    return present(made, shown, name="validate", code=FAILED if findings else OK)


def _laws(dataset: str, findings: Sequence[Violation]) -> Iterator[CountedCheck]:
    """Count what breaks a law, each by where it stands; of a dataset that keeps them all, one check."""
    if not findings:
        yield CountedCheck("validate", dataset, "keeps every law")
    for each in findings:
        yield CountedCheck("validate", dataset, each.where, CheckOutcome.FAIL, each.what)


@app.command
def new(name: str, *, into: Path = Path(), shown: Printing = PLAIN) -> int:
    """Write a dataset: a reader of your own file, a small file to try it on, its test, and how it is installed.

    Example: memgauge data new our_notes

    Parameters
    ----------
    name
        What it is called with --dataset: small letters, digits and underscores.
    into
        Folder that the new folder is made in.
    """
    from memgauge.frame.new import write_new

    return write_new("dataset", name, into, shown)


def _at_hand(kind: DatasetKind) -> str:
    from memgauge.datasets.files import locate

    if not kind.files:
        return f"bring a folder: {kind.homepage}" if kind.paths else "made when it is opened"
    here = []
    for file in kind.files:
        try:
            locate(kind.name, file)
        except DataError:
            continue
        here.append(file.variant or file.name)
    return f"yes ({', '.join(here)})" if here else f"no: memgauge data fetch {kind.name}"


def _fact_lines(key: str, value: object) -> Iterator[str]:
    """Yield one fact, long lists one item a line."""
    if isinstance(value, dict):
        yield plain_line(f"{key}: " + ", ".join(f"{name} {number}" for name, number in value.items()))
    elif isinstance(value, list | tuple) and value:
        yield f"{key}:"
        for item in value:
            shown = ", ".join(f"{k}: {v}" for k, v in item.items()) if isinstance(item, dict) else str(item)
            yield f"  {plain_line(shown)}"
    else:
        yield plain_line(f"{key}: {value}")
