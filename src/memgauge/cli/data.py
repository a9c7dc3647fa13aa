"""`memgauge data`: datasets."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

from cyclopts import App

from memgauge.cli.building import build
from memgauge.errors import ConfigError, DataError
from memgauge.frame.console import downloading, emit, say, working
from memgauge.frame.exits import FAILED, OK
from memgauge.frame.options import AsData, Flag

app = App("data", help="Datasets: list, describe, fetch, validate.")
app.command(build)


@app.command(name="list")
def list_(*, json: AsData = False) -> int:
    """List every dataset, and whether it is at hand.

    Parameters
    ----------
    json
        Print data instead of a table.
    """
    from rich.table import Table

    from memgauge.datasets.catalogue import DATASETS

    kinds = [DATASETS.get(name) for name in DATASETS.names()]
    rows = [
        {
            "name": kind.name,
            "summary": kind.summary,
            "variants": dict(kind.variants),
            "options": {name: {"default": o.default, "help": o.help} for name, o in kind.options.items()},
            "licence": kind.licence,
            "at_hand": _at_hand(kind),
        }
        for kind in kinds
    ]
    if json:
        emit(rows)
        return OK
    table = Table("dataset", "what it is", "variants", "licence", "at hand", box=None)
    for row in rows:
        names = ("name", "summary", "licence", "at_hand")
        name, summary, licence, at_hand = (str(row[key]) for key in names)
        table.add_row(name, summary, " ".join(row["variants"]), licence, at_hand)
    say(table)
    return OK


@app.command
def describe(dataset: str, *, allow_unpinned: Annotated[bool, Flag] = False, json: AsData = False) -> int:
    """Count everything that should be checked before a score is believed.

    Parameters
    ----------
    dataset
        Dataset, as `name`, `name:variant` or `name:variant,option=value`.
    allow_unpinned
        Accept a file that is not the published one.
    json
        Print data instead of text.
    """
    from memgauge.datasets.catalogue import open_dataset

    with working(f"reading {dataset}"):
        described = dict(open_dataset(dataset, allow_unpinned=allow_unpinned).describe())
    if json:
        emit(described)
        return OK
    for key, value in described.items():
        _say_fact(key, value)
    return OK


@app.command
def fetch(dataset: str, *, out: Path | None = None, json: AsData = False) -> int:
    """Download a dataset from its own address and check it against its published hash.

    Nothing else in memgauge downloads anything.

    Parameters
    ----------
    dataset
        Dataset, as `name` or `name:variant`.
    out
        Folder to put it in; the cache when not named.
    json
        Print where the files are as data.
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
    if not json:
        say(f"{kind.name} is under {kind.licence}.")
    paths = []
    for file in files:
        with downloading(file.name) as on_progress:
            paths.append(download(kind.name, file, out, progress=on_progress))
    if json:
        emit({"files": [str(path) for path in paths]})
    else:
        for path in paths:
            say(path)
    return OK


@app.command
def validate(dataset: str, *, allow_unpinned: Annotated[bool, Flag] = False, json: AsData = False) -> int:
    """Check that a dataset obeys the laws that runs rely on.

    Parameters
    ----------
    dataset
        Dataset, as `name`, `name:variant` or `name:variant,option=value`.
    allow_unpinned
        Accept a file that is not the published one.
    json
        Print data instead of text.
    """
    from memgauge.datasets.catalogue import open_dataset
    from memgauge.datasets.validate import validate as check

    with working(f"reading {dataset}"):
        findings = check(open_dataset(dataset, allow_unpinned=allow_unpinned))
    if json:
        emit({"valid": not findings, "findings": [asdict(finding) for finding in findings]})
    else:
        for finding in findings:
            say(f"{finding.where}: {finding.what}")
        say(f"{dataset}: {len(findings)} findings" if findings else f"{dataset}: valid")
    return FAILED if findings else OK


def _at_hand(kind: Any) -> str:
    from memgauge.datasets.files import locate

    if not kind.files:
        return f"a folder that you bring: {kind.homepage}" if kind.paths else "yes, generated"
    found = []
    for file in kind.files:
        try:
            locate(kind.name, file)
        except DataError:
            continue
        found.append(file.variant or file.name)
    return f"yes ({', '.join(found)})" if found else f"no: memgauge data fetch {kind.name}"


def _say_fact(key: str, value: object) -> None:
    """Print one fact, long lists one item a line."""
    if isinstance(value, dict):
        say(f"{key}: " + ", ".join(f"{name} {number}" for name, number in value.items()))
    elif isinstance(value, list | tuple) and value:
        say(f"{key}:")
        for item in value:
            say("  " + (", ".join(f"{k}: {v}" for k, v in item.items()) if isinstance(item, dict) else str(item)))
    else:
        say(f"{key}: {value}")
