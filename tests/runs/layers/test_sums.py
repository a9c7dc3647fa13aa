"""Checksums of unfinished layers: what changed between two sittings is found, and older layers go on."""

from __future__ import annotations

import random
import shutil
from typing import TYPE_CHECKING

import pytest

from chaos.faults import flipped
from memgauge.errors import RunError
from memgauge.records import Verdict
from memgauge.runs.layers.layer import FOLDER, ROWS, LayerManifest, LayerWriter, progress, write_layer
from memgauge.runs.layers.sums import FILE as SUMS
from memgauge.runs.layers.sums import survey
from memgauge.runs.play.execute import execute
from memgauge.runs.play.executors import Inline
from memgauge.runs.play.plan import plan
from memgauge.runs.record.store import load
from memgauge.scoring.verify import verify
from support.disk import full_disk

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from memgauge.runs.record.rows import Row

KEYS = ["a", "b", "c", "d"]
MANIFEST = LayerManifest(kind="answers", base="x", label="x", maker={})


def rows(keys: list[str]) -> Iterator[Row]:
    """Make a row for each key."""
    return ({"key": key, "text": f"about\r {key}"} for key in keys)


def half(folder: Path) -> Path:
    """Leave a layer as a kill would: three of its four rows."""
    with LayerWriter(folder, MANIFEST) as writer:
        for row in rows(KEYS[:3]):
            writer.append(row)
    return writer.folder


def finished(folder: Path) -> bytes:
    """Finish a layer, and return its rows."""
    with LayerWriter(folder, MANIFEST) as writer:
        for row in rows([key for key in KEYS if key not in writer.done]):
            writer.append(row)
        return (writer.seal({}).folder / ROWS).read_bytes()


def test_no_flip_in_an_unfinished_layer_goes_unnoticed(tmp_path: Path) -> None:
    """Every bit, in rows and in their sums: the layer is refused, or the row is made again as it was."""
    layer = half(tmp_path / "run")
    whole = finished(shutil.copytree(tmp_path / "run", tmp_path / "whole"))
    refused = 0
    for name in (ROWS, SUMS):
        raw = (layer / name).read_bytes()
        for bit in range(8 * len(raw)):
            shutil.rmtree(tmp_path / "spoilt", ignore_errors=True)
            spoilt = shutil.copytree(tmp_path / "run", tmp_path / "spoilt")
            (spoilt / FOLDER / MANIFEST.id / name).write_bytes(flipped(raw, bit))
            try:
                assert finished(spoilt) == whole, (name, bit)
            except RunError as error:
                refused += "is not as it was written" in str(error)
    assert refused > 8 * len(raw)


def test_what_ends_early_goes_on(tmp_path: Path) -> None:
    """Wherever a kill cuts the rows, what is whole is kept and the rest is made again."""
    layer = half(tmp_path / "run")
    whole = finished(shutil.copytree(tmp_path / "run", tmp_path / "whole"))
    raw = (layer / ROWS).read_bytes()
    for size in random.Random(0).sample(range(len(raw)), 12):  # noqa: S311 - no secret
        shutil.rmtree(tmp_path / "cut", ignore_errors=True)
        cut = shutil.copytree(tmp_path / "run", tmp_path / "cut")
        (cut / FOLDER / MANIFEST.id / ROWS).write_bytes(raw[:size])
        assert finished(cut) == whole


def test_an_older_layer_without_sums_goes_on(tmp_path: Path) -> None:
    """Its rows are taken as they are, and guarded from then on; a seal leaves the same files as before."""
    layer = half(tmp_path)
    (layer / SUMS).unlink()
    with LayerWriter(tmp_path, MANIFEST) as writer:
        assert writer.done == ("a", "b", "c")
    raw = (layer / ROWS).read_bytes()
    (layer / ROWS).write_bytes(raw.replace(b"about", b"above", 1))
    with pytest.raises(RunError, match="row 1 is not as it was written"):
        LayerWriter(tmp_path, MANIFEST)
    (layer / ROWS).write_bytes(raw)
    finished(tmp_path)
    assert sorted(path.name for path in layer.iterdir()) == ["SEAL", "layer.json", ROWS]


def test_a_row_that_could_not_be_written_leaves_no_sum(tmp_path: Path) -> None:
    """After a full disk the same writer, and the next one, go on."""
    with LayerWriter(tmp_path, MANIFEST) as writer:
        writer.append({"key": "a"})
        with full_disk(40), pytest.raises(RunError, match="Cannot write"):
            writer.append({"key": "b" * 80})
        writer.append({"key": "c"})
    with LayerWriter(tmp_path, MANIFEST) as writer:
        assert writer.done == ("a", "c")
    assert survey(writer.folder / ROWS, writer.folder / SUMS).rows == 2


def test_verify_says_how_far_an_unfinished_layer_is(tmp_path: Path) -> None:
    """So many rows are whole, or the first that is not; and so it says before anything was written."""
    (folder,) = execute(plan(["synthetic:tiny"], ["recency"]), tmp_path, executor=Inline(), check=False)
    layer = half(folder)

    def said() -> tuple[Verdict, str]:
        found = {one.subject: one for one in verify(folder)}[f"{FOLDER}/{MANIFEST.id}"]
        return found.verdict, found.detail

    assert said() == (
        Verdict.UNSUPPORTED,
        "unfinished: 3 rows are whole; the command that began it goes on",
    )
    raw = (layer / ROWS).read_bytes()
    (layer / ROWS).write_bytes(raw.replace(b"about\\r b", b"above\\r b"))
    assert said() == (Verdict.FAIL, "1 rows are whole, but row 2 is not as it was written.")
    (layer / ROWS).unlink()
    assert said()[1].startswith("unfinished: nothing was written yet")
    assert progress(layer) == "nothing was written yet"
    assert write_layer(load(folder), MANIFEST, [], rows).rows() == []
