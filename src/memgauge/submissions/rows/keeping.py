"""Rows kept by digest: of the bundle, the scorer, the dataset and the contract; whatever differs is read anew."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np

from memgauge.errors import MalformedDataError
from memgauge.results import plain
from memgauge.submissions.rows.run_row import RUN_ROW, ValuedRow
from memgauge.text.jsons import json_of
from memgauge.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib.resources.abc import Traversable
    from pathlib import Path

    from memgauge.submissions.sheets.registry import ContractSheet

SCORER = ("records", "text", "stats", "measures", "runs/record", "runs/layers", "scoring", "submissions/rows")
"""Rooms whose code decides what a row says."""
_KEY, _SUM, _ROW, _MEASURES = "key", "sha256", "row", "measures"
_VALUES = np.dtype("<f8")


@dataclass(frozen=True)
class RowKey:
    """What a row follows from."""

    bundle: str
    """sha256."""
    dataset: str
    first: int | None
    contract: str

    @property
    def digest(self) -> str:
        """Return what its file is called."""
        parts = [self.bundle, self.dataset, self.first, self.contract, scorer()]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def contract_key(contract: ContractSheet) -> str:
    """Spell what of a contract decides numbers."""
    return json.dumps([contract.contract, contract.measures, contract.k])


def scorer() -> str:
    """Hash the code that decides what a row says: a row of any other scorer is not used."""
    return code_digest(SCORER)


@cache
def code_digest(rooms: tuple[str, ...]) -> str:
    """Hash the version of this package and every file of some of its rooms, what is compiled of them left out."""
    whole, root = hashlib.sha256(__version__.encode()), files("memgauge")
    for room in rooms:
        for name, content in _below(root.joinpath(*room.split("/")), room):
            whole.update(f"{name}\0{hashlib.sha256(content).hexdigest()}\n".encode())
    return whole.hexdigest()


def _below(item: Traversable, name: str) -> Iterator[tuple[str, bytes]]:
    if not item.is_dir():
        yield name, item.read_bytes()
        return
    for each in sorted(item.iterdir(), key=lambda inner: inner.name):
        if each.name != "__pycache__":
            yield from _below(each, f"{name}/{each.name}")


def kept_row(folder: Path, key: RowKey) -> ValuedRow | None:
    """Read what was kept; ``None`` where nothing was, or not as it was written."""
    try:
        head = json_of((folder / f"{key.digest}.json").read_bytes())
        content = (folder / f"{key.digest}.f8").read_bytes()
        if head[_KEY] != key.digest or head[_SUM] != _sum(head[_ROW], content):
            return None
        row = RUN_ROW.read(head[_ROW])
        columns = np.frombuffer(content, _VALUES).reshape(len(head[_MEASURES]), -1)
    except (OSError, ValueError, KeyError, TypeError, MalformedDataError):
        return None
    return ValuedRow(row, dict(zip(head[_MEASURES], columns, strict=True)))


def keep_row(folder: Path, key: RowKey, made: ValuedRow) -> ValuedRow:
    """Keep a row, and return it as it is read back: rows kept and rows made are the same to the last digit."""
    folder.mkdir(parents=True, exist_ok=True)
    content = np.concatenate([column.astype(_VALUES) for column in made.values.values()]).tobytes()
    written = plain(RUN_ROW.of(made.row))
    head = {_KEY: key.digest, _SUM: _sum(written, content), _MEASURES: list(made.values), _ROW: written}
    write_whole(folder / f"{key.digest}.f8", content)
    write_whole(folder / f"{key.digest}.json", json.dumps(head).encode())
    return ValuedRow(RUN_ROW.read(json_of(json.dumps(written))), made.values)


def _sum(row: Any, content: bytes) -> str:
    return hashlib.sha256(json.dumps(row, sort_keys=True).encode() + content).hexdigest()


def write_whole(path: Path, content: bytes) -> None:
    """Write a file whole or not at all; two builds may write the same one."""
    import os

    making = path.with_name(f".{path.name}.{os.getpid()}")
    making.write_bytes(content)
    making.replace(path)
