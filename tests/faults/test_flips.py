"""Bits that flip and files that end early: verification finds every one, and says which file it is."""

from __future__ import annotations

import random
import shutil
from typing import TYPE_CHECKING

import pytest

from chaos.faults import complete, detected, flipped, undetected
from memgauge.cli import invoke
from memgauge.errors import RunError
from memgauge.runs.record.cost import FILE as COST
from memgauge.runs.record.journal import FILE as JOURNAL
from memgauge.runs.record.manifest import FILE as MANIFEST
from memgauge.runs.record.seal import FILE as SEAL
from memgauge.runs.record.seal import NAMES
from support.faults import failed, inside

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def pristine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a run with layers and scores, and leave it as it is."""
    return complete(tmp_path_factory.mktemp("pristine"))


@pytest.fixture
def spoilable(pristine: Path, tmp_path: Path) -> Path:
    """Give a copy."""
    return shutil.copytree(pristine, tmp_path / pristine.name)


def test_a_whole_run_is_whole(pristine: Path) -> None:
    """Nothing is found where nothing is wrong."""
    assert failed(pristine) == {}
    assert len(inside(pristine)) == len(NAMES) + 1 + 1 + 1 + 2 * 3


@pytest.mark.parametrize("name", [*NAMES, COST])
def test_a_flip_in_a_file_of_the_run_names_it(spoilable: Path, name: str) -> None:
    """Other files are said to be as they were, and so are layers."""
    path, chance = spoilable / name, random.Random(name)  # noqa: S311 - no secret
    raw = path.read_bytes()
    for _ in range(4):
        path.write_bytes(flipped(raw, chance.randrange(8 * len(raw))))
        said = told(spoilable)
        assert said == {name: "changed after sealing"} or (name == MANIFEST and name in str(said))


def told(folder: Path) -> object:
    """Return what is wrong with a run, or why nothing of it can be read."""
    try:
        return failed(folder)
    except RunError as error:
        return str(error)


@pytest.mark.parametrize("ways", [1, pytest.param(4, marks=pytest.mark.slow)])
def test_every_file_is_missed_where_it_ends_early_or_is_gone(spoilable: Path, ways: int) -> None:
    """Half of it, nothing of it, one byte less or more (every file in another way, slowly in all), or no file."""
    for number, path in enumerate(inside(spoilable)):
        raw = path.read_bytes()
        changes = (raw[: len(raw) // 2], b"", raw[:-1], raw + b"\n")
        for changed in (*changes, *changes)[number % 4 :][:ways]:
            path.write_bytes(changed)
            assert detected(spoilable), (path, len(changed))
        path.unlink()
        # Scores are written at will, and a layer without a seal is unfinished, which is said.
        optional = path.parent.name == "scores" or (path.name == SEAL and "layers" in path.parts)
        assert detected(spoilable) or optional, path
        path.write_bytes(raw)
    assert not detected(spoilable)


def test_bits_that_flip_are_found(tmp_path: Path) -> None:
    """A few, anywhere; a thousand are for another day."""
    assert undetected(tmp_path, 10, seed=1) == 0


def test_a_score_file_under_another_name_is_found(spoilable: Path) -> None:
    """Numbers that follow from the rows under settings that nobody asked for."""
    (path,) = (spoilable / "scores").iterdir()
    path.rename(path.with_name("0123456789ab.json"))
    assert failed(spoilable) == {"scores/0123456789ab.json": "its settings are not those that its name stands for"}


def test_an_unfinished_run_says_what_of_it_is_whole(spoilable: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """So many conversations, up to the first damage; and so it says before anything was written."""
    (spoilable / SEAL).unlink()
    assert invoke(["runs", "verify", str(spoilable)]) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert "not sealed: the run is unfinished. 2 conversations are whole in its journal. Run the same" in said
    raw = (spoilable / JOURNAL).read_bytes()
    (spoilable / JOURNAL).write_bytes(flipped(raw, 8 * (len(raw) - 300)))
    with pytest.raises(RunError, match=r"whole in its journal, up to line \d+: what was written up to here has"):
        failed(spoilable)
    (spoilable / JOURNAL).unlink()
    with pytest.raises(RunError, match="Nothing was written yet"):
        failed(spoilable)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_a_thousand_bits_that_flip_are_found(tmp_path: Path) -> None:
    """Parquet, journal, manifest, seals, layers and scores."""
    assert undetected(tmp_path, 1000) == 0
