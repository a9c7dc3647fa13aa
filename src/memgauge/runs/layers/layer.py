"""Layers on a sealed run: answers, and verdicts on answers. Each is sealed on its own, and the run never changes.

A layer is a folder ``layers/<id>`` of the run: what made it (``layer.json``), one line for each row, in the
order of asking (``rows.jsonl``), and, written last, the hashes of both (``SEAL``). A layer that was interrupted
goes on after its last whole line; until it is sealed, a checksum of every row lies beside them.
"""

from __future__ import annotations

import hashlib
import json
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from memgauge.errors import RunError, RunNotFoundError
from memgauge.interruption import kept_in
from memgauge.misfits import first_misfit
from memgauge.runs.layers.sums import FILE as SUMS
from memgauge.runs.layers.sums import Sums, survey
from memgauge.runs.record.appending import Appender
from memgauge.runs.record.files import opened, small, write_atomically
from memgauge.runs.record.seal import file_hash
from memgauge.runs.record.spelling import encode
from memgauge.text.jsons import json_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from memgauge.runs.record.rows import Row
    from memgauge.runs.record.store import Run

T = TypeVar("T")
FOLDER: Final = "layers"
MAKER: Final = "layer.json"
ROWS: Final = "rows.jsonl"
SEAL: Final = "SEAL"


