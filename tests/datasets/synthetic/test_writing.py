"""A world written to a folder."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from memgauge.datasets.base import HasTruth
from memgauge.datasets.catalogue import open_dataset
from memgauge.datasets.own.lines import MANIFEST, Lines
from memgauge.datasets.synthetic.life import VERSION
from memgauge.datasets.synthetic.writing import WorldOrder, write_folder, write_world
from memgauge.errors import ConfigError, DataError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FILES = tuple(f"{name}.jsonl" for name in Lines._fields)


def bytes_of(folder: Path) -> dict[str, bytes]:
    """Read every file of a folder."""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


@pytest.mark.parametrize("options", ["", ",seed=3,level=latent,values=plausible"])
def test_what_is_written_is_read_as_the_same_world(tmp_path: Path, options: str) -> None:
    """Cases, gold, truth and identity of the folder are those of the generated world."""
    world = open_dataset(f"synthetic:tiny{options}")
    order = WorldOrder("tiny", 3, "latent", "plausible") if options else WorldOrder("tiny")
    write_world(tmp_path / "world", order)
    read = open_dataset(f"own:{tmp_path / 'world'}")
    assert list(read.cases()) == list(world.cases())
    assert [replace(gold, raw_answer=None) for gold in read.gold()] == [
        replace(gold, raw_answer=None) for gold in world.gold()
    ]
    assert isinstance(read, HasTruth)
    assert isinstance(world, HasTruth)
    assert list(read.truth()) == list(world.truth())
    assert (read.identity.name, read.identity.sha256) == ("synthetic", world.identity.sha256)


def test_the_manifest_says_how_to_make_it_again(tmp_path: Path) -> None:
    """Everything that the bytes follow from, their hashes, and counts."""
    made = write_world(tmp_path, WorldOrder("tiny", 4, users=range(1, 3)))
    assert made == json.loads((tmp_path / MANIFEST).read_text())
    assert set(made["sha256"]) == set(FILES)
    assert {name: made[name] for name in ("format", "name", "size", "seed", "level", "values", "users")} == {
        "format": 1,
        "name": "synthetic",
        "size": "tiny",
        "seed": 4,
        "level": "mixed",
        "values": "nonce",
        "users": [1, 3],
    }
    assert str(VERSION) in made["generator"]
    lines = {name: len((tmp_path / name).read_text().splitlines()) for name in FILES}
    assert {f"{name}.jsonl": made["counts"][name] for name in Lines._fields} == lines
    assert made["counts"]["conversations"] == 2
    assert made["counts"]["sessions"] == 12


def test_shards_put_together_are_the_whole(tmp_path: Path) -> None:
    """Consecutive ranges of users, joined file by file, have the lines of the whole range."""
    write_world(tmp_path / "whole", WorldOrder("tiny", users=range(7)))
    for shard in (range(3), range(3, 7)):
        write_world(tmp_path / str(shard.start), WorldOrder("tiny", users=shard))
    for name in FILES:
        joined = (tmp_path / "0" / name).read_bytes() + (tmp_path / "3" / name).read_bytes()
        assert joined == (tmp_path / "whole" / name).read_bytes()


def test_the_number_of_workers_leaves_no_trace(tmp_path: Path) -> None:
    """Two processes write what one writes, in the order of users, across more batches than may wait."""
    seen: list[tuple[int, int]] = []
    order = WorldOrder("tiny", users=range(100))
    write_world(tmp_path / "one", order)
    write_world(tmp_path / "two", order, workers=2, on_progress=lambda done, n: seen.append((done, n)))
    assert bytes_of(tmp_path / "one") == bytes_of(tmp_path / "two")
    assert seen[-1] == (100, 100)


def test_an_interrupted_folder_has_no_manifest_and_can_be_written_again(tmp_path: Path) -> None:
    """What was begun is taken away, so the same command starts over."""

    def interrupted() -> Iterator[Lines]:
        yield Lines(["{}"], [], [])
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_folder(tmp_path, interrupted(), lambda _: {})
    assert not list(tmp_path.iterdir())
    write_world(tmp_path, WorldOrder("tiny"))
    assert set(bytes_of(tmp_path)) == {MANIFEST, *FILES}


def test_data_are_never_overwritten(tmp_path: Path) -> None:
    """A folder with data of any origin is refused and stays as it is."""
    (tmp_path / "turns.jsonl").write_text("mine")
    with pytest.raises(ConfigError, match=r"holds turns\.jsonl already"):
        write_world(tmp_path, WorldOrder("tiny"))
    assert bytes_of(tmp_path) == {"turns.jsonl": b"mine"}


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    """The message says which one and why."""
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError, match="Cannot write to"):
        write_world(tmp_path / "file" / "inside", WorldOrder("tiny"))
