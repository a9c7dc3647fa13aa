"""What hands do that spoil a submission: edit its sheet, open its bundles, forge rows, and seal them again."""

from __future__ import annotations

import json
import shutil
import tempfile
import zipfile
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memgauge.runs.record import journal
from memgauge.runs.record.bundle import unbundled
from memgauge.runs.record.manifest import FILE as MANIFEST
from memgauge.runs.record.seal import file_hash, seal
from memgauge.runs.record.spelling import encode
from memgauge.submissions.layout import SHEET
from memgauge.submissions.sheets.writing import toml_text
from memgauge.text.untrusted import text_file, toml_of

if TYPE_CHECKING:
    from collections.abc import Callable

    Row = dict[str, Any]


def edit_toml(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change a TOML file, and write it as it is written."""
    data = toml_of(text_file(path))
    change(data)
    path.write_text(toml_text(data), "utf-8")


def edit_json(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change a JSON file."""
    data = json.loads(path.read_text("utf-8"))
    change(data)
    path.write_text(json.dumps(data, indent=2) + "\n", "utf-8")


def edit_sheet(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change the sheet of a submission."""
    edit_toml(folder / SHEET, change)


def set_field(folder: Path, **fields: Any) -> None:
    """Say something else in the sheet of a submission."""
    edit_sheet(folder, lambda sheet: sheet.update(fields))


def set_run(folder: Path, number: int, **fields: Any) -> None:
    """Say something else of one run in the sheet of a submission."""
    edit_sheet(folder, lambda sheet: sheet["runs"][number].update(fields))


def bundle_at(folder: Path, number: int = 0) -> Path:
    """Return where a bundle of a submission lies."""
    return folder / str(toml_of(text_file(folder / SHEET))["runs"][number]["bundle"])


def state_digest(folder: Path, number: int = 0) -> None:
    """Write the digest of a bundle, as it is now, into the sheet."""
    set_run(folder, number, sha256=file_hash(bundle_at(folder, number)))


def in_bundle(folder: Path, change: Callable[[Path], object], number: int = 0) -> None:
    """Change the run in a bundle, pack it again, and let the sheet say its new digest."""
    path = bundle_at(folder, number)
    with tempfile.TemporaryDirectory() as scratch:
        run = Path(scratch) / "run"
        with unbundled(path) as opened:
            shutil.copytree(opened, run)
        change(run)
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for file in sorted(run.rglob("*")):
                if file.is_file():
                    archive.write(file, file.relative_to(run).as_posix())
    state_digest(folder, number)


def forge(run: Path, change: Callable[[list[Row]], object]) -> None:
    """Rewrite the rows of every attempt, with checksums that fit, and seal the run again."""
    path = run / journal.FILE
    written, attempt = bytearray(), list[Any]()
    for line in path.read_bytes().splitlines():
        row = json.loads(line)
        if row["t"] != "sum":
            attempt.append(row)
            continue
        change(attempt)
        lines = encode(attempt)
        written += lines + journal.sum_line(row["conversation"], row["attempt"], len(lines), zlib.crc32(lines))
        attempt = []
    path.write_bytes(written)
    seal(run)


def forge_manifest(run: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Rewrite the manifest of a run, and seal it again as if it had always been so."""
    edit_json(run / MANIFEST, change)
    seal(run)
