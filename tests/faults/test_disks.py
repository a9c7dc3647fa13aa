"""Disks that are full and folders that cannot be written: refused in words, and resumable."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from chaos.faults import DATASET, SYSTEM
from memgauge.errors import RunError
from memgauge.runs.layers.layer import LayerManifest, write_layer
from memgauge.runs.play.execute import execute
from memgauge.runs.play.executors import Inline
from memgauge.runs.play.plan import plan
from memgauge.runs.record.seal import Seal, sealed
from memgauge.runs.record.store import load
from memgauge.scoring.verify import passed, verify
from support.disk import full_disk
from support.faults import failed, powerless

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from memgauge.runs.record.rows import Row


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a run on a disk with room."""
    (folder,) = execute(plan([DATASET], [SYSTEM]), tmp_path_factory.mktemp("whole"))
    return folder


def test_a_disk_that_fills_up_anywhere_leaves_a_run_that_goes_on(tmp_path: Path, whole: Path) -> None:
    """Whatever does not fit any more, manifest, journal, tables or seal, the same command ends it later."""
    chance = random.Random(7)  # noqa: S311 - no secret
    largest = max(path.stat().st_size for path in whole.iterdir())
    planned = plan([DATASET], [SYSTEM])
    stopped = 0
    for number in range(12):
        out, executor = tmp_path / str(number), Inline() if number else None
        for _ in range(2):
            try:
                with full_disk(chance.randrange(largest)):
                    execute(planned, out, executor=executor)
            except RunError as error:
                stopped += 1
                assert str(out) in str(error)  # noqa: PT017 - most runs stop, and none must
        (folder,) = execute(planned, out, executor=executor)
        assert Seal.read(folder).content == Seal.read(whole).content
        assert {path.name for path in folder.iterdir()} == {path.name for path in whole.iterdir()}
    assert stopped > 6
    assert passed(verify(folder))


def test_a_layer_on_a_full_disk_goes_on(tmp_path: Path, whole: Path) -> None:
    """Rows that were whole stay; verification calls it unfinished and everything else intact."""
    (folder,) = execute(plan([DATASET], [SYSTEM]), tmp_path)
    run = load(folder)
    manifest = LayerManifest(kind="answers", base=run.seal.content, label="x", maker={})
    made: list[str] = []

    def make(keys: list[str]) -> Iterator[Row]:
        for key in keys:
            made.append(key)
            yield {"key": key, "text": key * 50}

    wanted = [f"q{n}" for n in range(20)]
    with full_disk(1500), pytest.raises(RunError, match=r"Cannot write .*rows\.jsonl"):
        write_layer(run, manifest, wanted, make)
    assert failed(folder) == {}
    first = len(made)
    layer = write_layer(run, manifest, wanted, make)
    assert [row["key"] for row in layer.rows()] == wanted
    assert len(made) == len(wanted) + 1  # the row that did not fit was made twice
    assert 1 < first < len(wanted)


@pytest.fixture
def shared(tmp_path: Path, whole: Path) -> Path:
    """Make a run half-way in a folder that others may read only."""
    planned = plan([DATASET], [SYSTEM])
    out = tmp_path / "out"
    (folder,) = execute(planned, out)
    for path in (*tmp_path.parents, tmp_path, out, folder):
        if path.is_relative_to(tmp_path.parents[2]):
            path.chmod(0o755)
    return folder


def test_a_folder_that_may_only_be_read_is_refused_before_anything_is_asked(shared: Path) -> None:
    """New, half-way, and below a folder that is not ours; a sealed run is left alone, and can be verified."""
    assert powerless("run", shared) == powerless("verify", shared) == ""
    (shared / "SEAL").unlink()
    assert "Permission denied" in powerless("run", shared)
    assert "Cannot make" in powerless("another", shared)
    assert not sealed(shared)
    (found,) = execute(plan([DATASET], [SYSTEM]), shared.parent)
    assert "Permission denied" in powerless("layer", found)
    assert failed(found) == {}
