"""Rows kept by digest: of the bundle, the scorer, the dataset and the contract; whatever differs is read anew."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

import numpy as np

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
    head, _, values = (kept(folder / key.digest, key.digest) or b"").partition(b"\n")
    if not head:
        return None
    row, measures = json_of(head)
    columns = np.frombuffer(values, _VALUES).reshape(len(measures), -1)
    return ValuedRow(RUN_ROW.read(row), dict(zip(measures, columns, strict=True)))


def keep_row(folder: Path, key: RowKey, made: ValuedRow) -> ValuedRow:
    """Keep a row, and return it as it is read back: rows kept and rows made are the same to the last digit."""
    values = np.concatenate([column.astype(_VALUES) for column in made.values.values()]).tobytes()
    written = plain(RUN_ROW.of(made.row))
    keep(folder / key.digest, key.digest, json.dumps([written, list(made.values)]).encode() + b"\n" + values)
    return ValuedRow(RUN_ROW.read(json_of(json.dumps(written))), made.values)


def kept(path: Path, key: str) -> bytes | None:
    """Read what was made of *key*; ``None`` where there is nothing, or not as it was written."""
    try:
        written, _, content = path.read_bytes().partition(b"\n")
    except OSError:
        return None
    return content if written == sum_of(key, content) else None


def keep(path: Path, key: str, content: bytes) -> None:
    """Write what was made of *key* whole or not at all; two builds may write the same file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    making = path.with_name(f".{path.name}.{os.getpid()}")
    making.write_bytes(sum_of(key, content) + b"\n" + content)
    making.replace(path)


def sum_of(key: str, content: bytes) -> bytes:
    """Return what a file begins with that holds *content* under *key*: one that was cut or altered does not."""
    return hashlib.sha256(key.encode() + content).hexdigest().encode()