class LayerManifest(BaseModel):
    """The identity of one layer."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal[1] = 1
    kind: Literal["answers", "choices", "verdicts", "writes", "witness"]
    base: str
    """The content hash of the run, or the hash of the layer, that it stands on."""
    label: str
    """What tables call it."""
    maker: dict[str, Any]
    """Everything that decides its rows: answerer, model, prompt with its hash, parameters, context, panel."""
    environment: dict[str, Any] = Field(default_factory=dict)
    """What does not decide them: versions, the record that replies came from, what it cost."""

    @property
    def identity(self) -> str:
        """Return the hash of everything but the environment."""
        data = self.model_dump(mode="json", exclude={"environment"})
        return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()

    @property
    def id(self) -> str:
        """Return the name of the folder."""
        slug = re.sub(r"[^a-z0-9]+", "-", self.label.lower()).strip("-")[:40].strip("-")
        return f"{self.kind}-{slug}-{self.identity[:8]}"


@dataclass(frozen=True, eq=False)
class Layer:
    """A sealed layer."""

    folder: Path
    manifest: LayerManifest
    hash: str
    """Of its rows and of what made it; what stands on it names this."""

    def rows(self) -> list[Row]:
        """Read every row, in order."""
        path = self.folder / ROWS
        with opened(path) as file:
            return [_row(path, number, line) for number, line in enumerate(file, 1)]


class LayerWriter:
    """A layer being written: rows are appended and synced one by one, and what is whole survives a kill."""

    def __init__(self, folder: Path, manifest: LayerManifest) -> None:
        """Open the layer below the run at *folder*.

        Raises:
            RunError: It cannot be written, or a row that is there is none, or not as it was written.
            RunBusyError: Another process is writing it.
        """
        self.folder = folder / FOLDER / manifest.id
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise RunError(
                f"Cannot make {self.folder}: {error.strerror}.", "Make the run's folder writable."
            ) from error
        self.manifest = manifest
        self._file = Appender(self.folder / ROWS, elsewhere="stop the other one")
        try:
            self.done, self._sums = self._recover()
            """Keys of the rows that are there already, and the checksums of all."""
        except RunError:
            self._file.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._sums.close()
        self._file.close()

    def append(self, row: Row) -> None:
        """Append one row and make sure that it is on disk.

        Raises:
            RunError: The disk is full or fails; what was whole is kept.
        """
        line = encode([row])
        self._sums.append(line)
        try:
            self._file.append(line)
        except RunError:
            self._sums.take_back()
            raise

    def seal(self, environment: Mapping[str, Any]) -> Layer:
        """Write what made the layer, under which circumstances, and, last, its seal."""
        manifest = self.manifest.model_copy(update={"environment": dict(environment)})
        write_atomically(self.folder / MAKER, manifest.model_dump_json(indent=2) + "\n")
        write_atomically(self.folder / SEAL, json.dumps(_hashes(self.folder), indent=2) + "\n")
        (self.folder / SUMS).unlink(missing_ok=True)
        return load_layer(self.folder)

    def _recover(self) -> tuple[tuple[str, ...], Sums]:
        path = self._file.path
        whole = survey(path, self.folder / SUMS)
        if whole.damage:
            raise RunError(f"{path}: {whole.damage}.", "Restore it from a copy, or remove the layer's folder.")
        self._file.cut(whole.size)
        with path.open("rb") as file:
            keys = tuple(str(_row(path, number, line).get("key")) for number, line in enumerate(file, 1))
        return keys, Sums(self.folder / SUMS, path, whole)


def write_layer(
    run: Run,
    manifest: LayerManifest,
    wanted: Iterable[str],
    make: Callable[[list[str]], Iterator[Row]],
    environment: Callable[[], Mapping[str, Any]] = dict,
    lost: Callable[[Row], bool] = lambda _: False,
) -> Layer:
    """Make the rows of a layer that are not there yet, and seal it.

    *wanted* is the key of every row, in the order of asking; *make* yields the rows of the keys that it is given,
    in their order. *environment* is asked at the end for what does not decide the rows. A row that is *lost*,
    since a call failed, is asked for again where the layer is sealed and no other stands on it.
    """
    folder = run.folder / FOLDER / manifest.id
    if sealed(folder):
        return _mended(run, load_layer(folder), make, environment, lost)
    with kept_in(folder), LayerWriter(run.folder, manifest) as writer:
        done = set(writer.done)
        for row in make([key for key in wanted if key not in done]):
            writer.append(row)
        return writer.seal(environment())


def _mended(
    run: Run,
    layer: Layer,
    make: Callable[[list[str]], Iterator[Row]],
    environment: Callable[[], Mapping[str, Any]],
    lost: Callable[[Row], bool],
) -> Layer:
    """Ask again for rows that were lost, and seal anew where any came; a kill leaves the old rows or the new."""
    rows = layer.rows()
    missing = [str(row["key"]) for row in rows if lost(row)]
    if not missing or standing_on(run, layer):
        return layer
    came = {row["key"]: row for row in make(missing) if not lost(row)}
    if not came:
        return layer
    with kept_in(layer.folder):
        (layer.folder / SEAL).unlink(missing_ok=True)
        write_atomically(layer.folder / ROWS, encode(came.get(row["key"], row) for row in rows).decode())
        with LayerWriter(run.folder, layer.manifest) as writer:
            return writer.seal(environment())


def standing_on(run: Run, layer: Layer) -> list[Path]:
    """List the folders of the layers that were made of *layer*, which would be of no use if its rows changed."""
    folders = sorted(path for path in (run.folder / FOLDER).iterdir() if (path / MAKER).is_file())
    return [folder for folder in folders if _read(folder).base == layer.hash]


def made_side_by_side(
    tasks: Mapping[str, T], make: Callable[[T], Row], *, workers: int, on_progress: Callable[[int, int], None]
) -> Callable[[list[str]], Iterator[Row]]:
    """Return what makes the rows of keys for :func:`write_layer`, several at a time, in the order of the keys.

    *tasks* are what each key asks for. *make* may be called from several threads.
    """

    def rows(keys: list[str]) -> Iterator[Row]:
        with ThreadPoolExecutor(max_workers=workers) as pool:
            try:
                for done, row in enumerate(
                    pool.map(lambda key: make(tasks[key]), keys), len(tasks) - len(keys) + 1
                ):
                    yield row
                    on_progress(done, len(tasks))
            finally:
                pool.shutdown(cancel_futures=True)

    return rows


def sealed(folder: Path) -> bool:
    """Whether the layer at *folder* is finished."""
    return (folder / SEAL).is_file()


def load_layer(folder: Path) -> Layer:
    """Open a sealed layer.

    Raises:
        RunNotFoundError: There is none.
        RunError: It is unfinished, or not as it was sealed.
    """
    if not (folder / ROWS).is_file():
        raise RunNotFoundError(f"No layer at {folder}.", "Make one with `memgauge models answer`.")
    if not sealed(folder):
        raise RunError(f"{folder} is not sealed: it is unfinished.", "Run the same command again to finish it.")
    if not (folder / MAKER).is_file():
        raise RunError(f"{folder} lacks its {MAKER}.", "Restore it from a copy.")
    hashes = _hashes(folder)
    if small(folder / SEAL) != (json.dumps(hashes, indent=2) + "\n").encode():
        raise RunError(f"{folder} is not as it was sealed.", "Restore it from a copy.")
    manifest = _read(folder)
    return Layer(folder, manifest, layer_hash(manifest, hashes[ROWS]))


def layer_hash(manifest: LayerManifest, rows: str) -> str:
    """Return the hash of a layer: of its identity, and of the sha256 of the file of its rows."""
    return hashlib.sha256((manifest.identity + rows).encode()).hexdigest()


def progress(folder: Path) -> str:
    """Say how far an unfinished layer is.

    Raises:
        RunError: What is there is not as it was written.
    """
    if not (folder / ROWS).is_file():
        return "nothing was written yet"
    whole = survey(folder / ROWS, folder / SUMS)
    if whole.damage:
        raise RunError(f"{whole.rows} rows are whole, but {whole.damage}.", "Restore them from a copy.")
    return f"{whole.rows} rows are whole"


def layers(run: Run, kind: str) -> list[Layer]:
    """Open the finished layers of one kind, by name."""
    folders = sorted((run.folder / FOLDER).glob(f"{kind}-*")) if (run.folder / FOLDER).is_dir() else []
    return [load_layer(folder) for folder in folders if sealed(folder)]


def _row(path: Path, number: int, line: bytes) -> Row:
    try:
        row = json_of(line)
    except ValueError as error:
        raise RunError(f"{path}:{number}: no row: {error}.", "Restore it from a copy.") from error
    if not isinstance(row, dict):
        raise RunError(f"{path}:{number}: no row, but {type(row).__name__}.", "Restore it from a copy.")
    return row


def _hashes(folder: Path) -> Mapping[str, str]:
    return {name: file_hash(folder / name) for name in (MAKER, ROWS)}


def _read(folder: Path) -> LayerManifest:
    path = folder / MAKER
    try:
        return LayerManifest.model_validate_json(small(path))
    except ValidationError as error:
        raise RunError(
            f"{path}: {first_misfit(error, 'the file itself')}.",
            "Restore it, or move its folder away; a later version may have written it.",
        ) from error
